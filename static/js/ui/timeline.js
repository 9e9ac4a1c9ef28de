// @ts-check
/**
 * A lane per worker on a canvas: claims as spans, steps as ticks or shades, marks with glyphs, by the detail there is room for.
 * It draws what it is given and answers where a pointer is; it fetches nothing. Live and replay differ in `live` alone.
 */

import { TimeScale } from "../lib/time_scale.js";
import { claimed, layOut } from "../tracks/lanes.js";
import { byKind } from "../tracks/marks.js";
import { drawOver, Ground } from "./timeline_ground.js";
import { fit, readColours, watch } from "./paint.js";
import { tintOf } from "./timeline_raster.js";
import { Sheet } from "./timeline_sheet.js";

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
    this.drawn = { marks: 0, of: 0, lanes: 0, took: 0, pictures: 0, sharp: false };
    /** @type {import("../tracks/lanes.js").Layout | null} */
    this.layout = null;
    this.laidOut = "";
    /** @type {any[]} what the layout was made of */
    this.madeOf = [];
    this.claimsAt = 0;
    this.heated = false; // whether steps are known at all
    this.shape = ""; // two layouts of one shape have the same lanes at the same heights
    this.sheet = new Sheet();
    this.ground = new Ground();
    this.asked = 0;
    /** @type {() => void} called after each frame */
    this.painted = () => {};
    this.spansOf = (/** @type {number} */ worker) => this.byWorker.get(worker) ?? NONE;
    watch(canvas, () => this.paint());
    addEventListener("themechange", () => {
      this.colours = readColours();
      this.sheet.tint = tintOf(this.colours, Boolean(this.picture.rows));
      this.paint();
    });
  }

  /** @param {Picture} picture */
  show(picture) {
    const first = this.picture.lanes.length === 0;
    const whole = this.scale.span >= this.picture.end - 0.01;
    this.picture = picture;
    this.drawn.pictures += 1;
    this.byWorker = new Map();
    for (const span of picture.spans) {
      const own = this.byWorker.get(span.worker);
      if (own) own.push(span);
      else this.byWorker.set(span.worker, [span]);
    }
    this.byKind = byKind(picture.marks);
    if (first || Boolean(picture.rows) !== this.heated) this.sheet.tint = tintOf(this.colours, (this.heated = Boolean(picture.rows)));
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
    this.scale = this.scale.on(width < 600 ? 64 : 132, width - 8);
    const layout = (this.layout = this.arranged(height - 8));
    this.scroll = layout.scroll;
    this.drawn.sharp = this.ground.draw(context, this, width, height);
    if (!this.drawn.sharp) this.paint();
    drawOver(context, this, width, height);
    const chosen = this.sheet.front?.chosen;
    if (chosen) Object.assign(this.drawn, { marks: chosen.shown.length, of: chosen.of });
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
      this.shape = [grouping, order, zoom, room, pinned, this.layout.top, ...this.layout.groups.map(({ name, lanes, laneHeight, open }) => `${name} ${lanes.length} ${laneHeight} ${open}`)].join("|");
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
    const [least, most] = this.layout?.zooms ?? [0.2, 20];
    this.zoom = Math.min(most, Math.max(least, this.zoom * factor));
    this.paint();
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
    const found = { t: Math.min(Math.max(this.scale.t(x), 0), this.picture.end), inGutter: x < this.scale.left, mark: this.sheet.front?.chosen.hit(this.scale, x, y) ?? null };
    const layout = this.layout;
    if (!layout) return { ...found, lane: null, group: null, span: null };
    const pin = layout.pinned.find((row) => y >= row.y && y < row.y + row.height);
    const group = pin ? null : (layout.groups.find((g) => y >= layout.top - 16 && y >= g.y - (g.open ? 16 : 0) && y < g.y + g.height) ?? null);
    const lane = pin?.lane ?? (group && group.open && y >= group.y ? group.lanes[Math.floor((y - group.y) / group.laneHeight)] : null) ?? null;
    const span = lane ? (this.spansOf(lane.worker).findLast((s) => s.start <= found.t && s.end >= found.t) ?? null) : null;
    return { ...found, lane, group, span };
  }
}
