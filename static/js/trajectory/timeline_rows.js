// @ts-check
/** All rows of a timeline as typed arrays in order of time: what a view shows is found by halving, not by reading all. */

import { decode } from "./agtl.js";

/** @typedef {import("./agtl.js").Columns} Columns */

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
    const order = sorted && isRising(joined.time) ? null : orderOf(joined.time);
    this.time = order ? take(joined.time, order, Int32Array) : joined.time;
    this.duration = order ? take(joined.duration, order, Int32Array) : joined.duration;
    this.worker = order ? take(joined.worker, order, Uint16Array) : joined.worker;
    this.kind = order ? take(joined.kind, order, Uint8Array) : joined.kind;
    this.n = order ? take(joined.n, order, Int32Array) : joined.n;
    this.flags = order ? take(joined.flags, order, Uint8Array) : joined.flags;
    this.counts = new Array(kinds.length).fill(0);
    /** Longest duration in ms, by kind: how far before a view its first span may begin. */
    this.longest = new Array(kinds.length).fill(0);
    for (let i = 0; i < this.rows; i++) {
      const kind = this.kind[i];
      this.counts[kind]++;
      if (this.duration[i] > this.longest[kind]) this.longest[kind] = this.duration[i];
    }
  }

  /** @param {string} name */
  kindOf(name) {
    return this.kinds.indexOf(name);
  }

  /**
   * First row with time >= ms.
   * @param {number} ms
   */
  from(ms) {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Read a timeline by its manifest.
 * @param {string} base address of `/timeline`
 * @param {typeof fetch} get
 * @param {(done: number, of: number) => void} [progress]
 */
export async function readTimeline(base, get, progress = () => {}) {
  const manifest = await (await ok(get(base))).json();
  const segments = [];
  for (const { k } of manifest.segments) {
    const answer = await ok(get(`${base}?segment=${k}&generation=${manifest.generation}`));
    segments.push(decode(await answer.arrayBuffer()));
    progress(segments.length, manifest.segments.length);
  }
  return { manifest, rows: new TimelineRows(manifest.kinds, segments, manifest.sorted) };
}

/** @param {Promise<Response>} asked */
async function ok(asked) {
  const answer = await asked;
  if (!answer.ok) throw new Error(`the timeline could not be read (${answer.status})`);
  return answer;
}

/**
 * @param {Columns[]} segments
 * @param {number} rows
 */
function join(segments, rows) {
  if (segments.length === 1) return segments[0];
  const out = {
    rows,
    time: new Int32Array(rows),
    duration: new Int32Array(rows),
    worker: new Uint16Array(rows),
    kind: new Uint8Array(rows),
    n: new Int32Array(rows),
    flags: new Uint8Array(rows),
  };
  let place = 0;
  for (const segment of segments) {
    for (const name of /** @type {const} */ (["time", "duration", "worker", "kind", "n", "flags"])) {
      out[name].set(segment[name], place);
    }
    place += segment.rows;
  }
  return out;
}

/** @param {Int32Array} time */
function isRising(time) {
  for (let i = 1; i < time.length; i++) if (time[i] < time[i - 1]) return false;
  return true;
}

/** @param {Int32Array} time */
function orderOf(time) {
  const order = new Uint32Array(time.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  return order.sort((a, b) => time[a] - time[b] || a - b);
}

/**
 * @template {Int32Array | Uint16Array | Uint8Array} T
 * @param {T} values
 * @param {Uint32Array} order
 * @param {new (length: number) => T} Type
 */
function take(values, order, Type) {
  const out = new Type(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i]];
  return out;
}
