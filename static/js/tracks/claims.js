// @ts-check
/** Claims as spans: who held what, from when to when, and how it ended. Pure: rows of the State in, spans out. */

import { since } from "../lib/format_time.js";

/** @typedef {{ key: string, worker: number, start: number, end: number, outcome: string, status: string, label: string }} Span */

/** What a status looks like: full, dark end cap, thin, live end cap. */
export const OUTCOMES = {
  landed: "landed",
  recovered: "landed",
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
 * @param {Iterable<any>} [recoveries] a claim that a peer took over ends where it was lost
 * @returns {Span[]}
 */
export function claimSpans(rows, zero, until, recoveries = []) {
  const lost = new Map([...recoveries].map((row) => [String(row.from_claim), since(row.lost_at, zero)]));
  const spans = [];
  for (const row of rows) {
    const start = since(row.opened_at, zero);
    if (start === null || row.worker === null) continue;
    const gone = row.status === "recovered" ? lost.get(String(row.claim)) : null;
    const end = gone ?? since(row.closed_at, zero) ?? until;
    const outcome = gone ? "failed" : (OUTCOMES[/** @type {keyof typeof OUTCOMES} */ (row.status)] ?? "idle");
    const label = String(row.text ?? "").replace(LEADING, "");
    spans.push({ key: String(row.claim), worker: row.worker, start, end: Math.max(end, start), outcome, status: String(row.status), label });
  }
  return spans.sort((a, b) => a.start - b.start);
}
