// @ts-check
/**
 * The State in the browser: change records folded into tables. It knows no topic.
 *
 * A record is `[c, at, ref, op, table, key, fields]`; op is `put` (set these fields), `drop` or `reset`.
 * Live and replay fold the same records, so equal records give equal tables and an equal hash.
 */

/** @typedef {number | string} Key */
/** @typedef {Record<string, unknown>} Row */
/** @typedef {Map<string, Map<Key, Row>>} Tables */
/** @typedef {[number, number | string, string, string, string, Key, Row]} Change */

/**
 * Which column holds a row's key; a table that is not listed keeps the keys of its object as strings.
 * @type {Record<string, string>}
 */
export const KEY_COLUMNS = {
  workers: "worker", nodes: "node", services: "service", notes: "note", claims: "claim", pulls: "number",
  branches: "branch", reviews: "review", roles: "span", trust: "pair", recoveries: "recovery", behaviours: "name",
  overlaps: "overlap", handovers: "pull", waste: "ordinal", attention: "item", checkpoints: "checkpoint",
};

/** A fold: tables, and `c`, the number of the last record taken. */
export class Fold {
  constructor() {
    /** @type {Tables} */
    this.tables = new Map();
    this.c = 0;
  }

  /**
   * Start from a State as `/state` or a keyframe gives it: `{table: {key as string: row}}`, up to record `c`.
   * @param {Record<string, Record<string, Row>>} tables
   * @param {number} c
   */
  load(tables, c = 0) {
    this.tables = new Map();
    for (const [table, rows] of Object.entries(tables)) {
      const column = KEY_COLUMNS[table];
      const own = rowsOf(this.tables, table);
      for (const [name, row] of Object.entries(rows)) {
        own.set(column === undefined ? name : /** @type {Key} */ (row[column] ?? name), { ...row });
      }
    }
    this.c = c;
  }

  /**
   * Take records in order. One already taken is passed over; a gap stops it.
   * @param {Iterable<Change>} changes
   * @returns {{ touched: Map<string, Set<Key>>, missing: number | null, reset: Row | null }}
   *   the rows touched, the first record that is missing (read on from `c`), the fields of a reset met (load it, go on)
   */
  apply(changes) {
    /** @type {Map<string, Set<Key>>} */
    const touched = new Map();
    for (const change of changes) {
      const [c, , , op, table, key, fields] = change;
      if (c <= this.c) continue;
      if (this.c > 0 && c !== this.c + 1) return { touched, missing: this.c + 1, reset: null };
      this.c = c;
      if (op === "reset") return { touched, missing: null, reset: fields };
      foldRecord(this.tables, op, table, key, fields);
      let keys = touched.get(table);
      if (!keys) touched.set(table, (keys = new Set()));
      keys.add(key);
    }
    return { touched, missing: null, reset: null };
  }

  /**
   * Rows of a table, in the order they were first put; empty if there are none.
   * @param {string} table
   * @returns {Map<Key, Row>}
   */
  rows(table) {
    return this.tables.get(table) ?? new Map();
  }

  /**
   * The State hash, as the server computes it.
   * @param {(bytes: Uint8Array) => Promise<string> | string} [sha256] hex of bytes; WebCrypto when left out
   */
  async hash(sha256 = webSha256) {
    return sha256(new TextEncoder().encode(hashLines(this.tables).join("")));
  }
}

/**
 * Fold one record into tables: a put makes a new row object, so a reader may compare rows by identity.
 * @param {Tables} tables
 * @param {string} op
 * @param {string} table
 * @param {Key} key
 * @param {Row} fields
 */
export function foldRecord(tables, op, table, key, fields) {
  const rows = rowsOf(tables, table);
  if (op === "drop") rows.delete(key);
  else rows.set(key, { ...rows.get(key), ...fields });
}

/**
 * One canonical JSON line a row: tables by name, keys integers by value then strings by code point.
 * @param {Tables} tables
 * @returns {string[]}
 */
export function hashLines(tables) {
  const lines = [];
  for (const table of [...tables.keys()].sort(byCodePoint)) {
    const rows = /** @type {Map<Key, Row>} */ (tables.get(table));
    for (const key of [...rows.keys()].sort(byKey)) lines.push(`${canonical([table, key, rows.get(key)])}\n`);
  }
  return lines;
}

/**
 * JSON with sorted names, no spaces, ASCII only.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort(byCodePoint);
    return `{${names.map((name) => `${ascii(name)}:${canonical(/** @type {Row} */ (value)[name])}`).join(",")}}`;
  }
  return typeof value === "string" ? ascii(value) : JSON.stringify(value ?? null);
}

/** @param {string} text */
function ascii(text) {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * @param {Tables} tables
 * @param {string} table
 */
function rowsOf(tables, table) {
  let rows = tables.get(table);
  if (!rows) tables.set(table, (rows = new Map()));
  return rows;
}

/**
 * @param {Key} a
 * @param {Key} b
 */
function byKey(a, b) {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : byCodePoint(a, b);
}

/**
 * JavaScript compares UTF-16 units; beyond the basic plane that is not the order of code points.
 * @param {string} a
 * @param {string} b
 */
function byCodePoint(a, b) {
  if (a === b) return 0;
  for (let i = 0; i < a.length && i < b.length; ) {
    const x = /** @type {number} */ (a.codePointAt(i));
    const y = /** @type {number} */ (b.codePointAt(i));
    if (x !== y) return x - y;
    i += x > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}

/** @param {Uint8Array} bytes */
async function webSha256(bytes) {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
