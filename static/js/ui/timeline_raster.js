// @ts-check
/** Thin lanes, folded groups and step ticks, as one picture of device pixels laid over the canvas. */

import { Heat } from "../tracks/heat.js";
import { CODES, Raster, shadesOf, tickShades } from "../tracks/raster.js";

export const THIN = 10; // a lane lower than this is pixels; from here on spans have labels and shapes
export const TICKED = 20; // from this height on a lane has room for the ticks of its steps

/** @typedef {import("./timeline.js").Timeline} Timeline */

export class RasterLayer {
  constructor() {
    this.sheet = document.createElement("canvas");
    /** @type {ImageData | null} */
    this.image = null;
    this.shades = new Uint32Array(0);
    this.ticks = new Uint32Array(0);
    /** @type {any[]} what the picture was made of */
    this.madeOf = [];
  }

  /** @param {Record<string, string>} colours @param {boolean} heated */
  tint(colours, heated) {
    const of = (/** @type {string} */ name) => channels(colours[name]);
    const codes = { [CODES.present]: of("tl-lane"), [CODES.idle]: of("tl-idle"), [CODES.landed]: of("tl-landed"), [CODES.live]: of("tl-work"),
      [CODES.failed]: of("tl-failed"), [CODES.liveEnd]: of("st-active"), [CODES.failedEnd]: of("st-bad") };
    this.shades = shadesOf(codes, of("tl-bg"), heated);
    this.ticks = tickShades(of("ink-3"), of("st-bad"));
    this.madeOf = [];
  }

  /**
   * The picture is made again only where the view, the layout or what is shown has changed: a cursor that moves costs a copy.
   * @param {CanvasRenderingContext2D} context
   * @param {Timeline} timeline
   * @param {number} height CSS pixels
   */
  draw(context, timeline, height) {
    const { scale, picture, layout } = timeline;
    if (!layout) return;
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    const left = Math.round(scale.left * ratio);
    const width = Math.max(1, Math.round(scale.right * ratio) - left);
    const made = [scale.a, scale.b, width, height, ratio, picture, layout, this.shades];
    if (made.some((one, k) => one !== this.madeOf[k])) {
      this.madeOf = made;
      this.paint(timeline, width, height, ratio);
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.sheet, left, 0);
    context.restore();
  }

  /** @param {Timeline} timeline @param {number} width device pixels @param {number} height CSS pixels @param {number} ratio */
  paint({ scale, picture, layout, spansOf }, width, height, ratio) {
    if (!layout) return;
    const tall = Math.max(1, Math.round(height * ratio));
    const image = this.fitted(width, tall);
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    const raster = new Raster(pixels, width, scale, this.shades);
    const heat = picture.rows ? new Heat(picture.rows, picture.pyramid, scale, width) : null;
    const bytes = new Uint8Array(width);
    const of = (/** @type {number} */ worker) => (heat?.row(worker, bytes) ? bytes : null);
    const spans = (/** @type {number} */ worker) => spansOf(worker);
    const seen = (/** @type {number} */ y, /** @type {number} */ high) => y + high > layout.top && y < height;
    for (const { lane, y, height: high } of layout.pinned) {
      const row = of(lane.worker);
      if (row) raster.ticks((y + high - 6) * ratio, (y + high - 2) * ratio, row, this.ticks);
    }
    const least = layout.pinned.length ? layout.top * ratio : 0;
    for (const group of layout.groups) {
      if (!group.open) {
        if (seen(group.y, group.height)) raster.group(group.y * ratio, (group.y + group.height) * ratio, group.lanes, spans, (worker, out) => Boolean(heat?.row(worker, out)));
        continue;
      }
      group.lanes.forEach((lane, k) => {
        const y = group.y + k * group.laneHeight;
        if (!seen(y, group.laneHeight)) return;
        if (group.laneHeight < THIN) raster.lane(Math.max(least, y * ratio), (y + group.laneHeight) * ratio, lane, spans(lane.worker), of(lane.worker));
        else if (group.laneHeight >= TICKED) {
          const row = of(lane.worker);
          if (row) raster.ticks((y + group.laneHeight - 6) * ratio, (y + group.laneHeight - 2) * ratio, row, this.ticks);
        }
      });
    }
    /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d")).putImageData(image, 0, 0);
  }

  /** @param {number} width @param {number} height */
  fitted(width, height) {
    if (!this.image || this.sheet.width !== width || this.sheet.height !== height) {
      this.sheet.width = width;
      this.sheet.height = height;
      this.image = new ImageData(width, height);
    }
    return this.image;
  }
}

/** Red, green, blue of a computed colour. @param {string} colour @returns {[number, number, number]} */
function channels(colour) {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number);
  return [red, green, blue];
}
