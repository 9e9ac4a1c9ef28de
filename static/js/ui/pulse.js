// @ts-check
/** The run's own row: status, phase, clock, and what may be done to it now. */

import { byId, el, glyph, said } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";

const GLYPHS = /** @type {Record<string, [string, string]>} */ ({
  running: ["working", "active"],
  stopping: ["working", "warn"],
  ended: ["ended", "quiet"],
  failed: ["dead", "bad"],
  cancelled: ["closed", "quiet"],
});
const PHASES = /** @type {Record<string, string>} */ ({
  workers: "the team works",
  bootstrap: "repository and accounts",
  draining: "reading every feed to its end",
  stopping: "last merges, final score",
});

/** @param {import("./words.js").View} view @param {any} run */
export const showPulse = (view, run) => {
  const start = run.started_at ? Date.parse(run.started_at) : null;
  const end = run.ended_at ? Date.parse(run.ended_at) : null;
  const counts = start !== null && end === null;
  const word = run.ended_at ? "Lasted" : start === null ? "Not started" : "Running for";
  const value = el(
    "span.v",
    {},
    start === null
      ? "---"
      : counts
        ? el("span", { "data-since": run.started_at }, clock((view.now() - start) / 1000))
        : clock((Number(end) - start) / 1000),
  );
  if (view.duration && start !== null) value.append(el("small", {}, ` of ${clock(view.duration)}`));
  const [name, tone] = GLYPHS[run.status] ?? ["waiting", "active"];
  const phase = view.live && run.phase && run.phase !== run.status ? `, ${PHASES[run.phase] ?? run.phase}` : "";
  byId("clock").replaceChildren(
    el("span.k", {}, word),
    value,
    el("span.n", {}, el("span.st", {}, glyph(name, tone), `${run.status}${phase}`)),
  );
  byId("reason").hidden = !run.reason;
  byId("reason").replaceChildren(said(run.reason ?? ""));
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-while=live]"))) node.hidden = !view.live;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-while=over]"))) node.hidden = view.live;
  byId("launching").hidden = !["draft", "preflight", "starting"].includes(run.status);
};
