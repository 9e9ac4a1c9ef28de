// @ts-check
/** Rows of a table, from a fold's maps or from the objects of `/state`. Pure. */

/**
 * @param {any} tables
 * @param {string} name
 * @returns {any[]}
 */
export function rowsOf(tables, name) {
  const rows = tables instanceof Map ? tables.get(name) : tables[name];
  return rows instanceof Map ? [...rows.values()] : Object.values(rows ?? {});
}
