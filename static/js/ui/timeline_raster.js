// @ts-check
/** Thin lanes, folded groups and step ticks as device pixels: the colours, and the work of one picture or of one strip of it. */

import { Heat, Scratch } from "../tracks/heat.js";
import { CODES, Raster, shadesOf, tickShades } from "../tracks/raster.js";

export const THIN = 10; // a lane lower than this is pixels; from here on spans have labels and shapes
export const TICKED = 20; // from this height on a lane has room for the ticks of its steps
const AT_ONCE = 8; // lanes between two moments at which the work may be put down

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {{ lanes: Uint32Array, ticks: Uint32Array }} Tint */
/** @typedef {{ a: number, b: number, width: number, tall: number, ratio: number, height: number }} Frame seconds, device pixels, device pixels a CSS pixel, CSS pixels */

/** @param {Record<string, string>} colours @param {boolean} heated @returns {Tint} */
export function tintOf(colours, heated) {
  const of = (/** @type {string} */ name) => channels(colours[name]);
  const codes = { [CODES.present]: of("tl-lane"), [CODES.idle]: of("tl-idle"), [CODES.landed]: of("tl-landed"), [CODES.live]: of("tl-work"),
    [CODES.failed]: of("tl-failed"), [CODES.liveEnd]: of("st-active"), [CODES.failedEnd]: of("st-bad") };
  return { lanes: shadesOf(codes, of("tl-bg"), heated), ticks: tickShades(of("ink-3"), of("st-bad")) };
}

const scratch = new Scratch();
let bytes = new Uint8Array(0);

/**
 * Paint the lanes of these seconds; it may be put down after each yield and gone on with later.
 * @param {Uint32Array} pixels of the frame, all see-through
 * @param {Frame} frame
 * @param {Timeline} timeline
 * @param {import("../tracks/lanes.js").Layout} layout
 * @param {Tint} tint
 */
export function* lanePixels(pixels, frame, { picture, spansOf }, layout, tint) {
  const { width, ratio, height } = frame;
  const raster = new Raster(pixels, width, frame, tint.lanes);
  const heat = picture.rows ? new Heat(picture.pyramid, frame, width) : null;
  if (heat && picture.rows) yield* heat.counting(picture.rows, scratch);
  if (bytes.length !== width) bytes = new Uint8Array(width);
  const own = bytes;
  const of = (/** @type {number} */ worker) => (heat?.row(worker, own) ? own : null);
  const seen = (/** @type {number} */ y, /** @type {number} */ high) => y + high > layout.top && y < height;
  for (const { lane, y, height: high } of layout.pinned) {
    const row = of(lane.worker);
    if (row) raster.ticks((y + high - 6) * ratio, (y + high - 2) * ratio, row, tint.ticks);
  }
  const least = layout.pinned.length ? layout.top * ratio : 0;
  for (const group of layout.groups) {
    if (!group.open) {
      if (seen(group.y, group.height)) raster.group(group.y * ratio, (group.y + group.height) * ratio, group.lanes, spansOf, (worker, out) => Boolean(heat?.row(worker, out)));
      yield;
      continue;
    }
    for (let k = 0; k < group.lanes.length; k++) {
      const lane = group.lanes[k];
      const y = group.y + k * group.laneHeight;
      if (!seen(y, group.laneHeight)) continue;
      if (group.laneHeight < THIN) raster.lane(Math.max(least, y * ratio), (y + group.laneHeight) * ratio, lane, spansOf(lane.worker), of(lane.worker));
      else if (group.laneHeight >= TICKED) {
        const row = of(lane.worker);
        if (row) raster.ticks((y + group.laneHeight - 6) * ratio, (y + group.laneHeight - 2) * ratio, row, tint.ticks);
      }
      if (k % AT_ONCE === 0) yield;
    }
  }
}

/** Red, green, blue of a computed colour. @param {string} colour @returns {[number, number, number]} */
function channels(colour) {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number);
  return [red, green, blue];
}
