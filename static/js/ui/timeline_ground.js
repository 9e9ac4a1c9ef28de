// @ts-check
/** A frame of the lanes in two parts: the ground, kept while nothing but the cursor moves, and what is drawn over it each time. */

import { drawCursor, drawFewNames, drawFuture, drawGone, drawGrid, drawHead, drawName, drawScrollbar, drawTimes } from "./timeline_frame.js";
import { drawChain, drawTakeOvers } from "./timeline_links.js";
import { THIN } from "./timeline_raster.js";
import { drawLane, drawTurns } from "./timeline_spans.js";
import { ring } from "./paint.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("../tracks/lanes.js").Layout} Layout */
/** @typedef {CanvasRenderingContext2D} Context */

export class Ground {
  constructor() {
    this.canvas = document.createElement("canvas");
    /** @type {any[]} what the frame before was made of */
    this.madeOf = [];
    this.kept = false;
  }

  /** Draw it; false while the lanes are not sharp yet. @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
  draw(context, timeline, width, height) {
    const { scale, layout, picture, colours, sheet, kinds, selected, grouping, canvas } = timeline;
    const made = [scale.a, scale.b, width, height, canvas.width, layout, picture, colours, sheet.tint, [...kinds].join(), selected, timeline.chain, grouping];
    if (made.some((one, k) => one !== this.madeOf[k])) {
      this.madeOf = made;
      this.kept = false;
      return drawGround(context, timeline, width, height);
    }
    // The second frame of one view: it may be the first of many.
    if (!this.kept) {
      if (this.canvas.width !== canvas.width) this.canvas.width = canvas.width;
      if (this.canvas.height !== canvas.height) this.canvas.height = canvas.height;
      const own = /** @type {Context} */ (this.canvas.getContext("2d", { alpha: false }));
      own.setTransform(context.getTransform());
      this.kept = drawGround(own, timeline, width, height);
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.canvas, 0, 0);
    context.restore();
    return this.kept;
  }
}

/** @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height @returns {boolean} whether the lanes are sharp */
function drawGround(context, timeline, width, height) {
  const small = width < 600;
  const layout = /** @type {Layout} */ (timeline.layout);
  const { colours, scale, picture } = timeline;
  context.fillStyle = colours["tl-bg"];
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = timeline.font(11);
  drawGrid(context, timeline, width, height);
  clipped(context, 0, layout.top - (layout.pinned.length ? 0 : 10), width, height, () => {
    for (const group of layout.groups) drawGroup(context, timeline, group, width, height, small);
  });
  let sharp = true;
  clipped(context, 0, 36, width, height, () => {
    for (const row of layout.pinned) drawRoomy(context, timeline, row.lane, row.y, row.height, width, true);
    sharp = timeline.sheet.draw(context, timeline, height);
    if (!layout.pinned.length) return;
    context.fillStyle = colours["line-strong"];
    context.fillRect(0, layout.top - 5, width, 1);
  });
  clipped(context, scale.left, 36, width - scale.left, height, () => {
    if (picture.rows) drawTurns(context, picture.rows, scale, layout, colours);
    drawTakeOvers(context, timeline);
    drawGone(context, timeline, width);
  });
  return sharp;
}

/** What moves with the cursor. @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
export function drawOver(context, timeline, width, height) {
  const { scale, selected, sheet, colours } = timeline;
  context.textBaseline = "middle";
  drawTimes(context, timeline, width);
  clipped(context, scale.left, 36, width - scale.left, height, () => {
    const one = selected && sheet.front?.chosen.shown.find(({ mark }) => mark.id === selected);
    if (one) ring(context, scale.x(one.mark.t), one.y, one.size * 0.85, colours.ink);
    drawFuture(context, timeline, width, height);
    drawChain(context, timeline);
  });
  drawScrollbar(context, timeline, width, height);
  drawCursor(context, timeline, width, height);
}

/** @param {Context} context @param {Timeline} timeline @param {import("../tracks/lanes.js").Group} group @param {number} width @param {number} height @param {boolean} small */
function drawGroup(context, timeline, group, width, height, small) {
  if (group.y > height || group.y + group.height < 0) return;
  if (/** @type {Layout} */ (timeline.layout).groups.length > 1) drawHead(context, timeline, group, small);
  if (!group.open) return;
  if (group.laneHeight < THIN) return small ? undefined : drawFewNames(context, timeline, group);
  group.lanes.forEach((lane, k) => {
    const y = group.y + k * group.laneHeight;
    if (y + group.laneHeight > 0 && y < height) drawRoomy(context, timeline, lane, y, group.laneHeight, width, false);
  });
}

/** @param {Context} context @param {Timeline} timeline @param {import("../tracks/lanes.js").Lane} lane @param {number} y @param {number} height @param {number} width @param {boolean} pinned */
function drawRoomy(context, timeline, lane, y, height, width, pinned) {
  drawLane(context, lane, timeline.spansOf(lane.worker), y, height, timeline.scale, timeline.colours, timeline.font(10));
  drawName(context, timeline, lane, y, height, width, pinned);
}

/** @param {Context} context @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
function clipped(context, x, y, width, height, draw) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height - y);
  context.clip();
  draw();
  context.restore();
}
