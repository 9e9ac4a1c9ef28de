// @ts-check
/** How busy each worker was in each pixel of a view: from the pyramid where a pixel holds many steps, from the rows where it holds few. Pure. */

import { level } from "../trajectory/pyramid.js";

const SLICE = 32_768; // rows between two moments at which the work may be put down

/** Numbers that are used again from picture to picture, so that none is made for a frame. */
export class Scratch {
  constructor() {
    this.busy = new Float32Array(0);
    this.failed = new Uint8Array(0);
    this.place = new Int32Array(0);
  }

  /** @param {number} cells @param {number} workers */
  ready(cells, workers) {
    if (this.busy.length < cells) [this.busy, this.failed] = [new Float32Array(cells), new Uint8Array(cells)];
    else this.clear(cells);
    if (this.place.length < workers) this.place = new Int32Array(workers);
    return this;
  }

  /** @param {number} cells */
  clear(cells) {
    this.busy.fill(0, 0, cells);
    this.failed.fill(0, 0, cells);
  }
}

export class Heat {
  /**
   * @param {import("../trajectory/pyramid.js").Pyramid | null} pyramid
   * @param {{ a: number, b: number }} view seconds
   * @param {number} width pixels
   */
  constructor(pyramid, { a, b }, width) {
    this.width = width;
    this.ms = ((b - a) * 1000) / width;
    this.from = a * 1000;
    this.level = pyramid?.level(this.ms) ?? null;
    this.pyramid = pyramid;
    /** @type {Scratch | null} where rows are counted */
    this.counts = null;
    /** @type {Int32Array} parts of the pyramid by pixel, where it is used */
    this.parts = new Int32Array(this.level ? width + 1 : 0);
    if (this.level && pyramid) {
      for (let x = 0; x <= width; x++) this.parts[x] = Math.floor((this.from + x * this.ms - pyramid.start) / this.level.width);
    }
  }

  /** The same, done at once. @param {import("../trajectory/timeline_rows.js").TimelineRows} rows @param {import("../trajectory/pyramid.js").Pyramid | null} pyramid @param {{ a: number, b: number }} view @param {number} width */
  static of(rows, pyramid, view, width) {
    const heat = new Heat(pyramid, view, width);
    for (const _ of heat.counting(rows, new Scratch())) continue;
    return heat;
  }

  /**
   * Bin the rows in view, where the pyramid is too coarse; put down now and then.
   * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
   * @param {Scratch} scratch
   */
  *counting(rows, scratch) {
    if (this.level) return;
    const { width, from, ms } = this;
    const steps = rows.ofKind("step");
    const last = rows.fromOf(steps, from + width * ms);
    const first = rows.fromOf(steps, from - rows.longest[Math.max(0, rows.kindOf("step"))]);
    this.counts = scratch.ready(0, rows.most + 1);
    const place = scratch.place.fill(-1);
    let lanes = 0;
    for (let k = first; k < last; k++) {
      const worker = rows.worker[steps[k]];
      if (place[worker] < 0) place[worker] = lanes++;
      if (k % SLICE === 0) yield;
    }
    const { busy, failed } = scratch.ready(lanes * width, 0);
    const { time, duration, worker, flags } = rows;
    for (let k = first; k < last; k++) {
      const i = steps[k];
      const base = place[worker[i]] * width;
      const x0 = (time[i] - from) / ms;
      const x1 = x0 + Math.max(duration[i] / ms, 0.5);
      for (let x = x0 > 0 ? x0 | 0 : 0; x < width && x < x1; x++) {
        busy[base + x] += (x1 < x + 1 ? x1 : x + 1) - (x0 > x ? x0 : x);
        if (flags[i] & 1) failed[base + x] = 1;
      }
      if (k % SLICE === 0) yield;
    }
  }

  /**
   * The bytes of a worker, one a pixel, as the pyramid has them; false if it took no step in this view.
   * @param {number} worker
   * @param {Uint8Array} out
   */
  row(worker, out) {
    if (!this.level || !this.pyramid) return this.counted(worker, out);
    const lane = this.pyramid.lane(worker);
    if (lane < 0) return false;
    const { data, bins } = this.level;
    const { parts, width } = this;
    const base = lane * bins;
    for (let x = 0; x < width; x++) {
      const part = parts[x];
      if (part < 0 || part >= bins) {
        out[x] = 0;
        continue;
      }
      const one = data[base + part];
      if (parts[x + 1] - part < 2 || part + 1 >= bins) out[x] = one;
      else {
        const two = data[base + part + 1];
        out[x] = (((one + two) >> 1) & 254) | ((one | two) & 1);
      }
    }
    return true;
  }

  /** @param {number} worker @param {Uint8Array} out */
  counted(worker, out) {
    if (!this.counts) return false;
    const { busy, failed, place } = this.counts;
    const base = (place[worker] ?? -1) * this.width;
    if (base < 0) return false;
    for (let x = 0; x < this.width; x++) out[x] = busy[base + x] > 0 ? level(busy[base + x]) | failed[base + x] : 0;
    return true;
  }
}
