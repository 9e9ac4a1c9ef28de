// @ts-check
/** The State at the cursor: workers by status, claims, pulls, roles, recoveries, score. Bars are scaled to their own table. */

import { el, fill, glyph } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { rowsOf } from "../tracks/tables.js";

/** @typedef {any} Tables a fold's maps or the objects of `/state` */

/** @type {[string, string, string][]} status, glyph, tone */
export const WORKER_LOOKS = [
  ["working", "working", "active"], ["waiting", "waiting", "quiet"], ["idle", "idle", "quiet"], ["ended", "ended", "quiet"],
  ["nudged", "nudged", "warn"], ["stalled", "stalled", "odd"], ["dead", "dead", "bad"],
];
/** @type {[string, string, string][]} */
const CLAIM_LOOKS = [
  ["live", "working", "active"], ["landed", "merged", "good"], ["recovered", "recovered", "good"], ["failed", "dead", "bad"],
  ["abandoned", "abandoned", "bad"], ["expired", "expired", "warn"], ["released", "released", "quiet"], ["superseded", "superseded", "quiet"],
];
/** @type {[string, string, string][]} */
const PULL_LOOKS = [["open", "pull", "active"], ["merged", "merged", "good"], ["closed", "closed", "quiet"]];
/** @type {[string, string, string][]} */
const RECOVERY_LOOKS = [["open", "pull", "warn"], ["taken_over", "superseded", "active"], ["landed", "merged", "good"]];

/**
 * @param {HTMLElement} box
 * @param {Tables} tables
 * @param {number} t
 * @param {string} run slug
 */
export function showState(box, tables, t, run) {
  const rows = (/** @type {string} */ name) => rowsOf(tables, name);
  const claims = rows("claims");
  const pulls = rows("pulls");
  const withdrawn = rows("reviews").filter((row) => row.verdict === "approved" && ["withdrawn", "dismissed"].includes(String(row.status))).length;
  fill(
    box,
    workersPanel(rows("workers"), t, run),
    panel("Claims", claims.length, bars(CLAIM_LOOKS, tally(claims, "status"))),
    panel("Pulls", pulls.length, bars([...PULL_LOOKS, ["conflict", "conflict", "bad"], ["withdrawn", "withdrawn", "odd"]], {
      ...tally(pulls, "status"),
      conflict: pulls.filter((row) => row.status === "open" && row.conflict === "true").length,
      withdrawn,
    })),
    rolesPanel(rows("roles"), run),
    panel("Recoveries", rows("recoveries").length, bars(RECOVERY_LOOKS, tally(rows("recoveries"), "status"))),
    scorePanel(rows("checkpoints")),
  );
}

/** @param {any[]} workers @param {number} t @param {string} run */
function workersPanel(workers, t, run) {
  const counts = tally(workers, "status");
  const present = WORKER_LOOKS.filter(([status]) => counts[status]);
  const strip = present.map(([status, shape, tone]) => {
    const share = counts[status] / Math.max(1, workers.length);
    return el("span", { class: `sg-${tone}`, "--n": counts[status] }, share > 0.07 && glyph(shape, tone), share > 0.1 && counts[status].toLocaleString("en"));
  });
  const words = present.map(([status]) => `${counts[status].toLocaleString("en")} ${status}`);
  const lost = workers.filter((row) => row.status === "dead" || row.status === "stalled");
  return el(
    "div",
    { class: "wide" },
    el("h3", null, "Workers ", el("span", { class: "muted" }, `${workers.length.toLocaleString("en")} at ${clock(t)}`)),
    el("div", { class: "census mid", role: "img", "aria-label": words.join(", ") || "no workers yet" }, strip),
    el("div", { class: "legend" }, words.map((word) => el("span", null, word)), lost.length > 0 && lost.length <= 8 && lost.map((row) =>
      el("span", { class: "lost" }, glyph(row.status, row.status === "dead" ? "bad" : "odd"), " ", el("a", { href: `/runs/${run}/workers/${row.worker}` }, row.name ?? `w${row.worker}`)))),
  );
}

/** @param {any[]} roles @param {string} run */
function rolesPanel(roles, run) {
  const order = (/** @type {any} */ row) => (row.role === "integrator" ? -2_000_000 : 0) - (row.share_ppm ?? 0);
  const now = roles.filter((row) => row.until === null && row.role !== "implementer").sort((a, b) => order(a) - order(b) || a.worker - b.worker);
  const list = now.slice(0, 5).map((row) =>
    el("li", null, el("span", { class: "l" }, el("span", { class: "st" }, glyph(row.role, "good"), el("a", { href: `/runs/${run}/workers/${row.worker}` }, `w${String(row.worker).padStart(4, "0")}`))),
      el("span", { class: "muted" }, row.role), el("span", { class: "num" }, row.share_ppm === null ? "" : `${(row.share_ppm / 10_000).toFixed(0)} %`)));
  if (!now.length) return panel("Roles now", 0, el("p", { class: "sub" }, "nobody holds one"));
  return panel("Roles now", now.length, el("ul", { class: "bars roles" }, list, now.length > 5 && el("li", { class: "muted" }, `${now.length - 5} more`)));
}

/** @param {any[]} checkpoints */
function scorePanel(checkpoints) {
  const scored = checkpoints.filter((row) => row.rate_ppm !== null).sort((a, b) => a.at_s - b.at_s);
  const last = scored[scored.length - 1];
  if (!last) return panel("Score", null, el("p", { class: "sub" }, "none yet"));
  return el("div", null, el("h3", null, "Score ", el("span", { class: "muted" }, clock(last.at_s))),
    el("span", { class: "big" }, `${(last.rate_ppm / 10_000).toFixed(1)} %`), el("p", { class: "sub" }, `${Number(last.passed).toLocaleString("en")} of ${Number(last.total).toLocaleString("en")} tests`));
}

/** @param {string} title @param {number | null} count @param {Node} body */
function panel(title, count, body) {
  return el("div", null, el("h3", null, `${title} `, count !== null && el("span", { class: "muted" }, count.toLocaleString("en"))), body);
}

/** @param {[string, string, string][]} looks @param {Record<string, number>} counts */
function bars(looks, counts) {
  const most = Math.max(1, ...looks.map(([status]) => counts[status] ?? 0));
  if (!looks.some(([status]) => counts[status])) return el("p", { class: "sub" }, "none yet");
  return el("ul", { class: "bars" }, looks.filter(([status]) => counts[status]).map(([status, shape, tone]) =>
    el("li", null, el("span", { class: "l" }, el("span", { class: "st" }, glyph(shape, tone), status.replaceAll("_", " "))),
      el("span", { class: "bar" }, el("i", { class: `b-${tone}`, "--v": Math.round((100 * counts[status]) / most) })),
      el("span", { class: "num" }, counts[status].toLocaleString("en")))));
}

/** @param {any[]} rows @param {string} field @returns {Record<string, number>} */
function tally(rows, field) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const row of rows) counts[row[field]] = (counts[row[field]] ?? 0) + 1;
  return counts;
}
