// @ts-check
/** Claims as spans: who held what, from when to when, and how it ended. Pure: rows of the State in, spans out. */

import { since } from "../lib/format_time.js";

/** @typedef {{ key: string, worker: number, start: number, end: number, outcome: string, status: string, label: string }} Span */

/** What a status looks like: full, dark end cap, thin, live end cap. */
export const OUTCOMES = {
  landed: "landed",
  recovered: "failed",
  failed: "failed",
  abandoned: "failed",
  released: "idle",
  superseded: "idle",
  expired: "idle",
  live: "live",
};

const LEADING = /^\W*((claim(ing|ed|s)?|taking over|tak(e|ing)|picking up|i will|working on)\b[\s:,-]*)+/i;

/**
 * @param {Iterable<any>} rows of table `claims`
 * @param {number} zero
 * @param {number} until seconds; where a live claim is cut
 * @returns {Span[]}
 */
export function claimSpans(rows, zero, until) {
  const spans = [];
  for (const row of rows) {
    const start = since(row.opened_at, zero);
    if (start === null || row.worker === null) continue;
    const end = since(row.held_until, zero) ?? until;
    const later = row.status === "landed" && row.held_until !== row.closed_at; // it was lost before its pull landed after all
    const outcome = later ? "failed" : (OUTCOMES[/** @type {keyof typeof OUTCOMES} */ (row.status)] ?? "idle");
    const label = String(row.text ?? "").replace(LEADING, "");
    spans.push({ key: String(row.claim), worker: row.worker, start, end: Math.max(end, start), outcome, status: String(row.status), label });
  }
  return spans.sort((a, b) => a.start - b.start);
}
