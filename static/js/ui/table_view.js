// @ts-check
/** The same data as the canvas, as a table: a row per worker at the cursor, and the marks around it. For screen readers and for reading. */

import { el, fill } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { rowsOf } from "../tracks/tables.js";

const MOST = 1100;

/**
 * @param {HTMLElement} box
 * @param {import("../trajectory/fold.js").Tables} tables
 * @param {import("../tracks/marks.js").Mark[]} marks
 * @param {number} t
 * @param {string} run
 */
export function showTable(box, tables, marks, t, run) {
  const claims = new Map(rowsOf(tables, "claims").map((row) => [row.claim, row]));
  const workers = rowsOf(tables, "workers").sort((a, b) => Number(a.worker) - Number(b.worker));
  const rows = workers.slice(0, MOST).map((row) => {
    const claim = claims.get(/** @type {any} */ (row.current_claim));
    return el("tr", null, el("th", { scope: "row" }, el("a", { href: `/runs/${run}/workers/${row.worker}` }, row.name ?? row.worker)),
      el("td", null, row.node ?? "unknown"), el("td", null, row.status), el("td", null, claim ? claim.text : "nothing"),
      el("td", { class: "num" }, row.steps), el("td", { class: "num" }, Number(row.merges_own) + Number(row.merges_others)));
  });
  const near = marks.filter((mark) => Math.abs(mark.t - t) <= 60).slice(0, 60).map((mark) =>
    el("tr", null, el("th", { scope: "row" }, clock(mark.t)), el("td", null, `w${String(mark.worker).padStart(4, "0")}`), el("td", null, mark.kind), el("td", null, mark.label)));
  fill(
    box,
    table(`Workers at ${clock(t)}`, ["Worker", "Node", "Status", "Holds", "Steps", "Merges"], rows),
    workers.length > MOST && el("p", { class: "muted" }, `${workers.length - MOST} more workers; the API has all of them.`),
    near.length ? table("Within a minute of the cursor", ["At", "Worker", "Kind", "What"], near) : el("p", { class: "soft" }, "Nothing is marked within a minute of the cursor."),
  );
}

/** @param {string} title @param {string[]} heads @param {Node[]} rows */
function table(title, heads, rows) {
  return el("div", { class: "scroll-x", tabindex: "0", role: "region", "aria-label": title },
    el("table", null, el("caption", null, title), el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", null, rows)));
}
