// @ts-check
/** A run's timeline, read by its manifest: a segment whose bytes are known is not read again, so a live run costs its newest one. */

import { decode } from "./agtl.js";
import { Pyramid } from "./pyramid.js";
import { TimelineRows } from "./timeline_rows.js";

/** @typedef {{ version: number, generation: number, t0: number | null, sorted: boolean, kinds: string[], segments: { k: number, rows: number, t_max: number, etag: string }[], tiles?: { name: string, bytes: number }[] }} Manifest */
/** @typedef {{ manifest: Manifest, rows: TimelineRows, pyramid: Pyramid | null }} Timeline */

export const MANY = 150_000; // rows from which on another thread reads
const BUSY = 20_000; // rows from which on a pyramid is built

export class TimelineSource {
  /** @param {string} base address of `/timeline` @param {typeof fetch} get */
  constructor(base, get) {
    this.base = base;
    this.get = get;
    /** @type {Map<string, import("./agtl.js").Columns>} */
    this.known = new Map();
  }

  /** @returns {Promise<Manifest>} */
  async manifest() {
    return (await ok(this.get(this.base))).json();
  }

  /**
   * @param {(done: number, of: number) => void} [progress]
   * @returns {Promise<Timeline>}
   */
  async read(progress = () => {}) {
    const manifest = await this.manifest();
    const known = new Map();
    for (const [done, { k, etag }] of manifest.segments.entries()) {
      const name = `${manifest.generation} ${k} ${etag}`;
      known.set(name, this.known.get(name) ?? (await this.segment(k, manifest.generation)));
      progress(done + 1, manifest.segments.length);
    }
    this.known = known;
    const rows = new TimelineRows(manifest.kinds, [...known.values()], manifest.sorted);
    if (manifest.sorted && known.size > 1) this.known = new Map(); // it never changes again: one copy in memory is enough
    return { manifest, rows, pyramid: rows.rows >= BUSY ? Pyramid.of(rows) : null };
  }

  /** @param {number} k @param {number} generation */
  async segment(k, generation) {
    const answer = await ok(this.get(`${this.base}?segment=${k}&generation=${generation}`));
    return decode(await answer.arrayBuffer());
  }
}

/** @param {Promise<Response>} asked */
async function ok(asked) {
  const answer = await asked;
  if (!answer.ok) throw new Error(`the timeline could not be read (${answer.status})`);
  return answer;
}
