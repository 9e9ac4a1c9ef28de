// @ts-check
/** All rows of a timeline as typed arrays in order of time: what a view shows is found by halving, not by reading all. */

/** @typedef {import("./agtl.js").Columns} Columns */

const TYPES = /** @type {const} */ ({ time: Int32Array, duration: Int32Array, worker: Uint16Array, kind: Uint8Array, n: Int32Array, flags: Uint8Array });
const NAMES = /** @type {(keyof typeof TYPES)[]} */ (Object.keys(TYPES));
const RADIX = 11; // bits sorted in one pass

export class TimelineRows {
  /**
   * @param {string[]} kinds names by index
   * @param {Columns[]} segments
   * @param {boolean} sorted each later row is not earlier
   */
  constructor(kinds, segments, sorted) {
    this.kinds = kinds;
    this.rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
    const joined = join(segments, this.rows);
    const { time, duration, worker, kind, n, flags } = sorted && isRising(joined.time) ? joined : inOrder(joined);
    Object.assign(this, { time, duration, worker, kind, n, flags });
    /** @type {Int32Array} ms since run.started */
    this.time = time;
    /** @type {Int32Array} ms, 0 = a mark */
    this.duration = duration;
    this.worker = worker;
    this.kind = kind;
    this.n = n;
    this.flags = flags;
    /** @type {number[]} */
    this.counts = new Array(kinds.length).fill(0);
    /** @type {number[]} Longest duration in ms, by kind: how far before a view its first span may begin. */
    this.longest = new Array(kinds.length).fill(0);
    this.most = 0; // highest worker number
    for (let i = 0; i < this.rows; i++) {
      const own = kind[i];
      if (worker[i] > this.most) this.most = worker[i];
      this.counts[own]++;
      if (duration[i] > this.longest[own]) this.longest[own] = duration[i];
    }
    /** @type {(Uint32Array | undefined)[]} */
    this.indices = [];
  }

  /** The columns alone, as another thread hands them over. @returns {Columns} */
  get columns() {
    const { rows, time, duration, worker, kind, n, flags } = this;
    return { rows, time, duration, worker, kind, n, flags };
  }

  /** @param {string} name */
  kindOf(name) {
    return this.kinds.indexOf(name);
  }

  /**
   * Places of one kind's rows, in order of time; listed once, at the first question.
   * @param {string} name
   * @returns {Uint32Array}
   */
  ofKind(name) {
    const kind = this.kindOf(name);
    if (kind < 0) return new Uint32Array(0);
    let found = this.indices[kind];
    if (!found) {
      found = new Uint32Array(this.counts[kind]);
      for (let i = 0, place = 0; i < this.rows; i++) if (this.kind[i] === kind) found[place++] = i;
      this.indices[kind] = found;
    }
    return found;
  }

  /**
   * First row with time >= ms.
   * @param {number} ms
   */
  from(ms) {
    return halved(this.rows, (i) => this.time[i] < ms);
  }

  /**
   * First of these places whose row has time >= ms.
   * @param {Uint32Array} places rows in order of time
   * @param {number} ms
   */
  fromOf(places, ms) {
    return halved(places.length, (i) => this.time[places[i]] < ms);
  }
}

/** The first index that is not `before`. @param {number} high @param {(i: number) => boolean} before */
function halved(high, before) {
  let low = 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {Columns[]} segments
 * @param {number} rows
 * @returns {Columns}
 */
function join(segments, rows) {
  if (segments.length === 1) return segments[0];
  /** @type {any} */
  const out = { rows };
  for (const name of NAMES) {
    out[name] = new TYPES[name](rows);
    let place = 0;
    for (const segment of segments) {
      out[name].set(segment[name], place);
      place += segment.rows;
    }
  }
  return out;
}

/** @param {Int32Array} time */
function isRising(time) {
  for (let i = 1; i < time.length; i++) if (time[i] < time[i - 1]) return false;
  return true;
}

/** The same rows by time, equal times as they were. @param {Columns} columns @returns {Columns} */
function inOrder(columns) {
  const order = orderOf(columns.time);
  /** @type {any} */
  const out = { rows: columns.rows };
  for (const name of NAMES) {
    const values = (out[name] = new TYPES[name](order.length));
    const source = columns[name];
    for (let i = 0; i < order.length; i++) values[i] = source[order[i]];
  }
  return out;
}

/** Places by rising time: a radix sort, because a comparing one takes seconds for a million rows. @param {Int32Array} time */
function orderOf(time) {
  let order = new Uint32Array(time.length);
  let other = new Uint32Array(time.length);
  let [least, most] = [0, 0];
  for (let i = 0; i < time.length; i++) {
    order[i] = i;
    if (time[i] < least) least = time[i];
    if (time[i] > most) most = time[i];
  }
  const counts = new Uint32Array(1 << RADIX);
  for (let shift = 0, left = most - least; left > 0; shift += RADIX, left = Math.floor(left / (1 << RADIX))) {
    counts.fill(0);
    const digit = (/** @type {number} */ i) => ((time[i] - least) >>> shift) & ((1 << RADIX) - 1);
    for (let i = 0; i < time.length; i++) counts[digit(i)]++;
    for (let k = 0, sum = 0; k < counts.length; k++) [counts[k], sum] = [sum, sum + counts[k]];
    for (let i = 0; i < time.length; i++) other[counts[digit(order[i])]++] = order[i];
    [order, other] = [other, order];
  }
  return order;
}
