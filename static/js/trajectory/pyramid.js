// @ts-check
/**
 * How busy each worker was in each part of a run, at several widths: a view of millions of steps reads a few bytes a pixel.
 * A byte is the share of the part spent in steps, 0 to 254 in steps of two; its lowest bit says that a step in it failed.
 */

const FINEST = [16_384, 4096]; // parts of the run at the finest width, where that many bytes may be kept, and where not
const KEPT = 20_000_000; // bytes of the finest level
const COARSEST = 256;
const NOBODY = 0xffff;

/** @typedef {{ bins: number, width: number, data: Uint8Array }} Level `width` in ms; `data` = lanes x bins */

export class Pyramid {
  /** @param {Level[]} levels finest first @param {Uint16Array} lanes lane by worker number @param {number} start ms */
  constructor(levels, lanes, start) {
    this.levels = levels;
    this.lanes = lanes;
    this.start = start;
    this.alone = false; // there are no rows to read where the finest level is too coarse
  }

  /** The tile `overview` that the server made, before the rows have come. @param {{ head: any, body: Uint8Array }} tile */
  static overview({ head, body }) {
    if (head.version !== 1) throw new Error(`an overview of version ${head.version} is not known here`);
    const lanes = new Uint16Array(head.workers.reduce((/** @type {number} */ most, /** @type {number} */ worker) => Math.max(most, worker), 0) + 1).fill(NOBODY);
    head.workers.forEach((/** @type {number} */ worker, /** @type {number} */ lane) => (lanes[worker] = lane));
    const pyramid = new Pyramid([{ bins: head.bins, width: head.width, data: body }], lanes, head.start);
    pyramid.alone = true;
    return pyramid;
  }

  /**
   * @param {import("./timeline_rows.js").TimelineRows} rows
   * @param {number} [parts] of the finest level
   */
  static of(rows, parts) {
    const steps = rows.ofKind("step");
    const start = Math.min(0, rows.rows ? rows.time[0] : 0);
    let end = start + 1;
    let most = 0;
    for (const i of steps) {
      end = Math.max(end, rows.time[i] + rows.duration[i]);
      most = Math.max(most, rows.worker[i]);
    }
    const lanes = new Uint16Array(most + 1).fill(NOBODY);
    let count = 0;
    for (const i of steps) if (lanes[rows.worker[i]] === NOBODY) lanes[rows.worker[i]] = count++;
    const finest = parts ?? FINEST.find((bins) => bins * count <= KEPT) ?? FINEST[1];
    const width = Math.max(1, Math.ceil((end - start) / finest));
    const busy = new Float32Array(count * finest);
    const failed = new Uint8Array(count * finest);
    for (const i of steps) {
      const base = lanes[rows.worker[i]] * finest;
      const from = rows.time[i] - start;
      const to = from + Math.max(rows.duration[i], 1);
      for (let bin = Math.floor(from / width); bin * width < to && bin < finest; bin++) {
        busy[base + bin] += Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
        if (rows.flags[i] & 1) failed[base + bin] = 1;
      }
    }
    const data = new Uint8Array(busy.length);
    for (let k = 0; k < data.length; k++) data[k] = level(busy[k] / width) | failed[k];
    const pyramid = new Pyramid([{ bins: finest, width, data }], lanes, start);
    while (pyramid.coarser()) continue;
    return pyramid;
  }

  /**
   * The coarsest level that still has a part a pixel; null where even the finest is too coarse and rows must be read.
   * @param {number} ms a pixel
   */
  level(ms) {
    while (this.levels[this.levels.length - 1].width * 2 <= ms && this.coarser()) continue;
    return this.levels.findLast(({ width }) => width <= ms) ?? (this.alone ? this.levels[0] : null);
  }

  /** One more level, of half as many parts, where that is not too few; of an overview made when a view first asks for it. */
  coarser() {
    const last = this.levels[this.levels.length - 1];
    if (last.bins <= COARSEST) return false;
    const bins = last.bins >> 1;
    const data = new Uint8Array(last.bins ? (last.data.length / last.bins) * bins : 0);
    for (let k = 0; k < data.length; k++) {
      const [a, b] = [last.data[2 * k], last.data[2 * k + 1]];
      data[k] = ((((a >> 1) + (b >> 1) + 1) >> 1) << 1) | ((a | b) & 1);
    }
    return this.levels.push({ bins, width: last.width * 2, data }) > 0;
  }

  /** The lane of a worker in `data`; -1 if it took no step. @param {number} worker */
  lane(worker) {
    const lane = this.lanes[worker];
    return lane === undefined || lane === NOBODY ? -1 : lane;
  }
}

/** A share as an even byte; any work at all is seen. @param {number} share */
export function level(share) {
  return share <= 0 ? 0 : Math.max(2, Math.min(254, Math.round(share * 127) * 2));
}
