// @ts-check
/** How busy each worker was in each pixel of a view: from the pyramid where a pixel holds many steps, from the rows where it holds few. Pure. */

import { level } from "../trajectory/pyramid.js";

export class Heat {
  /**
   * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
   * @param {import("../trajectory/pyramid.js").Pyramid | null} pyramid
   * @param {{ a: number, b: number }} view seconds
   * @param {number} width pixels
   */
  constructor(rows, pyramid, { a, b }, width) {
    this.width = width;
    const ms = ((b - a) * 1000) / width;
    this.level = pyramid?.level(ms) ?? null;
    this.pyramid = pyramid;
    /** @type {Int32Array} parts of the pyramid by pixel, where it is used */
    this.parts = new Int32Array(this.level ? width + 1 : 0);
    if (this.level && pyramid) {
      for (let x = 0; x <= width; x++) this.parts[x] = Math.floor((a * 1000 + x * ms - pyramid.start) / this.level.width);
    } else {
      this.count(rows, a * 1000, b * 1000, ms);
    }
  }

  /** Bin the rows in view. @param {import("../trajectory/timeline_rows.js").TimelineRows} rows @param {number} from @param {number} to @param {number} ms a pixel */
  count(rows, from, to, ms) {
    const { width } = this;
    const steps = rows.ofKind("step");
    const last = rows.fromOf(steps, to);
    const first = rows.fromOf(steps, from - rows.longest[Math.max(0, rows.kindOf("step"))]);
    const place = (this.place = new Int32Array(rows.most + 1).fill(-1));
    let lanes = 0;
    for (let k = first; k < last; k++) {
      const worker = rows.worker[steps[k]];
      if (place[worker] < 0) place[worker] = lanes++;
    }
    const busy = (this.busy = new Float32Array(lanes * width));
    const failed = (this.failed = new Uint8Array(lanes * width));
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
    const place = this.place?.[worker] ?? -1;
    const { busy, failed, width } = this;
    if (place < 0 || !busy || !failed) return false;
    const base = place * width;
    for (let x = 0; x < width; x++) out[x] = busy[base + x] > 0 ? level(busy[base + x]) | failed[base + x] : 0;
    return true;
  }
}
