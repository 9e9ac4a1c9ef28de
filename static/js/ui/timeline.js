// @ts-check
/**
 * A lane per worker on a canvas: claims as spans, steps as ticks, marks with glyphs, by the detail there is room for.
 * It draws what it is given and answers where a pointer is; it fetches nothing.
 */

import { TimeScale } from "../lib/time_scale.js";
import { layOut } from "../tracks/lanes.js";
import { drawCursor, drawFewNames, drawFuture, drawHead, drawName, drawRuler } from "./timeline_frame.js";
import { drawChain, drawTakeOvers } from "./timeline_links.js";
import { drawMarks, hitMark } from "./timeline_marks.js";
import { drawLane, drawTicks } from "./timeline_spans.js";
import { fit, readColours } from "./paint.js";

/**
 * @typedef {import("../tracks/claims.js").Span} Span
 * @typedef {import("../tracks/marks.js").Mark} Mark
 * @typedef {{ lanes: import("../tracks/lanes.js").Lane[], spans: Span[], marks: Mark[], rows: import("../trajectory/timeline_rows.js").TimelineRows | null,
 *   scores: { t: number, text: string }[], takeOvers: import("../tracks/marks.js").TakeOver[], end: number, live: boolean }} Picture
 */

export class Timeline {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.colours = readColours();
    this.scale = new TimeScale(0, 60, 132, 800);
    /** @type {Picture} */
    this.picture = { lanes: [], spans: [], marks: [], rows: null, scores: [], takeOvers: [], end: 60, live: false };
    /** @type {Map<number, Span[]>} */
    this.byWorker = new Map();
    /** @type {number[]} */
    this.pinned = [];
    /** @type {number[]} lanes of the evidence, pinned while it is shown */
    this.also = [];
    this.closed = new Set();
    this.grouping = "node";
    this.order = "number";
    this.filter = () => true;
    /** @type {Set<string>} */
    this.kinds = new Set();
    this.cursor = 0;
    /** @type {string | null} */
    this.selected = null;
    /** @type {{ t: number, worker: number, tone: string, chosen: boolean }[]} the evidence chain of what is selected */
    this.chain = [];
    this.drawn = { marks: 0, of: 0 };
    /** @type {import("../tracks/lanes.js").Layout | null} */
    this.layout = null;
    /** @type {{ x: number, y: number, mark: Mark }[]} */
    this.places = [];
    this.asked = 0;
    new ResizeObserver(() => this.paint()).observe(canvas);
    addEventListener("themechange", () => {
      this.colours = readColours();
      this.paint();
    });
  }

  /** @param {Picture} picture */
  show(picture) {
    const first = this.picture.lanes.length === 0;
    this.picture = picture;
    this.byWorker = new Map();
    for (const span of picture.spans) {
      const own = this.byWorker.get(span.worker);
      if (own) own.push(span);
      else this.byWorker.set(span.worker, [span]);
    }
    const { a, b, left, right } = this.scale;
    const whole = new TimeScale(0, picture.end, left, right, 0, picture.end);
    this.scale = first || picture.live ? whole : whole.showing(a, b);
    this.paint();
  }

  /** Draw at the next frame; asking twice draws once. */
  paint() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  draw() {
    const { context, width, height } = fit(this.canvas);
    if (width < 2) return;
    const small = width < 600;
    const gutter = small ? 56 : 132;
    this.scale = this.scale.on(gutter, width - 8);
    const { closed, grouping, order, filter } = this;
    const pinned = [...new Set([...this.pinned, ...this.also])];
    this.layout = layOut([...this.picture.lanes], { grouping, order, pinned, closed, room: height - 8, filter });
    const colours = this.colours;
    context.fillStyle = colours["tl-bg"];
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    context.font = this.font(11);
    drawRuler(context, this, width, height);
    context.save();
    context.beginPath();
    context.rect(0, 36, width, height);
    context.clip();
    for (const row of this.layout.pinned) this.lane(context, row.lane, row.y, row.height, width, true);
    for (const group of this.layout.groups) this.group(context, group, width, small);
    if (this.layout.pinned.length) {
      context.fillStyle = colours["line-strong"];
      const last = this.layout.pinned[this.layout.pinned.length - 1];
      context.fillRect(0, last.y + last.height + 3, width, 1);
    }
    context.save();
    context.beginPath();
    context.rect(gutter, 36, width - gutter, height);
    context.clip();
    if (this.picture.rows) drawTicks(context, this.picture.rows, this.scale, this.layout, colours);
    drawTakeOvers(context, this);
    this.drawn = drawMarks(context, this);
    drawFuture(context, this, width, height);
    drawChain(context, this);
    context.restore();
    context.restore();
    drawCursor(context, this, width, height);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Group} group @param {number} width @param {boolean} small */
  group(context, group, width, small) {
    if (/** @type {import("../tracks/lanes.js").Layout} */ (this.layout).groups.length > 1) drawHead(context, this, group, small);
    group.lanes.forEach((lane, k) => this.lane(context, lane, group.y + k * group.laneHeight, group.laneHeight, width, false));
    if (group.open && group.laneHeight < 10 && !small) drawFewNames(context, this, group);
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Lane} lane @param {number} y @param {number} height @param {number} width @param {boolean} pinned */
  lane(context, lane, y, height, width, pinned) {
    drawLane(context, lane, this.byWorker.get(lane.worker) ?? [], y, height, this.scale, this.colours, this.font(10));
    if (height >= 10) drawName(context, this, lane, y, height, width, pinned);
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
    const group = layout.groups.find((g) => y >= g.y - (g.open ? 16 : 0) && y < g.y + g.height) ?? null;
    const pin = layout.pinned.find((row) => y >= row.y && y < row.y + row.height);
    const lane = pin?.lane ?? (group && group.open && y >= group.y ? group.lanes[Math.floor((y - group.y) / group.laneHeight)] : null) ?? null;
    const spans = lane ? (this.byWorker.get(lane.worker) ?? []) : [];
    const span = spans.findLast((s) => s.start <= found.t && s.end >= found.t) ?? null;
    return { ...found, lane, group, span };
  }
}
