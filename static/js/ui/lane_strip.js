// @ts-check
/** The strip above the ledgers: a lane per worker, claims as spans, merges, withdrawals, failures and recoveries as marks. */

import { el, svg, said } from "../lib/dom.js";
import { clock, since } from "../lib/format_time.js";
import { MARKS } from "./words.js";

const [LEFT, LANE, TOP, MOST] = [64, 18, 22, 64];
const STEPS = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];

/** @param {HTMLElement} box @param {import("./words.js").View} view */
export const showLanes = (box, view) => {
  const workers = [...view.fold.rows("workers").values()].sort((a, b) => Number(a.worker) - Number(b.worker));
  if (!workers.length || view.t0 === null) return box.replaceChildren(el("p.soft", {}, "Lanes appear when the first worker joins."));
  const lanes = new Map(workers.slice(0, MOST).map((row, k) => [row.worker, k]));
  const now = (view.now() - view.t0) / 1000;
  const end = Math.max(view.live ? (view.duration ?? 0) : 0, now, 1);
  const width = Math.max(720, box.clientWidth);
  const x = (/** @type {number} */ at) => LEFT + ((width - LEFT - 16) * Math.max(0, Math.min(at, end))) / end;
  const y = (/** @type {number} */ lane) => TOP + lane * LANE;
  const height = TOP + lanes.size * LANE + 4;
  const drawn = svg("svg.chart.lanes", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": `A lane for each of ${lanes.size} workers; the ledgers below hold the same facts`,
  });
  const step = STEPS.find((each) => end / each <= 10) ?? 14400;
  for (let at = 0; at <= end; at += step)
    drawn.append(
      svg("line.grid", { x1: x(at), x2: x(at), y1: TOP - 6, y2: height }),
      svg("text", { x: x(at), y: 11, "text-anchor": at ? "middle" : "start" }, clock(at)),
    );
  for (const row of workers.slice(0, MOST)) {
    const lane = Number(lanes.get(row.worker));
    const joined = since(row.joined_at, view.t0);
    const gone = since(row.ended_at, view.t0) ?? now;
    const name = svg(`text.lab.s-${row.status}`, { x: LEFT - 10, y: y(lane) + 11, "text-anchor": "end" });
    name.append(said(row.name));
    drawn.append(name);
    if (joined !== null)
      drawn.append(svg("rect.lane", { x: x(joined), y: y(lane), width: Math.max(0, x(gone) - x(joined)), height: LANE - 4, rx: 1 }));
  }
  spans(drawn, view, lanes, x, y, now);
  marks(drawn, view, lanes, x, y);
  if (view.live)
    drawn.append(svg("line.now", { x1: x(now), x2: x(now), y1: TOP - 6, y2: height }), svg("text.lab", { x: x(now) + 4, y: 11 }, "now"));
  box.replaceChildren(drawn);
  if (workers.length > MOST)
    box.append(el("p.muted.sm", {}, `${MOST} of ${workers.length.toLocaleString("en")} lanes drawn; the replay has all of them.`));
};

/** @param {SVGElement} drawn @param {import("./words.js").View} view @param {Map<unknown, number>} lanes @param {(at: number) => number} x @param {(lane: number) => number} y @param {number} now */
const spans = (drawn, view, lanes, x, y, now) => {
  for (const row of view.fold.rows("claims").values()) {
    const lane = lanes.get(row.worker);
    const from = since(row.opened_at, view.t0);
    if (lane === undefined || from === null) continue;
    const to = since(row.closed_at, view.t0) ?? now;
    const wide = Math.max(2, x(to) - x(from));
    const link = svg("a", { href: `${view.base}/claims/${row.claim}` });
    link.append(svg(`rect.span.p-${row.status}`, { x: x(from), y: y(lane) + 1, width: wide, height: LANE - 6, rx: 1 }));
    const title = svg("title");
    title.append(said(`n${row.claim} ${row.status}: ${row.text}`));
    link.append(title);
    const room = Math.floor((wide - 8) / 6);
    if (room > 3) {
      const text = svg("text.spantext", { x: x(from) + 4, y: y(lane) + 10.5 });
      const words = String(row.text);
      text.append(said(words.length > room ? `${words.slice(0, room - 1)}…` : words));
      link.append(text);
    }
    drawn.append(link);
  }
};

/** @param {SVGElement} drawn @param {import("./words.js").View} view @param {Map<unknown, number>} lanes @param {(at: number) => number} x @param {(lane: number) => number} y */
const marks = (drawn, view, lanes, x, y) => {
  const mark = (
    /** @type {unknown} */ who,
    /** @type {unknown} */ iso,
    /** @type {string} */ kind,
    /** @type {string} */ href,
    /** @type {string} */ words,
  ) => {
    const lane = lanes.get(who);
    const at = since(iso, view.t0);
    if (lane === undefined || at === null) return;
    const [name, tone] = MARKS[kind] ?? ["note", "quiet"];
    const link = svg(
      "a",
      { href, "aria-label": words },
      svg(`use.mark.c-${tone}`, { href: `#g-${name}`, x: x(at) - 6, y: y(lane) + 1, width: 12, height: 12 }),
    );
    const title = svg("title");
    title.append(said(`${words}, ${clock(at)}`));
    link.append(title);
    drawn.append(link);
  };
  for (const row of view.fold.rows("pulls").values()) {
    const href = `${view.base}/pulls/${row.number}`;
    if (row.merged_at) mark(row.merged_by, row.merged_at, "merged", href, `#${row.number} merged`);
    else mark(row.author, row.opened_at, "open", href, `#${row.number} opened`);
  }
  for (const row of view.fold.rows("reviews").values()) {
    if (row.status === "withdrawn")
      mark(row.reviewer, row.withdrawn_at, "withdrawn", `${view.base}/pulls/${row.pull}`, `approval of #${row.pull} withdrawn`);
  }
  for (const row of view.fold.rows("claims").values()) {
    if (row.status === "failed" || row.status === "abandoned")
      mark(row.worker, row.closed_at, String(row.status), `${view.base}/claims/${row.claim}`, `n${row.claim} ${row.status}`);
  }
  for (const row of view.fold.rows("recoveries").values())
    mark(row.to_worker, row.taken_over_at, "recovered", `${view.base}/claims/${row.from_claim}`, `n${row.from_claim} taken over`);
};
