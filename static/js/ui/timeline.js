// @ts-check
/**
 * A lane per worker on a canvas: claims as spans, steps as ticks or shades, marks with glyphs, by the detail there is room for.
 * It draws what it is given and answers where a pointer is; it fetches nothing. Live and replay differ in `live` alone.
 */

import { TimeScale } from "../lib/time_scale.js";
import { claimed, layOut } from "../tracks/lanes.js";
import { byKind } from "../tracks/marks.js";
import { drawCursor, drawFewNames, drawFuture, drawGone, drawHead, drawName, drawRuler, drawScrollbar } from "./timeline_frame.js";
import { drawChain, drawTakeOvers } from "./timeline_links.js";
import { hitMark, MarksLayer } from "./timeline_marks.js";
import { RasterLayer, THIN } from "./timeline_raster.js";
import { drawLane, drawTurns } from "./timeline_spans.js";
import { fit, readColours, watch } from "./paint.js";

/**
 * @typedef {import("../tracks/claims.js").Span} Span
 * @typedef {import("../tracks/marks.js").Mark} Mark
 * @typedef {import("../tracks/picture.js").Meaning & { rows: import("../trajectory/timeline_rows.js").TimelineRows | null,
 *   pyramid: import("../trajectory/pyramid.js").Pyramid | null }} Picture
 */

/** @type {Span[]} */
const NONE = [];

export class Timeline {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.colours = readColours();
    this.scale = new TimeScale(0, 60, 132, 800);
    /** @type {Picture} */
    this.picture = { lanes: [], spans: [], marks: [], rows: null, pyramid: null, scores: [], takeOvers: [], gone: [], end: 60, live: false };
    /** @type {Map<number, Span[]>} */
    this.byWorker = new Map();
    /** @type {Map<string, Mark[]>} */
    this.byKind = new Map();
    /** @type {number[]} */
    this.pinned = [];
    /** @type {number[]} lanes of the evidence, pinned while it is shown */
    this.also = [];
    this.closed = new Set();
    this.grouping = "node";
    this.order = "number";
    this.zoom = 1; // how much taller lanes are than they must be
    this.scroll = 0;
    /** @type {(lane: import("../tracks/lanes.js").Lane) => boolean} */
    this.filter = () => true;
    /** @type {Set<string>} */
    this.kinds = new Set();
    this.cursor = 0;
    /** @type {number | null} a second moment, to compare with */
    this.other = null;
    /** @type {string | null} */
    this.selected = null;
    /** @type {{ t: number, worker: number, tone: string, chosen: boolean }[]} the evidence chain of what is selected */
    this.chain = [];
    this.drawn = { marks: 0, of: 0, lanes: 0, took: 0 };
    /** @type {import("../tracks/lanes.js").Layout | null} */
    this.layout = null;
    this.laidOut = "";
    /** @type {any[]} what the layout was made of */
    this.madeOf = [];
    this.claimsAt = 0;
    this.raster = new RasterLayer();
    this.marks = new MarksLayer();
    /** @type {{ x: number, y: number, mark: Mark }[]} */
    this.places = [];
    this.asked = 0;
    /** @type {() => void} called after each frame */
    this.painted = () => {};
    this.spansOf = (/** @type {number} */ worker) => this.byWorker.get(worker) ?? NONE;
    watch(canvas, () => this.paint());
    addEventListener("themechange", () => {
      this.colours = readColours();
      this.raster.tint(this.colours, Boolean(this.picture.rows));
      this.paint();
    });
  }

  /** @param {Picture} picture */
  show(picture) {
    const first = this.picture.lanes.length === 0;
    const whole = this.scale.span >= this.picture.end - 0.01;
    this.picture = picture;
    this.byWorker = new Map();
    for (const span of picture.spans) {
      const own = this.byWorker.get(span.worker);
      if (own) own.push(span);
      else this.byWorker.set(span.worker, [span]);
    }
    this.byKind = byKind(picture.marks);
    this.raster.tint(this.colours, Boolean(picture.rows));
    const { a, b, left, right } = this.scale;
    const all = new TimeScale(0, picture.end, left, right, 0, picture.end);
    this.scale = first || whole ? all : all.showing(a, b);
    this.paint();
  }

  /** Draw at the next frame; asking twice draws once. */
  paint() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
      this.painted();
      this.canvas.dispatchEvent(new CustomEvent("painted", { detail: this.drawn }));
    });
  }

  draw() {
    const began = performance.now();
    const { context, width, height } = fit(this.canvas);
    if (width < 2) return;
    const small = width < 600;
    const gutter = small ? 56 : 132;
    this.scale = this.scale.on(gutter, width - 8);
    const layout = (this.layout = this.arranged(height - 8));
    this.scroll = layout.scroll;
    const colours = this.colours;
    context.fillStyle = colours["tl-bg"];
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    context.font = this.font(11);
    drawRuler(context, this, width, height);
    clipped(context, 0, layout.top - (layout.pinned.length ? 0 : 10), width, height, () => {
      for (const group of layout.groups) this.group(context, group, width, height, small);
    });
    clipped(context, 0, 36, width, height, () => {
      for (const row of layout.pinned) this.lane(context, row.lane, row.y, row.height, width, true);
      this.raster.draw(context, this, height);
      if (layout.pinned.length) {
        context.fillStyle = colours["line-strong"];
        context.fillRect(0, layout.top - 5, width, 1);
      }
    });
    clipped(context, gutter, 36, width - gutter, height, () => {
      if (this.picture.rows) drawTurns(context, this.picture.rows, this.scale, layout, colours);
      drawTakeOvers(context, this);
      const { marks, of } = this.marks.draw(context, this, width, height);
      this.drawn = { ...this.drawn, marks, of };
      drawGone(context, this, width);
      drawFuture(context, this, width, height);
      drawChain(context, this);
    });
    drawScrollbar(context, this, width, height);
    drawCursor(context, this, width, height);
    this.drawn.took = performance.now() - began;
  }

  /** The layout, made again only where something it is made of has changed. @param {number} room */
  arranged(room) {
    const { closed, grouping, order, filter, zoom, scroll, picture } = this;
    const pinned = [...new Set([...this.pinned, ...this.also])];
    const words = [grouping, order, zoom, scroll, room, pinned, [...closed].join("\n"), this.claimsAt].join("|");
    const made = [picture.lanes, filter];
    if (!this.layout || words !== this.laidOut || made.some((one, k) => one !== this.madeOf[k])) {
      const lanes = grouping === "claim" || order === "claim" ? claimed(picture.lanes, this.spansOf, this.claimsAt) : picture.lanes;
      this.layout = layOut(lanes, { grouping, order, pinned, closed, room, filter, zoom, scroll });
      this.laidOut = words;
      this.madeOf = made;
      this.drawn.lanes = this.layout.groups.reduce((sum, group) => sum + group.lanes.length, 0);
    }
    return this.layout;
  }

  /** Group and order the lanes; by claim means by the claims of the second the cursor is at. @param {string} grouping @param {string} order */
  arrange(grouping, order) {
    [this.grouping, this.order, this.claimsAt, this.scroll] = [grouping, order, this.cursor, 0];
    this.paint();
  }

  /** @param {number} by pixels */
  scrollBy(by) {
    this.scroll = Math.max(0, this.scroll + by);
    this.paint();
  }

  /** Lanes this much taller, between one pixel and their tallest. @param {number} factor */
  taller(factor) {
    this.zoom = Math.min(20, Math.max(0.2, this.zoom * factor));
    this.paint();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Group} group @param {number} width @param {number} height @param {boolean} small */
  group(context, group, width, height, small) {
    if (group.y > height || group.y + group.height < 0) return;
    if (/** @type {import("../tracks/lanes.js").Layout} */ (this.layout).groups.length > 1) drawHead(context, this, group, small);
    if (!group.open) return;
    if (group.laneHeight < THIN) return small ? undefined : drawFewNames(context, this, group);
    group.lanes.forEach((lane, k) => {
      const y = group.y + k * group.laneHeight;
      if (y + group.laneHeight > 0 && y < height) this.lane(context, lane, y, group.laneHeight, width, false);
    });
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Lane} lane @param {number} y @param {number} height @param {number} width @param {boolean} pinned */
  lane(context, lane, y, height, width, pinned) {
    drawLane(context, lane, this.spansOf(lane.worker), y, height, this.scale, this.colours, this.font(10));
    drawName(context, this, lane, y, height, width, pinned);
  }

  /** @param {number} size @param {boolean} [bold] */
  font(size, bold = false) {
    this.family ??= getComputedStyle(document.body).fontFamily;
    return `${bold ? "600 " : ""}${size}px ${this.family}`;
  }

  /**
   * What is under a pointer.
   * @param {MouseEvent} event
   */
  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const found = { t: Math.min(Math.max(this.scale.t(x), 0), this.picture.end), inGutter: x < this.scale.left, mark: hitMark(this.places, x, y) };
    const layout = this.layout;
    if (!layout) return { ...found, lane: null, group: null, span: null };
    const pin = layout.pinned.find((row) => y >= row.y && y < row.y + row.height);
    const group = pin ? null : (layout.groups.find((g) => y >= layout.top - 16 && y >= g.y - (g.open ? 16 : 0) && y < g.y + g.height) ?? null);
    const lane = pin?.lane ?? (group && group.open && y >= group.y ? group.lanes[Math.floor((y - group.y) / group.laneHeight)] : null) ?? null;
    const span = lane ? (this.spansOf(lane.worker).findLast((s) => s.start <= found.t && s.end >= found.t) ?? null) : null;
    return { ...found, lane, group, span };
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} width @param {number} height @param {() => void} draw */
function clipped(context, x, y, width, height, draw) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height - y);
  context.clip();
  draw();
  context.restore();
}
