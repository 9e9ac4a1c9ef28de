// @ts-check
/** How many workers were at work in each part of a run: the area of the scrubber. Pure. */

export const BINS = 360;

/**
 * Workers with a turn or a step in each of BINS equal parts.
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {number} end seconds
 * @returns {number[]}
 */
export function activity(rows, end) {
  const kinds = new Set([rows.kindOf("turn"), rows.kindOf("step")]);
  const wide = rows.worker.reduce((most, worker) => Math.max(most, worker), 0) + 1;
  const seen = new Uint8Array(BINS * wide); // one byte a worker and part: no object for a million rows
  const counts = new Array(BINS).fill(0);
  const bin = (/** @type {number} */ ms) => Math.min(BINS - 1, Math.max(0, Math.floor((ms / 1000 / end) * BINS)));
  for (let i = 0; i < rows.rows; i++) {
    if (!kinds.has(rows.kind[i])) continue;
    const last = bin(rows.time[i] + rows.duration[i]);
    for (let k = bin(rows.time[i]); k <= last; k++) {
      const place = k * wide + rows.worker[i];
      if (seen[place]) continue;
      seen[place] = 1;
      counts[k] += 1;
    }
  }
  return counts;
}
