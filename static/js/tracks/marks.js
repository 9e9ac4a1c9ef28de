// @ts-check
/** Moments that mean something, from the State's tables: merges, withdrawals, failures, recoveries, roles. Pure. */

import { since } from "../lib/format_time.js";

/**
 * @typedef {{ id: string, kind: string, t: number, worker: number, table: string, key: string | number, label: string }} Mark
 */

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
  for (const row of Object.values(tables.pulls ?? {})) {
    const merger = typeof row.merged_by === "number" ? row.merged_by : row.author;
    add("merge", row.merged_at, merger, "pulls", row.number, `#${row.number} merged: ${row.title}`);
  }
  for (const row of Object.values(tables.reviews ?? {})) {
    const taken = row.verdict === "approved" && (row.status === "withdrawn" || row.status === "dismissed");
    if (taken) add("withdrawn", row.withdrawn_at, row.reviewer, "reviews", row.review, `Approval of #${row.pull} withdrawn`);
  }
  for (const row of Object.values(tables.recoveries ?? {})) {
    add("failure", row.lost_at, row.from_worker, "recoveries", row.recovery ?? row.from_claim, `Claim n${row.from_claim} lost: ${row.cause}`);
    add("recovery", row.taken_over_at, row.to_worker, "recoveries", row.recovery ?? row.from_claim, `Claim n${row.from_claim} taken over`);
  }
  for (const row of Object.values(tables.workers ?? {})) {
    if (row.status === "dead") add("failure", row.ended_at ?? row.last_seen_at, row.worker, "workers", row.worker, `Worker died: ${row.end_reason ?? "unknown"}`);
  }
  for (const row of Object.values(tables.roles ?? {})) {
    if (row.role === "integrator" || row.role === "reviewer") add(row.role, row.since, row.worker, "roles", row.span, `Becomes ${row.role}`);
  }
  return marks.sort((a, b) => a.t - b.t);
}
