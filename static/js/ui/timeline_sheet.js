// @ts-check
/**
 * The pixels of the lanes, kept between frames. A view that is moved costs the strip that came in; one that is zoomed is shown stretched while
 * a sharp picture of it is made a few milliseconds a frame; a cursor that moves costs nothing. Only another layout is painted at once.
 */

import { Chosen, REACH } from "./timeline_marks.js";
import { lanePixels } from "./timeline_raster.js";

const SLICE_MS = 5; // of a frame for a picture in the making
const STRIP = 0.25; // of the width that may be painted at once
const HALF = 0.5; // of a view must be on the picture that is there, or a new one is waited for
const REST_MS = 200; // after the last strip the marks are chosen again for the view as a whole

/** @typedef {import("./timeline.js").Timeline} Timeline */
/**
 * What a picture is of. Its pixels stand at fixed seconds: `first` is the number of its first column, counted from second 0.
 * @typedef {{ first: number, density: number, width: number, tall: number, ratio: number, height: number, shape: string, scroll: number, top: number, left: number,
 *   made: any[], layout: import("../tracks/lanes.js").Layout }} Wish `density` in device pixels a second
 */
/** @typedef {{ wish: Wish, canvas: HTMLCanvasElement, chosen: Chosen }} Shot column `c` of second 0 on lies at `c` modulo the width */

export class Sheet {
  constructor() {
    /** @type {import("./timeline_raster.js").Tint} */
    this.tint = { lanes: new Uint32Array(0), ticks: new Uint32Array(0) };
    /** @type {Shot | null} */
    this.front = null;
    /** @type {{ shot: Shot, work: Generator } | null} in the making */
    this.next = null;
    this.slid = false; // the front was moved by strips: a whole one chooses its marks again
    this.slidAt = 0;
    this.spare = document.createElement("canvas");
    this.memory = new ArrayBuffer(0);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Timeline} timeline
   * @param {number} height CSS pixels
   * @returns {boolean} whether it shows just what was asked for; else ask again at the next frame
   */
  draw(context, timeline, height) {
    const wish = this.wished(timeline, height);
    const now = performance.now();
    if (!this.front || this.front.wish.shape !== wish.shape || overlap(this.front.wish, wish) < HALF) {
      this.next = this.begin(wish, timeline);
      this.go(Infinity);
    } else if (this.slide(wish, timeline)) {
      this.next = null;
      this.slidAt = now;
    } else if (!same(this.front.wish, wish) || (this.slid && now - this.slidAt > REST_MS)) {
      if (this.next?.shot.wish.shape !== wish.shape) this.next = null;
      this.next ??= this.begin(wish, timeline);
      this.go(now + SLICE_MS);
    }
    const front = /** @type {Shot} */ (this.front);
    blit(context, front, wish);
    return !this.slid && same(front.wish, wish);
  }

  /** @param {Timeline} timeline @param {number} height @returns {Wish} */
  wished(timeline, height) {
    const { scale, picture, kinds, selected, colours } = timeline;
    const layout = /** @type {import("../tracks/lanes.js").Layout} */ (timeline.layout);
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(scale.right * ratio) - Math.round(scale.left * ratio));
    const tall = Math.max(1, Math.round(height * ratio));
    let density = width / scale.span;
    const kept = this.front?.wish.density ?? 0;
    if (Math.abs(density - kept) * scale.span < 0.25) density = kept; // what a pan leaves of rounding is no zoom
    const made = [picture.spans, picture.marks, picture.rows, picture.lanes, [...kinds].join(), selected, colours, this.tint];
    const left = Math.round(scale.left * ratio);
    return { left, first: Math.round(scale.a * density), density, width, tall, ratio, height, shape: `${timeline.shape} ${width} ${tall}`, scroll: layout.scroll, top: layout.top, made, layout };
  }

  /** @param {Wish} wish @param {Timeline} timeline */
  begin(wish, timeline) {
    const shot = { wish, canvas: this.spare, chosen: new Chosen(timeline, wish.layout, wish.density / wish.ratio, wish.height) };
    return { shot, work: this.whole(shot, timeline) };
  }

  /** Work on the picture in the making until this moment; a finished one comes to the front. @param {number} until */
  go(until) {
    const { next } = this;
    if (!next) return;
    while (!next.work.next().done) if (performance.now() > until) return;
    this.spare = this.front?.canvas ?? document.createElement("canvas");
    this.front = next.shot;
    this.next = null;
    this.slid = false;
  }

  /** @param {Shot} shot @param {Timeline} timeline */
  *whole({ wish, canvas, chosen }, timeline) {
    const { first, width, tall } = wish;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== tall) canvas.height = tall;
    const image = this.blank(width, tall);
    const frame = framed(wish, first, width);
    yield* lanePixels(new Uint32Array(image.data.buffer, 0, width * tall), frame, timeline, wish.layout, this.tint);
    yield* chosen.take(frame.a, frame.b);
    chosen.press(image, frame);
    yield;
    lay(canvas, image, first, width);
  }

  /**
   * Move the front by whole columns and paint those that come in. False where more than that has changed.
   * @param {Wish} wish @param {Timeline} timeline
   */
  slide(wish, timeline) {
    const { wish: had, canvas, chosen } = /** @type {Shot} */ (this.front);
    const by = wish.first - had.first;
    if (wish.density !== had.density || wish.scroll !== had.scroll || !by || Math.abs(by) > had.width * STRIP || had.made.some((one, k) => one !== wish.made[k])) return false;
    const [from, upto] = by > 0 ? [had.first + had.width, wish.first + had.width] : [wish.first, had.first];
    const [gone, left] = by > 0 ? [had.first, wish.first] : [wish.first + had.width, had.first + had.width];
    // Marks stand out of their places: the strip reaches a little into what is there.
    const reach = Math.ceil(REACH * wish.ratio);
    const [x0, x1] = by > 0 ? [from - reach, upto] : [from, upto + reach];
    const frame = framed(wish, x0, x1 - x0);
    const image = this.blank(x1 - x0, wish.tall);
    for (const _ of lanePixels(new Uint32Array(image.data.buffer, 0, (x1 - x0) * wish.tall), frame, timeline, wish.layout, this.tint)) continue;
    chosen.layout = wish.layout;
    chosen.drop(gone / wish.density, left / wish.density);
    for (const _ of chosen.take(from / wish.density, upto / wish.density)) continue;
    chosen.press(image, frame);
    lay(canvas, image, x0, had.width);
    /** @type {Shot} */ (this.front).wish = wish;
    this.slid = true;
    return true;
  }

  /** See-through pixels, in the same memory each time. @param {number} width @param {number} tall */
  blank(width, tall) {
    const size = width * tall * 4;
    if (this.memory.byteLength < size) this.memory = new ArrayBuffer(size);
    const data = new Uint8ClampedArray(this.memory, 0, size);
    new Uint32Array(this.memory, 0, width * tall).fill(0);
    return new ImageData(data, width, tall);
  }
}

/** @param {Wish} wish @param {number} first column @param {number} width columns */
const framed = ({ density, tall, ratio, height }, first, width) => ({ a: first / density, b: (first + width) / density, width, tall, ratio, height });

/** @param {Wish} one @param {Wish} other */
const same = (one, other) => one.first === other.first && one.density === other.density && one.scroll === other.scroll && one.made.every((part, k) => part === other.made[k]);

/** @param {number} column @param {number} width */
const place = (column, width) => ((column % width) + width) % width;

/** Columns from `first` on into their places. @param {HTMLCanvasElement} canvas @param {ImageData} image @param {number} first @param {number} width of the sheet */
function lay(canvas, image, first, width) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const at = place(first, width);
  const head = Math.min(image.width, width - at);
  context.putImageData(image, at, 0, 0, 0, head, image.height);
  if (head < image.width) context.putImageData(image, -head, 0, head, 0, image.width - head, image.height);
}

/** How much of a view is on a picture. @param {Wish} had @param {Wish} wish */
function overlap(had, wish) {
  const [a, b] = [wish.first / wish.density, (wish.first + wish.width) / wish.density];
  const both = Math.min(b, (had.first + had.width) / had.density) - Math.max(a, had.first / had.density);
  return both / (b - a);
}

/** The front as the view is now: moved, stretched, scrolled. @param {CanvasRenderingContext2D} context @param {Shot} shot @param {Wish} wish */
function blit(context, { wish: had, canvas }, wish) {
  const stretch = wish.density / had.density;
  const start = place(had.first, had.width);
  const x = wish.left + had.first * stretch - wish.first;
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.imageSmoothingEnabled = stretch !== 1;
  // Pinned lanes stand still while the others are scrolled.
  const top = wish.scroll === had.scroll ? 0 : Math.round(wish.top * wish.ratio);
  if (top) band(0, top, 0);
  band(top, wish.tall - top, Math.round((had.scroll - wish.scroll) * wish.ratio));
  context.restore();

  /** @param {number} y @param {number} tall @param {number} down */
  function band(y, tall, down) {
    context.save();
    context.beginPath();
    context.rect(wish.left, y, wish.width, tall);
    context.clip();
    const wide = had.width - start;
    context.drawImage(canvas, start, 0, wide, had.tall, x, down, wide * stretch, had.tall);
    if (start) context.drawImage(canvas, 0, 0, start, had.tall, x + wide * stretch, down, start * stretch, had.tall);
    context.restore();
  }
}
