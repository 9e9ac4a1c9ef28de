// @ts-check
/** Needs attention: each line one cause, since when, one action. The only boxed list of the page. */

import { byId, el, glyph, said, sync } from "../lib/dom.js";
import { clock, since } from "../lib/format_time.js";
import { attention, helps, MOST, SHOWN, unfolded } from "../trajectory/attention.js";
import { act } from "./act.js";
import { claimLink, counting, evidence, nameOf, pullLink, workerLink } from "./words.js";

/** @typedef {import("./words.js").View} View */
/** @typedef {import("../trajectory/attention.js").Item} Item */
/** @typedef {import("../trajectory/attention.js").Row} Row */

const GLYPHS = /** @type {Record<string, [string, string]>} */ ({
  worker_dead: ["dead", "bad"],
  worker_silent: ["stalled", "odd"],
  worker_stuck: ["nudged", "warn"],
  worker_looping: ["withdrawn", "warn"],
  nudge_unanswered: ["nudged", "warn"],
  approval_withdrawn: ["withdrawn", "odd"],
  node_lost: ["dead", "bad"],
  service_down: ["dead", "bad"],
  pull_conflict: ["conflict", "bad"],
  pull_unreviewed: ["pull", "warn"],
  failure_open: ["abandoned", "bad"],
  claim_expiring: ["expired", "warn"],
  feed_lag: ["lag", "warn"],
});
const MANY = /** @type {Record<string, string>} */ ({
  worker_dead: "workers died",
  worker_silent: "workers are silent",
  worker_stuck: "workers end turn after turn in errors",
  worker_looping: "workers repeat a failing call",
  nudge_unanswered: "workers were nudged without effect",
  approval_withdrawn: "pulls lost an approval and are still open",
  node_lost: "nodes are lost",
  service_down: "services are down",
  pull_conflict: "pulls conflict with their base",
  pull_unreviewed: "pulls have no reviewer",
  failure_open: "lost claims nobody has taken over",
  claim_expiring: "claims expire soon",
  feed_lag: "feeds lag",
});
let all = false;
/** @type {Set<string>} kinds whose group is open */
const open = new Set();

/** @param {View} view @param {Row[]} extra lagging feeds */
export const showAttention = (view, extra) => {
  const { items, total } = attention([.../** @type {any} */ (view.fold.rows("attention").values()), ...extra]);
  const shown = all ? items : items.slice(0, SHOWN);
  byId("attention-count").textContent = total ? String(total) : "";
  byId("attention-none").hidden = total > 0;
  sync(
    byId("attention"),
    unfolded(shown, open).map((row) => ({ key: row.key, sign: [...row.rows, view.operator, row.within, open.has(row.kind)], row })),
    (item) => line(view, item, () => showAttention(view, extra)),
  );
  const more = byId("attention-more");
  more.hidden = shown.length >= items.length;
  more.textContent = `${items.length - shown.length} more`;
  more.onclick = () => {
    all = true;
    showAttention(view, extra);
  };
};

/** @param {View} view @param {Item} item @param {() => void} again */
const line = (view, item, again) => {
  const [row] = item.rows;
  const one = item.rows.length === 1;
  const [name, tone] = GLYPHS[item.kind] ?? ["changes", item.severity === "bad" ? "bad" : "warn"];
  const start = since(row.since, view.t0);
  return el(
    item.within ? "li.within" : "li",
    {},
    glyph(name, tone),
    el(
      "span.what",
      {},
      ...(one ? title(view, row) : [el("b", {}, `${item.rows.length} ${MANY[item.kind] ?? item.kind}`)]),
      el("span.why", {}, ...(one ? [said(row.cause)] : names(view, item.rows))),
    ),
    el("span.since", {}, start === null ? "" : `since ${clock(start)}, for `, counting(view, row.since)),
    row.evidence_count ? evidence(view, row) : el("span"),
    one ? action(view, row) : unfolds(item, again),
  );
};

/** Each of a group with its own time and action, on a press. @param {Item} item @param {() => void} again */
const unfolds = (item, again) => {
  const shown = open.has(item.kind);
  const many = Math.min(item.rows.length, MOST);
  const text = shown ? "Show as one" : many < item.rows.length ? `Show the first ${many}` : `Show all ${many}`;
  const button = el("button.btn.btn-sm.act", { type: "button", "aria-expanded": String(shown), "aria-label": `${text}: ${MANY[item.kind] ?? item.kind}`, "data-group": item.kind }, text);
  button.addEventListener("click", () => {
    if (!open.delete(item.kind)) open.add(item.kind);
    again();
    /** @type {HTMLElement | null} */ (document.querySelector(`[data-group="${item.kind}"]`))?.focus();
  });
  return button;
};

/** @param {View} view @param {Row} row @returns {import("../lib/dom.js").Child[]} */
const title = (view, row) => {
  const subject = row.item.slice(row.item.indexOf(":") + 1);
  const worker = row.worker === null ? null : workerLink(view, row.worker);
  const pull = row.pull === null ? undefined : view.fold.rows("pulls").get(row.pull);
  const claim = row.claim === null ? undefined : view.fold.rows("claims").get(row.claim);
  const about = pull ? [" ", said(pull.title)] : [];
  const what = claim ? [" ", said(`“${claim.text}”`)] : [];
  switch (row.kind) {
    case "worker_dead":
      return [el("b", {}, worker, " died"), ...held(view, row)];
    case "worker_silent":
      return [el("b", {}, worker, " is silent"), ...held(view, row)];
    case "worker_stuck":
      return [el("b", {}, worker, " is stuck"), ...held(view, row)];
    case "worker_looping":
      return [el("b", {}, worker, " repeats a failing call"), ...held(view, row)];
    case "nudge_unanswered":
      return [el("b", {}, worker, " was nudged without effect"), ...held(view, row)];
    case "approval_withdrawn":
      return [el("b", {}, pullLink(view, Number(row.pull)), " lost an approval and is still open"), ...about];
    case "pull_conflict":
      return [el("b", {}, pullLink(view, Number(row.pull)), " conflicts"), ...about];
    case "pull_unreviewed":
      return [el("b", {}, pullLink(view, Number(row.pull)), " has no reviewer"), ...about];
    case "failure_open":
      return [el("b", {}, "Nobody has taken over"), ...what, ...(worker ? [" of ", worker] : [])];
    case "claim_expiring":
      return [el("b", {}, "A claim expires soon:"), ...what, ...(worker ? [" of ", worker] : [])];
    case "node_lost":
      return [el("b", {}, said(subject), " is lost")];
    case "service_down":
      return [el("b", {}, said(subject), " is down"), ...lastWords(view, subject)];
    case "feed_lag":
      return [el("b", {}, `The ${subject} feed lags`)];
    default:
      return [el("b", {}, said(row.kind.replaceAll("_", " ")))];
  }
};

const LAST_LINES = 4;

/** The end of a service's log, as it was when it went down. @param {View} view @param {string} service */
const lastWords = (view, service) => {
  const log = view.fold.rows("services").get(service)?.last_log;
  if (!log) return [];
  const lines = String(log).trimEnd().split("\n").slice(-LAST_LINES);
  return [el("pre.last-words", {}, ...lines.flatMap((line, k) => [k ? "\n" : "", said(line)]))];
};

/** @param {View} view @param {Row} row */
const held = (view, row) => {
  const mine = [...view.fold.rows("claims").values()].filter(
    (claim) => claim.worker === row.worker && ["live", "abandoned"].includes(String(claim.status)),
  );
  const claim = mine.at(-1);
  return claim ? [" while holding ", claimLink(view, /** @type {number} */ (claim.claim), said(`“${claim.text}”`))] : [];
};

/** @param {View} view @param {Row[]} rows */
const names = (view, rows) => {
  const few = rows
    .slice(0, 6)
    .flatMap((row, k) => [
      k ? ", " : "",
      row.pull !== null
        ? pullLink(view, row.pull)
        : row.claim !== null
          ? claimLink(view, row.claim, `n${row.claim}`)
          : row.worker !== null
            ? workerLink(view, row.worker)
            : said(row.item.split(":")[1]),
    ]);
  return rows.length > 6 ? [...few, ` and ${rows.length - 6} more`] : few;
};

/** The one action that helps. Nudging and stopping are the operator's, and are events of the run. @param {View} view @param {Row} row */
const action = (view, row) => {
  const open = (/** @type {string} */ href, /** @type {string} */ text) => el("a.btn.btn-sm.act", { href }, text);
  const name = row.worker === null ? "" : nameOf(view, row.worker);
  switch (helps(row, view.operator)) {
    case "nudge":
      return once(view, "nudge", `Nudge ${name}`, row);
    case "stop":
      return twice(view, "stop-worker", `Stop ${name}`, row);
    case "steps":
      return open(`${view.base}/workers/${row.worker}/transcript`, "Last steps");
    case "pull":
      return open(`${view.base}/pulls/${row.pull}`, `Open #${row.pull}`);
    case "claim":
      return open(`${view.base}/claims/${row.claim}`, `Open n${row.claim}`);
    case "worker":
      return open(`${view.base}/workers/${row.worker}`, `Open ${name}`);
    case "feeds":
      return open("#feeds", "Open feeds");
    default:
      return copies(view, row);
  }
};

/** @param {View} view @param {"nudge" | "stop-worker"} name @param {string} text @param {Row} row */
const once = (view, name, text, row) => {
  const button = el("button.btn.btn-sm.act", { type: "button" }, text);
  button.addEventListener("click", () => act(view, name, button, { worker: String(row.worker) }));
  return button;
};

/** A press that ends a worker's work is asked for twice. @param {View} view @param {"stop-worker"} name @param {string} text @param {Row} row */
const twice = (view, name, text, row) => {
  const button = el("button.btn.btn-sm.act", { type: "button" }, text);
  button.addEventListener("click", () => {
    if (button.dataset.sure) act(view, name, button, { worker: String(row.worker) });
    else {
      button.dataset.sure = "1";
      button.textContent = "Really stop?";
    }
  });
  return button;
};

/** A link to the moment it began, for somebody who can see to it. @param {View} view @param {Row} row */
const copies = (view, row) => {
  const button = el("button.btn.btn-sm.act", { type: "button" }, "Copy link");
  button.addEventListener("click", async () => {
    const at = since(row.since, view.t0);
    const link = new URL(`${view.base}/replay${at === null ? "" : `?t=${at.toFixed(3)}`}`, location.href);
    try {
      await navigator.clipboard.writeText(link.href);
      button.textContent = "Copied";
    } catch {
      location.assign(link);
    }
  });
  return button;
};
