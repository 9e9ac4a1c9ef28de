// @ts-check
/** The statuses of everything at any second of a settled run, from the tile `statuses`: a snapshot now and then, and the changes since. */

import { decode } from "./agtl.js";

const EVERY = 4096; // changes between snapshots
export const ABSENT = 255;

/** @typedef {{ version: number, base: number, fields: string[], values: (string | null)[], keys: Record<string, (string | number)[]> }} Head */

/**
 * Head and bytes of a tile.
 * @param {ArrayBuffer} buffer
 * @returns {{ head: any, body: Uint8Array }}
 */
export function tileOf(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { head, body: new Uint8Array(buffer, Math.ceil((4 + length) / 8) * 8) };
}

export class Statuses {
  /** @param {ArrayBuffer} buffer the tile */
  constructor(buffer) {
    const { head, body } = tileOf(buffer);
    /** @type {Head} */
    this.head = head;
    if (head.version !== 1) throw new Error(`statuses of version ${head.version} are not known here`);
    this.columns = decode(body.slice().buffer);
    this.tables = head.fields.map((/** @type {string} */ name) => name.split(".")[0]);
    /** @type {Uint8Array[][]} */
    this.snapshots = [];
    /** @type {Uint8Array[]} values by key, a list a field */
    this.now = this.tables.map((/** @type {string} */ table) => new Uint8Array((head.keys[table] ?? []).length).fill(ABSENT));
    this.place = 0;
    for (let i = 0; i < this.columns.rows; i++) {
      if (i % EVERY === 0) this.snapshots.push(this.now.map((list) => list.slice()));
      this.take(i);
    }
    this.place = this.columns.rows;
  }

  /** @param {number} i */
  take(i) {
    const { kind, n, flags } = this.columns;
    const field = kind[i];
    if (flags[i] !== ABSENT) this.now[field][n[i]] = flags[i];
    else this.tables.forEach((table, k) => table === this.tables[field] && (this.now[k][n[i]] = ABSENT));
  }

  /**
   * Go to a moment; a later one is reached from where it stands.
   * @param {number} ms since the epoch
   * @returns {number} how many changes have happened by then
   */
  seek(ms) {
    const place = this.before(ms - this.head.base);
    const near = Math.floor(place / EVERY) * EVERY;
    if (place < this.place || near > this.place) {
      this.now = (this.snapshots[near / EVERY] ?? this.snapshots[this.snapshots.length - 1] ?? this.now).map((list) => list.slice());
      this.place = Math.min(near, Math.max(0, this.snapshots.length - 1) * EVERY);
    }
    for (; this.place < place; this.place++) this.take(this.place);
    return place;
  }

  /** How many changes have time <= ms since base. @param {number} ms */
  before(ms) {
    let [low, high] = [0, this.columns.rows];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.columns.time[middle] <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Every key of a table that is there, with its value of a field. @param {string} field `workers.status` @returns {[string | number, string | null, number][]} */
  entries(field) {
    const list = this.now[this.head.fields.indexOf(field)] ?? [];
    const keys = this.head.keys[field.split(".")[0]] ?? [];
    /** @type {[string | number, string | null, number][]} */
    const found = [];
    for (let k = 0; k < list.length; k++) if (list[k] !== ABSENT) found.push([keys[k], this.head.values[list[k]], k]);
    return found;
  }

  /** @param {string} field @param {number} k place of the key @returns {string | null} */
  value(field, k) {
    const value = this.now[this.head.fields.indexOf(field)]?.[k] ?? ABSENT;
    return value === ABSENT ? null : this.head.values[value];
  }

  /** How many rows have which value. @param {string} field @returns {Record<string, number>} */
  counts(field) {
    const list = this.now[this.head.fields.indexOf(field)] ?? new Uint8Array(0);
    const by = new Uint32Array(256);
    for (let k = 0; k < list.length; k++) by[list[k]]++;
    /** @type {Record<string, number>} */
    const found = {};
    this.head.values.forEach((value, k) => by[k] && (found[String(value)] = by[k]));
    return found;
  }
}
