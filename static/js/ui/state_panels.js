// @ts-check
/** The State at the cursor: workers by status, claims, pulls, roles, recoveries, score. With a second moment: what changed since it. */

import { el, fill, glyph, said } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { total } from "../tracks/figures.js";

/** @typedef {import("../tracks/figures.js").Figures} Figures */
/** @typedef {[string, string, string]} Look status, glyph, tone */

/** @type {Look[]} */
const WORKER_LOOKS = [
  ["working", "working", "active"], ["waiting", "waiting", "quiet"], ["idle", "idle", "quiet"], ["ended", "ended", "quiet"],
  ["nudged", "nudged", "warn"], ["stalled", "stalled", "odd"], ["dead", "dead", "bad"],
];
/** @type {Look[]} */
const CLAIM_LOOKS = [
  ["live", "working", "active"], ["landed", "merged", "good"], ["recovered", "recovered", "good"], ["failed", "dead", "bad"],
  ["abandoned", "abandoned", "bad"], ["expired", "expired", "warn"], ["released", "released", "quiet"], ["superseded", "superseded", "quiet"],
];
/** @type {Look[]} */
const PULL_LOOKS = [["open", "pull", "active"], ["merged", "merged", "good"], ["closed", "closed", "quiet"], ["conflict", "conflict", "bad"], ["withdrawn", "withdrawn", "odd"]];
/** @type {Look[]} */
const RECOVERY_LOOKS = [["open", "pull", "warn"], ["taken_over", "superseded", "active"], ["landed", "merged", "good"]];
const ROLES = 5; // holders named; the rest are counted
const NAMED = 8; // lost workers named

/**
 * @param {HTMLElement} box
 * @param {Figures} figures
 * @param {number} t
 * @param {string} run slug
 * @param {{ t: number, figures: Figures } | null} [before] the moment to compare with
 */
export function showState(box, figures, t, run, before = null) {
  const was = before?.figures ?? null;
  fill(
    box,
    before && el("p", { class: "compared" }, el("b", null, "A"), ` ${clock(before.t)} compared with ${clock(t)}: figures of the cursor, and how much more or less than at A`),
    workersPanel(figures, t, run, was),
    panel("Claims", total(figures.claims), bars(CLAIM_LOOKS, figures.claims, was?.claims), was && total(was.claims)),
    panel("Pulls", total(figures.pulls), bars(PULL_LOOKS, figures.pulls, was?.pulls), was && total(was.pulls)),
    rolesPanel(figures, run, was),
    panel("Recoveries", total(figures.recoveries), bars(RECOVERY_LOOKS, figures.recoveries, was?.recoveries), was && total(was.recoveries)),
    scorePanel(figures.score, was?.score),
  );
}

/** @param {Figures} figures @param {number} t @param {string} run @param {Figures | null} was */
function workersPanel({ workers: { counts, lost, nodes } }, t, run, was) {
  const all = total(counts);
  const present = WORKER_LOOKS.filter(([status]) => counts[status]);
  const strip = present.map(([status, shape, tone]) => {
    const share = counts[status] / Math.max(1, all);
    return el("span", { class: `sg-${tone}`, "--n": counts[status] }, share > 0.07 && glyph(shape, tone), share > 0.1 && counts[status].toLocaleString("en"));
  });
  const words = WORKER_LOOKS.filter(([status]) => counts[status] || was?.workers.counts[status]).map(([status]) => [`${(counts[status] ?? 0).toLocaleString("en")} ${status}`, more(counts[status], was?.workers.counts[status], was)]);
  return el(
    "div",
    { class: "wide" },
    el("h3", null, "Workers ", el("span", { class: "muted" }, `${all.toLocaleString("en")} at ${clock(t)}`)),
    el("div", { class: "census mid", role: "img", "aria-label": words.map(([word]) => word).join(", ") || "no workers yet" }, strip),
    el("div", { class: "legend" }, words.map((word) => el("span", null, word)), lost.length > 0 && lost.length <= NAMED && lost.map((row) =>
      el("span", { class: "lost" }, glyph(row.status, row.status === "dead" ? "bad" : "odd"), " ", el("a", { href: `/runs/${run}/workers/${row.worker}` }, said(row.name))))),
    nodes.length > 1 && nodes.length <= 64 && nodeStrip(nodes),
  );
}

/** Working workers by node; a node whose every worker is lost is a cross, never an empty cell. @param {Figures["workers"]["nodes"]} nodes */
function nodeStrip(nodes) {
  const most = Math.max(1, ...nodes.map(({ of }) => of));
  const label = `Working by node: ${nodes.map(({ name, working, lost, of }) => `${name} ${working} of ${of}${lost ? `, ${lost} lost` : ""}`).join("; ")}`;
  return el("div", { class: "nodes", role: "img", "aria-label": label, "--n": Math.min(16, nodes.length) }, nodes.map(({ name, working, lost, of }) =>
    el("div", { class: lost === of ? "lostnode" : null, title: `${name}: ${working} of ${of} work${lost ? `, ${lost} lost` : ""}` },
      el("span", { class: "h" }, lost === of ? glyph("dead", "bad") : el("i", { "--v": Math.round((100 * working) / most) })), name.match(/\d+$/)?.[0] ?? name.slice(0, 3))));
}

/** @param {Figures} figures @param {string} run @param {Figures | null} was */
function rolesPanel({ roles }, run, was) {
  const count = was && was.roles.length;
  if (!roles.length) return panel("Roles now", 0, el("p", { class: "sub" }, "nobody holds one"), count);
  const list = roles.slice(0, ROLES).map((row) =>
    el("li", null, el("span", { class: "l" }, el("span", { class: "st" }, glyph(row.role, "good"), el("a", { href: `/runs/${run}/workers/${row.worker}` }, said(row.name)))),
      el("span", { class: "muted" }, row.role), el("span", { class: "num" }, row.share)));
  return panel("Roles now", roles.length, el("ul", { class: "bars roles" }, list, roles.length > ROLES && el("li", { class: "muted" }, `${ROLES} of ${roles.length} named`)), count);
}

/** @param {Figures["score"]} last @param {Figures["score"] | undefined} was */
function scorePanel(last, was) {
  if (!last) return panel("Score", null, el("p", { class: "sub" }, "none yet"));
  const points = was ? (last.rate_ppm - was.rate_ppm) / 10_000 : 0;
  return el("div", null, el("h3", null, "Score ", el("span", { class: "muted" }, clock(last.at_s))),
    el("span", { class: "big" }, `${(last.rate_ppm / 10_000).toFixed(1)} %`), el("p", { class: "sub" }, `${Number(last.passed).toLocaleString("en")} of ${Number(last.total).toLocaleString("en")} tests`),
    was && el("p", { class: "sub" }, `${points >= 0 ? "+" : ""}${points.toFixed(1)} points since A`));
}

/** @param {string} title @param {number | null} count @param {Node} body @param {number | null} [was] */
function panel(title, count, body, was = null) {
  return el("div", null, el("h3", null, `${title} `, count !== null && el("span", { class: "muted" }, count.toLocaleString("en")), count !== null && was !== null && more(count, was, true)), body);
}

/** @param {Look[]} looks @param {Record<string, number>} counts @param {Record<string, number>} [was] */
function bars(looks, counts, was) {
  const most = Math.max(1, ...looks.map(([status]) => counts[status] ?? 0));
  const shown = looks.filter(([status]) => counts[status] || was?.[status]);
  if (!shown.length) return el("p", { class: "sub" }, "none yet");
  return el("ul", { class: "bars" }, shown.map(([status, shape, tone]) =>
    el("li", null, el("span", { class: "l" }, el("span", { class: "st" }, glyph(shape, tone), status.replaceAll("_", " "))),
      el("span", { class: "bar" }, el("i", { class: `b-${tone}`, "--v": Math.round((100 * (counts[status] ?? 0)) / most) })),
      el("span", { class: "num" }, (counts[status] ?? 0).toLocaleString("en"), more(counts[status], was?.[status], was)))));
}

/** `+12`, `-3`, `=`; nothing where nothing is compared. @param {number | undefined} now @param {number | undefined} was @param {unknown} compared */
function more(now, was, compared) {
  if (!compared) return null;
  const by = (now ?? 0) - (was ?? 0);
  return el("span", { class: "delta" }, by > 0 ? ` +${by.toLocaleString("en")}` : by < 0 ? ` −${(-by).toLocaleString("en")}` : " =");
}
