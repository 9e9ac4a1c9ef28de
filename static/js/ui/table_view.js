// @ts-check
/** The same data as the canvas, as a table: a row per worker at the cursor, and the marks around it. For screen readers and for reading. */

import { el, fill } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";

const NEAR_S = 60;
const NEAR = 200; // marks listed; more are counted

/**
 * @param {HTMLElement} box
 * @param {import("../tracks/roll.js").Row[]} workers
 * @param {import("../tracks/marks.js").Mark[]} marks
 * @param {number} t
 * @param {string} run
 * @param {number} of lanes there are, filtered or not
 */
export function showTable(box, workers, marks, t, run, of) {
  const rows = workers.map((row) =>
    el("tr", null, el("th", { scope: "row" }, el("a", { href: `/runs/${run}/workers/${row.worker}` }, row.name)),
      el("td", null, row.node), el("td", null, row.status), el("td", null, row.holds),
      el("td", { class: "num" }, row.steps.toLocaleString("en")), el("td", { class: "num" }, row.merges)));
  const near = marks.filter((mark) => Math.abs(mark.t - t) <= NEAR_S);
  const shown = near.slice(0, NEAR).map((mark) =>
    el("tr", null, el("th", { scope: "row" }, clock(mark.t)), el("td", null, `w${String(mark.worker).padStart(4, "0")}`), el("td", null, mark.kind), el("td", null, mark.label)));
  const all = workers.length === of ? `${of.toLocaleString("en")} workers` : `${workers.length.toLocaleString("en")} of ${of.toLocaleString("en")} workers, as filtered,`;
  fill(
    box,
    table(`${all} at ${clock(t)}`, ["Worker", "Node", "Status", "Holds", "Steps", "Merges"], rows),
    near.length
      ? table(`Within a minute of the cursor: ${shown.length.toLocaleString("en")} of ${near.length.toLocaleString("en")} marks`, ["At", "Worker", "Kind", "What"], shown)
      : el("p", { class: "soft" }, "Nothing is marked within a minute of the cursor."),
  );
}

/** @param {string} title @param {string[]} heads @param {Node[]} rows */
function table(title, heads, rows) {
  return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": title },
    el("table", null, el("caption", null, title), el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", null, rows)));
}
