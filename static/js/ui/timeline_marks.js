// @ts-check
/** Marks on the lanes. Where there is no room the rarest kind stays and the count says "N of M". */

import { MARK_KINDS, MEANT, rowMark } from "../tracks/marks.js";
import { press, stampOf } from "./paint.js";
import { markLine } from "./timeline_spans.js";

const KINDS = Object.keys(MARK_KINDS);
const RANK = new Map(KINDS.map((kind, k) => [kind, k]));
const CELL = 9; // pixels of time that one mark of a lane takes
const THIN = 8; // lanes lower than this share their cells with those beside them
const THINNEST = 4; // lanes lower than this, in cells twice as wide and half as high again
const AT_ONCE = 2_000; // marks between two moments at which the work may be put down
export const REACH = 10; // CSS pixels a mark may stand out of its place

/** @typedef {import("../tracks/marks.js").Mark} Mark */
/** @typedef {{ mark: Mark, y: number, size: number }} Shown */
/** @typedef {import("./timeline.js").Timeline} Timeline */

/**
 * The marks chosen at one density and layout. Cells stand at fixed seconds, not at the edge of the view, so that a view that is moved keeps
 * what it showed and asks only for what comes in.
 */
export class Chosen {
  /** @param {Timeline} timeline @param {import("../tracks/lanes.js").Layout} layout @param {number} density CSS pixels a second @param {number} height CSS pixels */
  constructor(timeline, layout, density, height) {
    this.timeline = timeline;
    this.layout = layout;
    this.density = density;
    this.height = height;
    /** @type {Shown[]} */
    this.shown = [];
    this.of = 0;
    /** @type {Map<number, Set<number>>} taken cells by line */
    this.taken = new Map();
  }

  /**
   * Choose among the marks of these seconds.
   * @param {number} a
   * @param {number} b
   */
  *take(a, b) {
    const { timeline } = this;
    const rows = timeline.picture.rows;
    let k = 0;
    // The rarest kind takes its cell first.
    for (const kind of [...KINDS].reverse()) {
      if (!timeline.kinds.has(kind)) continue;
      if (MEANT.includes(kind)) {
        const marks = timeline.byKind.get(kind) ?? [];
        for (let i = firstFrom(marks, a); i < marks.length && marks[i].t < b; i++) {
          this.put(marks[i].t, marks[i].worker, marks[i].id === timeline.selected, () => marks[i]);
          if (++k % AT_ONCE === 0) yield;
        }
      } else if (rows) {
        const places = rows.ofKind(kind);
        const last = rows.fromOf(places, b * 1000);
        for (let p = rows.fromOf(places, a * 1000); p < last; p++) {
          const i = places[p];
          this.put(rows.time[i] / 1000, rows.worker[i], timeline.selected === `n:${rows.n[i]}`, () => rowMark(rows, i, kind));
          if (++k % AT_ONCE === 0) yield;
        }
      }
    }
    this.shown.sort((one, other) => (RANK.get(one.mark.kind) ?? 0) - (RANK.get(other.mark.kind) ?? 0)); // the rarest lies on top
  }

  /** A mark that finds its cell free is made and kept; the others are counted. @param {number} t @param {number} worker @param {boolean} selected @param {() => Mark} make */
  put(t, worker, selected, make) {
    const { layout, density, taken } = this;
    const place = layout.place.get(worker);
    if (!place) return;
    this.of += 1;
    const closed = place.group && !place.group.open ? place.group : null;
    const y = closed ? closed.y + closed.height / 2 : place.y + markLine(place.height);
    if (place.group && (y < layout.top || y > this.height)) return;
    // Lines of a scrolled layout stand at fixed lanes too.
    const deep = y + layout.scroll;
    const line = closed ? -Math.round(closed.y + layout.scroll) - 1 : place.height < THINNEST ? Math.floor(deep / 12) : place.height < THIN ? Math.floor(deep / THIN) : 100_000 + Math.round((place.y + layout.scroll) * 2);
    let cells = taken.get(line);
    if (!cells) taken.set(line, (cells = new Set()));
    const k = Math.floor((t * density) / CELL);
    if (!selected && (cells.has(k) || (place.height < THIN && cells.has(k + 1)) || (place.height < THINNEST && !closed && (cells.has(k - 1) || cells.has(k + 2))))) return;
    cells.add(k);
    this.shown.push({ mark: make(), y, size: closed ? 8 : Math.max(6, Math.min(12, Math.round(place.height * 1.2))) });
  }

  /** Marks of these seconds that went out of view. @param {number} a @param {number} b */
  drop(a, b) {
    const { timeline, layout } = this;
    const rows = timeline.picture.rows;
    for (const kind of timeline.kinds) {
      if (MEANT.includes(kind)) {
        const marks = timeline.byKind.get(kind) ?? [];
        for (let i = firstFrom(marks, a); i < marks.length && marks[i].t < b; i++) this.of -= Number(layout.place.has(marks[i].worker));
      } else if (rows) {
        const places = rows.ofKind(kind);
        const last = rows.fromOf(places, b * 1000);
        for (let p = rows.fromOf(places, a * 1000); p < last; p++) this.of -= Number(layout.place.has(rows.worker[places[p]]));
      }
    }
    this.shown = this.shown.filter(({ mark }) => mark.t < a || mark.t >= b);
  }

  /**
   * Lay those that reach into a picture over it.
   * @param {ImageData} image
   * @param {import("./timeline_raster.js").Frame} frame
   */
  press(image, { a, b, width, ratio }) {
    const { colours } = this.timeline;
    const density = width / (b - a);
    const reach = (REACH * ratio) / density;
    for (const { mark, y, size } of this.shown) {
      if (mark.t < a - reach || mark.t > b + reach) continue;
      const look = MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (mark.kind)];
      press(image, stampOf(look.glyph, size, colours[`st-${look.tone}`] ?? colours["ink-2"], colours["tl-bg"], ratio), (mark.t - a) * density, y * ratio);
    }
  }

  /** @param {import("../lib/time_scale.js").TimeScale} scale @param {number} x @param {number} y @returns {Mark | null} the mark nearest to a pointer, within its reach */
  hit(scale, x, y) {
    let best = null;
    let near = 9;
    for (const one of this.shown) {
      const far = Math.hypot(scale.x(one.mark.t) - x, one.y - y);
      if (far <= near) {
        near = far;
        best = one.mark;
      }
    }
    return best;
  }
}

/** The first mark at or after a second. @param {Mark[]} marks @param {number} t */
function firstFrom(marks, t) {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle].t < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
