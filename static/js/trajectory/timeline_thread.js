// @ts-check
/** A timeline between two threads: one reads, sorts and builds the pyramid, the other is handed the arrays without a copy. */

import { Pyramid } from "./pyramid.js";
import { TimelineRows } from "./timeline_rows.js";
import { MANY, TimelineSource } from "./timeline_source.js";

/** @typedef {import("./timeline_source.js").Manifest} Manifest */
/** @typedef {import("./timeline_source.js").Read} Read */
/** @typedef {Read & { pyramid: Pyramid | null, finer: (() => Promise<Pyramid | null>) | null }} Timeline `finer` asks for the pyramid that was left for later */

const BUSY = 20_000; // rows from which on a pyramid is built

/** How busy everybody was, where there is enough to say. @param {TimelineRows} rows */
export const pyramidOf = (rows) => (rows.rows >= BUSY ? Pyramid.of(rows) : null);

/**
 * What the reading thread sends first, and the memory that goes with it.
 * @param {Read} read
 * @param {Pyramid | null} pyramid
 * @param {boolean} keep the rows are still needed here: send copies
 */
export function packed({ manifest, rows }, pyramid, keep) {
  const columns = Object.fromEntries(Object.entries(rows.columns).map(([name, value]) => [name, keep && typeof value !== "number" ? value.slice() : value]));
  const parts = packedPyramid(pyramid);
  const arrays = Object.values(columns).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : []));
  return { message: { manifest, columns, pyramid: parts.message }, memory: [...new Set([...arrays, ...parts.memory])] };
}

/** @param {Pyramid | null} pyramid */
export function packedPyramid(pyramid) {
  if (!pyramid) return { message: null, memory: [] };
  const { levels, lanes, start } = pyramid;
  return { message: { levels, lanes, start }, memory: [lanes.buffer, ...levels.map(({ data }) => data.buffer)] };
}

/** @param {any} message @returns {Read & { pyramid: Pyramid | null }} */
export function unpacked({ manifest, columns, pyramid }) {
  return { manifest, rows: new TimelineRows(manifest.kinds, [columns], true), pyramid: unpackedPyramid(pyramid) };
}

/** @param {any} parts */
const unpackedPyramid = (parts) => parts && new Pyramid(parts.levels, parts.lanes, parts.start);

/** Reads a timeline here while it is small, and in another thread from MANY rows on. */
export class TimelineReader {
  /** @param {string} base @param {typeof fetch} get @param {() => Worker} [thread] */
  constructor(base, get, thread) {
    this.source = new TimelineSource(base, get);
    this.start = thread;
    /** @type {Worker | null} */
    this.thread = null;
  }

  /** @returns {Promise<Manifest>} */
  manifest() {
    return this.source.manifest();
  }

  /**
   * @param {(done: number, of: number) => void} [progress]
   * @param {Manifest} [manifest] if it has just been read
   * @param {boolean} [later] the rows at once, and the pyramid of many after them
   * @returns {Promise<Timeline>}
   */
  async read(progress = () => {}, manifest, later = false) {
    const place = manifest ?? (await this.manifest());
    if (this.start && place.segments.reduce((sum, segment) => sum + segment.rows, 0) >= MANY) this.thread ??= this.start();
    if (this.thread) return asked(this.thread, { base: this.source.base, manifest: place, later }, progress);
    const read = await this.source.read(progress, place);
    return { ...read, pyramid: pyramidOf(read.rows), finer: null };
  }
}

/**
 * @param {Worker} thread
 * @param {{ later: boolean }} question
 * @param {(done: number, of: number) => void} progress
 * @returns {Promise<Timeline>}
 */
function asked(thread, question, progress) {
  return new Promise((answer, fail) => {
    const finer = () => new Promise((/** @type {(pyramid: Pyramid | null) => void} */ done) => {
      thread.onmessage = ({ data }) => done(unpackedPyramid(data.finer));
      thread.postMessage({ finer: true });
    });
    thread.onerror = (event) => fail(new Error(event.message || "the reading thread failed"));
    thread.onmessage = ({ data }) => {
      if (data.progress) progress(data.progress[0], data.progress[1]);
      else if (data.problem) fail(new Error(data.problem));
      else answer({ ...unpacked(data), finer: question.later ? finer : null });
    };
    thread.postMessage(question);
  });
}
