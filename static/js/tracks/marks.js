// @ts-check
/** Moments that mean something, from the State's tables: merges, withdrawals, failures, recoveries, roles. Pure. */

import { since } from "../lib/format_time.js";
import { rowsOf } from "./tables.js";

/**
 * @typedef {{ id: string, kind: string, t: number, worker: number, table: string, key: string | number, label: string }} Mark
 */

/** @typedef {{ from: { t: number, worker: number }, to: { t: number, worker: number } }} TakeOver */

/** Every kind of mark: glyph, tone, word. The order is the order of drawing: the rarest last, on top. */
export const MARK_KINDS = {
  note: { glyph: "note", tone: "quiet", word: "note", on: false },
  message: { glyph: "message", tone: "quiet", word: "message", on: false },
  pull: { glyph: "pull", tone: "active", word: "pull", on: true },
  review: { glyph: "approved", tone: "good", word: "review", on: false },
  merge: { glyph: "merged", tone: "good", word: "merge", on: true },
  failure: { glyph: "dead", tone: "bad", word: "failure", on: true },
  recovery: { glyph: "recovered", tone: "good", word: "recovery", on: true },
  withdrawn: { glyph: "withdrawn", tone: "odd", word: "withdrawn", on: true },
  reviewer: { glyph: "reviewer", tone: "good", word: "reviewer", on: true },
  integrator: { glyph: "integrator", tone: "good", word: "integrator", on: true },
};

/** Kinds that come from the State; the others are rows of the timeline. */
export const MEANT = ["merge", "failure", "recovery", "withdrawn", "reviewer", "integrator"];

/**
 * @param {any} tables `/state`'s tables
 * @param {number} zero
 * @returns {Mark[]} in order of time
 */
export function meaningMarks(tables, zero) {
  /** @type {Mark[]} */
  const marks = [];
  const add = (/** @type {string} */ kind, /** @type {unknown} */ iso, /** @type {unknown} */ worker, /** @type {string} */ table, /** @type {any} */ key, /** @type {string} */ label) => {
    const t = since(iso, zero);
    if (t !== null && typeof worker === "number") marks.push({ id: `${kind}:${key}`, kind, t, worker, table, key, label });
  };
  for (const row of rowsOf(tables, "pulls")) {
    const merger = typeof row.merged_by === "number" ? row.merged_by : row.author;
    add("merge", row.merged_at, merger, "pulls", row.number, `#${row.number} merged: ${row.title}`);
  }
  for (const row of rowsOf(tables, "reviews")) {
    const taken = row.verdict === "approved" && (row.status === "withdrawn" || row.status === "dismissed");
    if (taken) add("withdrawn", row.withdrawn_at, row.reviewer, "reviews", row.review, `Approval of #${row.pull} withdrawn`);
  }
  for (const row of rowsOf(tables, "recoveries")) {
    add("failure", row.lost_at, row.from_worker, "recoveries", row.recovery ?? row.from_claim, `Claim n${row.from_claim} lost: ${row.cause}`);
    add("recovery", row.taken_over_at, row.to_worker, "recoveries", row.recovery ?? row.from_claim, `Claim n${row.from_claim} taken over`);
  }
  for (const row of rowsOf(tables, "workers")) {
    if (row.status === "dead") add("failure", row.ended_at ?? row.last_seen_at, row.worker, "workers", row.worker, `Worker died: ${row.end_reason ?? "unknown"}`);
  }
  for (const row of rowsOf(tables, "roles")) {
    if (row.role === "integrator" || row.role === "reviewer") add(row.role, row.since, row.worker, "roles", row.span, `Becomes ${row.role}`);
  }
  return marks.sort((a, b) => a.t - b.t);
}

/**
 * Marks of each kind, each list in order of time.
 * @param {Mark[]} marks in order of time
 * @returns {Map<string, Mark[]>}
 */
export function byKind(marks) {
  /** @type {Map<string, Mark[]>} */
  const found = new Map();
  for (const mark of marks) {
    const own = found.get(mark.kind);
    if (own) own.push(mark);
    else found.set(mark.kind, [mark]);
  }
  return found;
}

/**
 * Lost work and who took it over.
 * @param {any} tables
 * @param {number} zero
 * @returns {TakeOver[]}
 */
export function takeOvers(tables, zero) {
  return rowsOf(tables, "recoveries").flatMap((row) => {
    const [lost, taken] = [since(row.lost_at, zero), since(row.taken_over_at, zero)];
    if (lost === null || taken === null || typeof row.from_worker !== "number" || typeof row.to_worker !== "number") return [];
    return [{ from: { t: lost, worker: row.from_worker }, to: { t: taken, worker: row.to_worker } }];
  });
}

/**
 * A row of the timeline as a mark: notes, messages, pulls, reviews.
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {number} i
 * @param {string} kind
 * @returns {Mark}
 */
export function rowMark(rows, i, kind) {
  const word = MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (kind)]?.word ?? kind;
  const label = `${word[0].toUpperCase()}${word.slice(1)}, event ${rows.n[i]}`;
  return { id: `n:${rows.n[i]}`, kind, t: rows.time[i] / 1000, worker: rows.worker[i], table: "events", key: rows.n[i], label };
}

const SAME = 5e-4; // seconds within which two marks are of one moment: times are whole milliseconds

/**
 * The next mark after a second (by 1), or the last one before it (by -1), of the kinds asked for. Marks of one moment are stepped through one by one
 * from `at`, the mark that is selected there: a node that dies takes sixty workers with it in the same millisecond.
 * @param {Mark[]} marks in order of time
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {Set<string>} kinds
 * @param {number} t
 * @param {number} by
 * @param {number | null} [worker] whose alone
 * @param {Mark | null} [at]
 * @returns {Mark | null}
 */
export function neighbour(marks, rows, kinds, t, by, worker = null, at = null) {
  const own = (/** @type {Mark} */ mark) => kinds.has(mark.kind) && (worker === null || mark.worker === worker);
  if (at && Math.abs(at.t - t) <= SAME) {
    const here = ofMoment(marks, rows, kinds, at.t, worker).filter(own);
    const place = here.findIndex(({ id }) => id === at.id);
    const beside = here[place < 0 ? (by > 0 ? 0 : here.length - 1) : place + by];
    if (beside) return beside;
  }
  const ahead = (by > 0 ? marks.find((one) => own(one) && one.t > t + SAME) : marks.findLast((one) => own(one) && one.t < t - SAME)) ?? null;
  let near = ahead?.t ?? null;
  for (const kind of kinds) {
    if (MEANT.includes(kind)) continue;
    const places = rows.ofKind(kind);
    let k = by > 0 ? rows.fromOf(places, (t + SAME) * 1000) : rows.fromOf(places, (t - SAME) * 1000) - 1;
    while (worker !== null && k >= 0 && k < places.length && rows.worker[places[k]] !== worker) k += by;
    if (k < 0 || k >= places.length) continue;
    const found = rows.time[places[k]] / 1000;
    if (near === null || (found - near) * by < 0) near = found;
  }
  if (near === null) return null;
  // Its first from the side one comes from, so that going back passes the same marks.
  return ofMoment(marks, rows, kinds, near, worker).filter(own).at(by > 0 ? 0 : -1) ?? null;
}

/** Every mark of one moment: what is meant first, then the rows in their own order. @param {Mark[]} marks @param {import("../trajectory/timeline_rows.js").TimelineRows} rows @param {Set<string>} kinds @param {number} t @param {number | null} worker */
function ofMoment(marks, rows, kinds, t, worker) {
  const meant = marks.filter((one) => Math.abs(one.t - t) <= SAME);
  /** @type {[number, string][]} */
  const found = [];
  for (const kind of kinds) {
    if (MEANT.includes(kind)) continue;
    const places = rows.ofKind(kind);
    for (let k = rows.fromOf(places, (t - SAME) * 1000); k < places.length && rows.time[places[k]] <= (t + SAME) * 1000; k++)
      if (worker === null || rows.worker[places[k]] === worker) found.push([places[k], kind]);
  }
  return [...meant, ...found.sort(([a], [b]) => a - b).map(([i, kind]) => rowMark(rows, i, kind))];
}

/**
 * The mark a link names.
 * @param {Mark[]} marks
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {string | null} id
 * @returns {Mark | null}
 */
export function markOf(marks, rows, id) {
  if (!id) return null;
  if (!/^n:\d+$/.test(id)) return marks.find((mark) => mark.id === id) ?? null;
  const i = rows.n.indexOf(Number(id.slice(2)));
  const kind = i < 0 ? undefined : rows.kinds[rows.kind[i]];
  return kind !== undefined && !MEANT.includes(kind) ? rowMark(rows, i, kind) : null;
}
