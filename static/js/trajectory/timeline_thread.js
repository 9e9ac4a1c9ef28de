// @ts-check
/** A timeline between two threads: one reads, sorts and builds the pyramid, the other is handed the arrays without a copy. */

import { Pyramid } from "./pyramid.js";
import { TimelineRows } from "./timeline_rows.js";
import { MANY, TimelineSource } from "./timeline_source.js";

/** @typedef {import("./timeline_source.js").Timeline} Timeline */

/**
 * What the reading thread sends, and the memory that goes with it.
 * @param {Timeline} timeline
 * @param {boolean} keep the arrays are still needed here: send copies
 */
export function packed({ manifest, rows, pyramid }, keep) {
  const columns = Object.fromEntries(Object.entries(rows.columns).map(([name, value]) => [name, keep && typeof value !== "number" ? value.slice() : value]));
  const parts = pyramid && { levels: pyramid.levels, lanes: pyramid.lanes, start: pyramid.start };
  const arrays = [...Object.values(columns), ...(parts ? [parts.lanes, ...parts.levels.map(({ data }) => data)] : [])];
  return { message: { manifest, columns, pyramid: parts }, memory: [...new Set(arrays.flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer] : [])))] };
}

/** @param {any} message @returns {Timeline} */
export function unpacked({ manifest, columns, pyramid }) {
  return { manifest, rows: new TimelineRows(manifest.kinds, [columns], true), pyramid: pyramid && new Pyramid(pyramid.levels, pyramid.lanes, pyramid.start) };
}

/** Reads a timeline here while it is small, and in another thread from MANY rows on. */
export class TimelineReader {
  /** @param {string} base @param {typeof fetch} get @param {() => Worker} [thread] */
  constructor(base, get, thread) {
    this.source = new TimelineSource(base, get);
    this.start = thread;
    /** @type {Worker | null} */
    this.thread = null;
  }

  /** @returns {Promise<import("./timeline_source.js").Manifest>} */
  manifest() {
    return this.source.manifest();
  }

  /**
   * @param {(done: number, of: number) => void} [progress]
   * @param {import("./timeline_source.js").Manifest} [manifest] if it has just been read
   * @returns {Promise<Timeline>}
   */
  async read(progress = () => {}, manifest) {
    const place = manifest ?? (await this.manifest());
    if (this.start && place.segments.reduce((sum, segment) => sum + segment.rows, 0) >= MANY) this.thread ??= this.start();
    return this.thread ? asked(this.thread, { base: this.source.base, manifest: place }, progress) : this.source.read(progress, place);
  }
}

/**
 * @param {Worker} thread
 * @param {any} question
 * @param {(done: number, of: number) => void} progress
 * @returns {Promise<Timeline>}
 */
function asked(thread, question, progress) {
  return new Promise((answer, fail) => {
    thread.onerror = (event) => fail(new Error(event.message || "the reading thread failed"));
    thread.onmessage = ({ data }) => {
      if (data.progress) progress(data.progress[0], data.progress[1]);
      else if (data.problem) fail(new Error(data.problem));
      else answer(unpacked(data));
    };
    thread.postMessage(question);
  });
}
