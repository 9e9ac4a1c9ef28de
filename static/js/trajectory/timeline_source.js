// @ts-check
/** A run's timeline, read by its manifest: a segment whose bytes are known is not read again, so a live run costs its newest one. */

import { decode } from "./agtl.js";
import { TimelineRows } from "./timeline_rows.js";

/** @typedef {{ version: number, generation: number, t0: number | null, sorted: boolean, kinds: string[], segments: { k: number, rows: number, t_max: number, etag: string }[], tiles?: { name: string, bytes: number, etag: string }[] }} Manifest */
/** @typedef {{ manifest: Manifest, rows: TimelineRows }} Read */

export const MANY = 150_000; // rows from which on another thread reads
const TRIES = 3; // manifests read again where the run went on meanwhile

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
   * @param {Manifest} [manifest] if it has just been read
   * @returns {Promise<Read>}
   */
  async read(progress = () => {}, manifest) {
    for (let left = TRIES; ; left--) {
      const place = manifest ?? (await this.manifest());
      try {
        return await this.pieces(place, progress);
      } catch (problem) {
        if (!(problem instanceof Moved) || left === 0) throw problem;
        manifest = undefined; // a run that lives went on between the two questions
      }
    }
  }

  /**
   * All that is not known is asked for at once, and taken in order.
   * @param {Manifest} manifest
   * @param {(done: number, of: number) => void} progress
   * @returns {Promise<Read>}
   */
  async pieces(manifest, progress) {
    const { segments, generation, sorted, kinds } = manifest;
    const coming = segments.map(({ k, etag }) => {
      const name = `${generation} ${k} ${etag}`;
      const had = this.known.get(name);
      return { name, columns: had ? Promise.resolve(had) : this.segment(k, generation, etag) };
    });
    for (const { columns } of coming) columns.catch(() => {}); // the first that fails is told below
    const known = new Map();
    for (const { name, columns } of coming) {
      known.set(name, await columns);
      progress(known.size, segments.length);
    }
    this.known = known;
    const rows = new TimelineRows(kinds, [...known.values()], sorted);
    if (sorted && known.size > 1) this.known = new Map(); // it never changes again: one copy in memory is enough
    return { manifest, rows };
  }

  /** @param {number} k @param {number} generation @param {string} etag */
  async segment(k, generation, etag) {
    const answer = await ok(this.get(lasting(this.base, `segment=${k}`, generation, etag)));
    return decode(await answer.arrayBuffer());
  }
}

/**
 * An address that names its bytes: a browser that has them does not ask again.
 * @param {string} base @param {string} what @param {number} generation @param {string} etag
 */
export const lasting = (base, what, generation, etag) => `${base}?${what}&generation=${generation}&etag=${etag}`;

/** What the manifest named has changed since. */
class Moved extends Error {}

/** @param {Promise<Response>} asked */
async function ok(asked) {
  const answer = await asked;
  if (answer.status === 404) throw new Moved("the timeline could not be read (404)");
  if (!answer.ok) throw new Error(`the timeline could not be read (${answer.status})`);
  return answer;
}
