// @ts-check
/**
 * The State at any second, from a recorded change log: fold from the nearest keyframe. The same fold as live.
 * Rows are never changed in place, so a keyframe is a copy of the maps alone.
 */

import { foldRecord } from "./fold.js";

/** @typedef {import("./fold.js").Tables} Tables */
/** @typedef {[number, number, string, string, string, number | string, Record<string, unknown>]} Change */

const EVERY = 1000; // changes between keyframes

export class History {
  /**
   * @param {Change[]} changes in order of time, `at` in ms since the epoch
   * @param {number} zero ms since the epoch of run.started
   */
  constructor(changes, zero) {
    this.changes = changes;
    this.zero = zero;
    /** @type {Tables[]} the State before change k * EVERY */
    this.keyframes = [];
    /** @type {Tables} */
    const tables = new Map();
    for (let i = 0; i < changes.length; i++) {
      if (i % EVERY === 0) this.keyframes.push(copy(tables));
      const [, , , op, table, key, fields] = changes[i];
      foldRecord(tables, op, table, key, fields);
    }
    this.final = tables;
    this.place = -1;
    /** @type {Tables} */
    this.tables = new Map();
  }

  /**
   * The tables at a second; the same object while nothing changed in between.
   * @param {number} seconds
   * @returns {Tables}
   */
  at(seconds) {
    const place = this.before(this.zero + seconds * 1000);
    if (place === this.place) return this.tables;
    const forward = place > this.place && this.place >= 0 && place - this.place < EVERY;
    let i = forward ? this.place : Math.floor(place / EVERY) * EVERY;
    const base = this.keyframes[Math.floor(i / EVERY)] ?? new Map();
    const tables = copy(forward ? this.tables : base);
    for (; i < place; i++) {
      const [, , , op, table, key, fields] = this.changes[i];
      foldRecord(tables, op, table, key, fields);
    }
    this.place = place;
    this.tables = tables;
    return tables;
  }

  /**
   * How many changes have `at` <= ms.
   * @param {number} ms
   */
  before(ms) {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.changes[middle][1] <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param {Tables} tables */
function copy(tables) {
  return new Map([...tables].map(([name, rows]) => [name, new Map(rows)]));
}
