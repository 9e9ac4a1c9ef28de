// @ts-check
/** The lean State (`/state?lean=true`): rows as columns, so that a run of 1,024 workers opens in megabytes, not in tens of them. */

import { KEY_COLUMNS } from "./fold.js";

/** @typedef {import("./fold.js").Tables} Tables */
/** @typedef {{ generation: number, c: number, n: number, t0: number | null, settled: boolean, counts: Record<string, number>,
 *   tables: Record<string, { columns: string[], rows: any[][] }> }} Lean */

/**
 * @param {Lean} lean
 * @returns {Tables} as a fold has them
 */
export function tablesOf({ tables }) {
  return new Map(
    Object.entries(tables).map(([name, { columns, rows }]) => {
      const key = columns.indexOf(KEY_COLUMNS[name]);
      return [name, new Map(rows.map((values) => [values[key], Object.fromEntries(columns.map((column, k) => [column, values[k]]))]))];
    }),
  );
}
