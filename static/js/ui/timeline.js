// @ts-check
/**
 * A lane per worker on a canvas: claims as spans, steps as ticks, marks with glyphs, by the detail there is room for.
 * It draws what it is given and answers where a pointer is; it fetches nothing.
 */

import { clock } from "../lib/format_time.js";
import { TimeScale } from "../lib/time_scale.js";
import { layOut } from "../tracks/lanes.js";
import { drawMarks, hitMark } from "./timeline_marks.js";
import { drawLane, drawTicks } from "./timeline_spans.js";
import { fit, readColours } from "./paint.js";

/**
 * @typedef {import("../tracks/claims.js").Span} Span
 * @typedef {import("../tracks/marks.js").Mark} Mark
 * @typedef {{ lanes: import("../tracks/lanes.js").Lane[], spans: Span[], marks: Mark[], rows: import("../trajectory/timeline_rows.js").TimelineRows | null,
 *   scores: { t: number, text: string }[], end: number, live: boolean }} Picture
 */

export class Timeline {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.colours = readColours();
    this.scale = new TimeScale(0, 60, 132, 800);
    /** @type {Picture} */
    this.picture = { lanes: [], spans: [], marks: [], rows: null, scores: [], end: 60, live: false };
    /** @type {Map<number, Span[]>} */
    this.byWorker = new Map();
    /** @type {number[]} */
    this.pinned = [];
    this.closed = new Set();
    this.grouping = "node";
    this.order = "number";
    this.filter = () => true;
    /** @type {Set<string>} */
    this.kinds = new Set();
    this.cursor = 0;
    /** @type {string | null} */
    this.selected = null;
    /** @type {{ t: number, worker: number, tone: string }[]} the evidence chain of the selected mark */
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
    const { pinned, closed, grouping, order, filter } = this;
    this.layout = layOut([...this.picture.lanes], { grouping, order, pinned, closed, room: height - 8, filter });
    const colours = this.colours;
    context.fillStyle = colours["tl-bg"];
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    context.font = this.font(11);
    this.ruler(context, width, height);
    for (const row of this.layout.pinned) this.lane(context, row.lane, row.y, row.height, width, true);
    for (const group of this.layout.groups) this.group(context, group, width, small);
    if (this.layout.pinned.length) {
      context.fillStyle = colours["line-strong"];
      const last = this.layout.pinned[this.layout.pinned.length - 1];
      context.fillRect(0, last.y + last.height + 3, width, 1);
    }
    if (this.picture.rows) drawTicks(context, this.picture.rows, this.scale, this.layout, colours);
    this.drawn = drawMarks(context, this);
    this.future(context, width, height);
    this.cursorLine(context, width, height, gutter);
  }

  /** @param {number} size @param {boolean} [bold] */
  font(size, bold = false) {
    this.family ??= getComputedStyle(document.body).fontFamily;
    return `${bold ? "600 " : ""}${size}px ${this.family}`;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
  ruler(context, width, height) {
    const { scale, colours } = this;
    context.textAlign = "center";
    for (const t of scale.ticks(76)) {
      const x = Math.round(scale.x(t)) + 0.5;
      context.strokeStyle = colours["tl-grid"];
      context.beginPath();
      context.moveTo(x, 18);
      context.lineTo(x, height);
      context.stroke();
      if (x > scale.left + 12 && x < width - 18 && Math.abs(x - scale.x(this.cursor)) > 50) {
        context.fillStyle = colours["ink-3"];
        context.fillText(clock(t, { tenths: scale.span < 8 }), x, 9);
      }
    }
    context.textAlign = "left";
    let last = -99;
    for (const { t, text } of this.picture.scores) {
      const x = scale.x(t);
      if (x < scale.left || x > width - 40 || x - last < 58) continue;
      last = x;
      context.fillStyle = colours["ink-2"];
      context.fillText(text, x + 4, 30);
      context.fillRect(Math.round(x), 23, 1, 14);
    }
    if (width >= 600 && this.picture.scores.length) {
      context.fillStyle = colours["ink-3"];
      context.fillText("score", 0, 30);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Group} group @param {number} width @param {boolean} small */
  group(context, group, width, small) {
    const { colours } = this;
    const heads = /** @type {import("../tracks/lanes.js").Layout} */ (this.layout).groups.length > 1;
    if (heads) {
      const y = group.open ? group.y - 9 : group.y + group.height / 2;
      const lost = group.lanes.filter((lane) => lane.status === "dead" || lane.status === "stalled").length;
      context.textAlign = "left";
      context.fillStyle = lost === group.lanes.length ? colours["st-bad"] : colours["ink-2"];
      context.font = this.font(11, group.open);
      context.fillText(`${group.open ? "▾" : "▸"} ${group.name}`, 0, y);
      context.textAlign = "right";
      context.font = this.font(11);
      context.fillStyle = lost ? colours["st-bad"] : colours["ink-3"];
      if (!small) context.fillText(lost ? `${lost} lost` : String(group.lanes.length), this.scale.left - 10, y);
    }
    group.lanes.forEach((lane, k) => {
      if (!this.pinned.includes(lane.worker)) this.lane(context, lane, group.y + k * group.laneHeight, group.laneHeight, width, false);
    });
  }

  /** @param {CanvasRenderingContext2D} context @param {import("../tracks/lanes.js").Lane} lane @param {number} y @param {number} height @param {number} width @param {boolean} pinned */
  lane(context, lane, y, height, width, pinned) {
    drawLane(context, lane, this.byWorker.get(lane.worker) ?? [], y, height, this.scale, this.colours, this.font(10));
    if (height < 10) return;
    const lost = lane.status === "dead" ? "st-bad" : lane.status === "stalled" ? "st-odd" : null;
    context.textAlign = "left";
    context.font = this.font(11, pinned);
    context.fillStyle = this.colours[lost ?? (pinned ? "ink" : "ink-2")];
    context.fillText(lane.name, pinned ? 0 : 12, y + Math.min(height / 2, 14));
    if (width >= 600 && lane.role !== "no role") {
      context.textAlign = "right";
      context.font = this.font(11);
      context.fillStyle = this.colours["ink-3"];
      context.fillText(lane.role, this.scale.left - 10, y + Math.min(height / 2, 14));
    }
  }

  /** What the cursor has not reached yet recedes. @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
  future(context, width, height) {
    if (this.picture.live) return;
    const x = Math.max(this.scale.left, this.scale.x(this.cursor));
    context.globalAlpha = 0.42;
    context.fillStyle = this.colours["tl-bg"];
    if (x < width) context.fillRect(x, 42, width - x, height);
    context.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {number} gutter */
  cursorLine(context, width, height, gutter) {
    const { colours, scale } = this;
    context.fillStyle = colours.line;
    context.fillRect(gutter - 1, 40, 1, height);
    const x = Math.round(scale.x(this.cursor));
    if (x < gutter || x > width) return;
    context.fillStyle = colours["tl-cursor"];
    context.fillRect(x, 16, 1, height);
    const text = clock(this.cursor, { tenths: scale.span < 120 });
    context.font = this.font(11, true);
    const half = context.measureText(text).width / 2 + 6;
    const at = Math.min(Math.max(x, gutter + half), width - half);
    context.fillRect(at - half, 1, 2 * half, 16);
    context.fillStyle = colours["tl-bg"];
    context.textAlign = "center";
    context.fillText(text, at, 9.5);
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
