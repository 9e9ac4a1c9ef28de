// @ts-check
/** Every worker at one moment, as a table: the same as the lanes show, for those who do not see them. Pure. */

/** @typedef {{ worker: number, name: string, node: string, status: string, holds: string, steps: number, merges: number }} Row */

/**
 * @param {import("./lanes.js").Lane[]} lanes
 * @param {(worker: number) => import("./claims.js").Span[]} spansOf
 * @param {import("../trajectory/timeline_rows.js").TimelineRows | null} rows
 * @param {import("./marks.js").Mark[]} merges marks of merges, in order of time
 * @param {(worker: number) => string | null} statusOf at the moment; null = unknown
 * @param {number} t seconds
 * @returns {Row[]}
 */
export function roll(lanes, spansOf, rows, merges, statusOf, t) {
  const steps = new Map();
  if (rows) {
    for (const i of rows.ofKind("step")) {
      if (rows.time[i] > t * 1000) break;
      steps.set(rows.worker[i], (steps.get(rows.worker[i]) ?? 0) + 1);
    }
  }
  const merged = new Map();
  for (const mark of merges) {
    if (mark.t > t) break;
    merged.set(mark.worker, (merged.get(mark.worker) ?? 0) + 1);
  }
  return [...lanes].sort((a, b) => a.worker - b.worker).map(({ worker, name, node }) => {
    const span = spansOf(worker).findLast((one) => one.start <= t && one.end > t);
    return { worker, name, node, status: statusOf(worker) ?? "unknown", holds: span?.label ?? "nothing", steps: steps.get(worker) ?? 0, merges: merged.get(worker) ?? 0 };
  });
}
