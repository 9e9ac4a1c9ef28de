// @ts-check
/**
 * Thin lanes as pixels: what a worker held in each pixel of time, as dark as it was busy. Lanes that share a row of pixels show the rarest
 * outcome there. A folded group is a stack: how many of its lanes held what. Pure: arrays in, pixels out.
 */

/** What a pixel of a lane says, the later over the earlier. */
export const CODES = { none: 0, present: 1, idle: 2, landed: 3, live: 4, failed: 5, liveEnd: 6, failedEnd: 7 };
const STACK = [CODES.landed, CODES.live, CODES.failed, CODES.idle, CODES.present];
/** @type {Record<string, number>} */
const OUTCOME = { idle: CODES.idle, landed: CODES.landed, live: CODES.live, failed: CODES.failed };

/** @typedef {{ start: number, end: number, outcome: string }} Span */
/** @typedef {{ joined: number, left: number | null }} Presence seconds */
/** @typedef {{ a: number, b: number }} View seconds */

export class Raster {
  /**
   * @param {Uint32Array} pixels rows x width, 0 = see-through
   * @param {number} width pixels a row
   * @param {View} view
   * @param {Uint32Array} shades colour by code * 256 + byte of heat
   */
  constructor(pixels, width, view, shades) {
    this.pixels = pixels;
    this.width = width;
    this.height = pixels.length / width;
    this.view = view;
    this.shades = shades;
    this.codes = new Uint8Array(width);
    this.heat = new Uint8Array(width);
    this.row = -1;
  }

  /** @param {number} t seconds */
  x(t) {
    return ((t - this.view.a) / (this.view.b - this.view.a)) * this.width;
  }

  /**
   * One lane, in pixel rows `top` to `bottom`; at least one.
   * @param {number} top
   * @param {number} bottom
   * @param {Presence} lane
   * @param {Span[]} spans
   * @param {Uint8Array | null} heat a byte a pixel
   */
  lane(top, bottom, lane, spans, heat) {
    const y0 = Math.max(0, Math.round(top));
    const y1 = Math.min(this.height, Math.max(y0 + 1, Math.round(bottom)));
    if (y0 >= this.height || y1 <= y0) return;
    const { codes, width } = this;
    const shared = y0 === this.row;
    if (!shared) codes.fill(CODES.none);
    this.row = y1 - y0 === 1 ? y0 : -1;
    this.mark(lane.joined, lane.left ?? this.view.b, CODES.present, !shared);
    for (const span of spans) this.span(span);
    if (heat && shared) for (let x = 0; x < width; x++) this.heat[x] = Math.max(this.heat[x], heat[x]);
    else if (heat) this.heat.set(heat);
    else if (!shared) this.heat.fill(0);
    this.paint(y0, y1);
  }

  /** @param {Span} span */
  span({ start, end, outcome }) {
    const code = OUTCOME[outcome] ?? CODES.idle;
    const [from, to] = this.mark(start, end, code);
    if (to - from < 3 || to > this.width) return; // its end is not in this picture, which may be a strip of a wider one
    if (code === CODES.failed) this.codes[to - 1] = Math.max(this.codes[to - 1], CODES.failedEnd);
    else if (code === CODES.live) this.codes[to - 1] = Math.max(this.codes[to - 1], CODES.liveEnd);
    else if (this.codes[to - 1] === code) this.codes[to - 1] = CODES.present; // a gap, so that two in a row are two
  }

  /**
   * Answers the pixels it takes, also those outside the picture; [0, 0] where it is not in view.
   * @param {number} start @param {number} end @param {number} code @param {boolean} [blank] nothing is marked yet
   */
  mark(start, end, code, blank = false) {
    if (end < this.view.a || start > this.view.b) return [0, 0];
    const from = Math.round(this.x(start));
    const to = Math.max(from + 1, Math.round(this.x(end)));
    const { codes, width } = this;
    const [first, last] = [Math.max(0, from), Math.min(width, to)];
    if (blank) codes.fill(code, first, last);
    else for (let x = first; x < last; x++) if (codes[x] < code) codes[x] = code;
    return to > 0 ? [from, to] : [0, 0];
  }

  /** @param {number} y0 @param {number} y1 */
  paint(y0, y1) {
    const { pixels, width, codes, heat, shades } = this;
    const rows = y1 - y0;
    const edge = rows >= 3 ? y0 + Math.ceil(rows / 2) - 1 : -1; // what was let go is thin: one row of several
    const base = y0 * width;
    for (let x = 0; x < width; x++) {
      const code = edge >= 0 && codes[x] === CODES.idle ? CODES.present : codes[x];
      pixels[base + x] = shades[code * 256 + heat[x]];
    }
    const last = rows >= 4 ? y1 - 1 : y1; // a row of nothing between lanes that have room for it
    for (let y = y0 + 1; y < last; y++) pixels.copyWithin(y * width, base, base + width);
    if (edge < 0) return;
    for (let x = 0; x < width; x++) if (codes[x] === CODES.idle) pixels[edge * width + x] = shades[CODES.idle * 256 + heat[x]];
  }

  /**
   * A folded group: in each pixel column as high as the lanes that held what landed, was live, was lost, was let go, or nothing.
   * @param {number} top
   * @param {number} bottom
   * @param {(Presence & { worker: number })[]} lanes
   * @param {(worker: number) => Span[]} spansOf
   * @param {(worker: number, out: Uint8Array) => boolean} heatOf
   */
  group(top, bottom, lanes, spansOf, heatOf) {
    const { width, view } = this;
    const y0 = Math.max(0, Math.round(top));
    const y1 = Math.min(this.height, Math.round(bottom));
    if (y1 <= y0 || !lanes.length) return;
    this.row = -1;
    const counts = STACK.map(() => new Int32Array(width + 1));
    const count = (/** @type {number} */ code, /** @type {number} */ start, /** @type {number} */ end) => {
      if (end < view.a || start > view.b) return;
      const own = counts[STACK.indexOf(code)];
      const from = Math.min(width, Math.max(0, Math.round(this.x(start))));
      own[from]++;
      own[Math.min(width, Math.max(from + 1, Math.round(this.x(end))))]--;
    };
    const sum = new Uint32Array(width);
    for (const lane of lanes) {
      count(CODES.present, lane.joined, lane.left ?? view.b);
      for (const span of spansOf(lane.worker)) count(OUTCOME[span.outcome] ?? CODES.idle, span.start, span.end);
      if (heatOf(lane.worker, this.heat)) for (let x = 0; x < width; x++) sum[x] += this.heat[x];
    }
    for (const own of counts) for (let x = 1; x <= width; x++) own[x] += own[x - 1];
    for (let x = 0; x < width; x++) this.column(x, y0, y1, lanes.length, counts, Math.round(sum[x] / Math.max(1, counts[4][x])));
  }

  /** @param {number} x @param {number} y0 @param {number} y1 @param {number} lanes @param {Int32Array[]} counts @param {number} heat */
  column(x, y0, y1, lanes, counts, heat) {
    const tall = y1 - y0;
    const present = counts[4][x];
    let held = 0;
    let below = 0;
    for (let k = 0; k < STACK.length; k++) {
      // Workers present who hold nothing fill up what is left of them.
      held = k === 4 ? Math.max(held, present) : held + counts[k][x];
      const upto = Math.min(tall, Math.round((held / lanes) * tall));
      const shade = this.shades[STACK[k] * 256 + Math.min(255, heat)];
      for (; below < upto; below++) this.pixels[(y1 - 1 - below) * this.width + x] = shade;
    }
  }

  /**
   * Steps as ticks under a lane that has room, darker where more of the time went into them.
   * @param {number} top
   * @param {number} bottom
   * @param {Uint8Array} heat
   * @param {Uint32Array} ticks colour by byte of heat
   */
  ticks(top, bottom, heat, ticks) {
    const y1 = Math.min(this.height, Math.round(bottom));
    for (let y = Math.max(0, Math.round(top)); y < y1; y++) {
      for (let x = 0; x < this.width; x++) if (heat[x]) this.pixels[y * this.width + x] = ticks[heat[x]];
    }
  }
}

/**
 * Every colour a lane may have: full where the worker was busy, paler where it was not.
 * @param {Record<number, [number, number, number]>} colours red, green, blue by code
 * @param {[number, number, number]} ground
 * @param {boolean} heated whether steps are known at all
 * @returns {Uint32Array} little-endian RGBA by code * 256 + byte of heat
 */
export function shadesOf(colours, ground, heated) {
  const shades = new Uint32Array(8 * 256);
  for (let code = 1; code < 8; code++) {
    const colour = colours[code];
    for (let heat = 0; heat < 256; heat++) {
      const busy = Math.sqrt((heat >> 1) / 127);
      const solid = code >= CODES.liveEnd || !heated;
      const shade = code === CODES.present ? mixed(colour, colours[CODES.idle], 0.6 * busy) : mixed(ground, colour, solid ? 1 : 0.6 + 0.4 * busy);
      shades[code * 256 + heat] = rgba(shade, 255);
    }
  }
  return shades;
}

/** @param {[number, number, number]} quiet @param {[number, number, number]} bad colour where a step failed @returns {Uint32Array} */
export function tickShades(quiet, bad) {
  return Uint32Array.from({ length: 256 }, (_, heat) => (heat ? rgba(heat & 1 ? bad : quiet, Math.round(255 * Math.min(0.9, 0.25 + (0.65 * (heat >> 1)) / 127))) : 0));
}

/** @param {number[]} a @param {number[]} b @param {number} part of b */
const mixed = (a, b, part) => a.map((value, k) => Math.round(value + (b[k] - value) * part));

/** @param {number[]} colour @param {number} alpha */
const rgba = ([red, green, blue], alpha) => ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
