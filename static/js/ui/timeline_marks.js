// @ts-check
/** Marks on the lanes. Where there is no room the rarest kind stays and the count says "N of M". */

import { MARK_KINDS, MEANT, rowMark } from "../tracks/marks.js";
import { press, stampOf } from "./paint.js";
import { markLine } from "./timeline_spans.js";

const KINDS = Object.keys(MARK_KINDS);
const CELL = 9; // pixels of time that one mark of a lane takes
const THIN = 8; // lanes lower than this share their cells with those beside them
const THINNEST = 4; // lanes lower than this, in cells twice as wide and half as high again

/** @typedef {import("../tracks/marks.js").Mark} Mark */
/** @typedef {{ marks: number, of: number, chosen: { x: number, y: number, size: number } | null }} Drawn */

/** The marks on a sheet of their own, drawn again only where the view, the layout or what is shown has changed. */
export class MarksLayer {
  constructor() {
    this.sheet = document.createElement("canvas");
    /** @type {any[]} what the sheet was made of */
    this.madeOf = [];
    /** @type {Drawn} */
    this.drawn = { marks: 0, of: 0, chosen: null };
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import("./timeline.js").Timeline} timeline
   * @param {number} width
   * @param {number} height
   */
  draw(context, timeline, width, height) {
    const { scale, picture, layout, kinds, selected, colours } = timeline;
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    const made = [scale.a, scale.b, scale.left, width, height, ratio, picture, layout, [...kinds].join(), selected, colours];
    if (made.some((one, k) => one !== this.madeOf[k])) {
      this.madeOf = made;
      const image = new ImageData(Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)));
      this.drawn = drawMarks(image, ratio, timeline, height);
      if (this.sheet.width !== image.width) this.sheet.width = image.width;
      if (this.sheet.height !== image.height) this.sheet.height = image.height;
      /** @type {CanvasRenderingContext2D} */ (this.sheet.getContext("2d")).putImageData(image, 0, 0);
    }
    context.drawImage(this.sheet, 0, 0, width, height);
    const chosen = this.drawn.chosen;
    if (chosen) ring(context, chosen.x, chosen.y, chosen.size * 0.85, colours.ink);
    return this.drawn;
  }
}

/**
 * @param {ImageData} image
 * @param {number} ratio device pixels a CSS pixel
 * @param {import("./timeline.js").Timeline} timeline
 * @param {number} height CSS pixels
 * @returns {Drawn}
 */
function drawMarks(image, ratio, timeline, height) {
  const { scale, colours, kinds, picture } = timeline;
  const layout = /** @type {import("../tracks/lanes.js").Layout} */ (timeline.layout);
  const wide = Math.ceil((scale.right - scale.left) / CELL) + 2;
  /** @type {Map<number, Uint8Array>} taken cells by line */
  const taken = new Map();
  /** @type {{ mark: Mark, x: number, y: number, size: number, selected: boolean }[]} */
  const shown = [];
  let of = 0;
  timeline.places = [];
  // The rarest kind takes its cell first; drawing then goes the other way, so that it lies on top.
  for (const kind of [...KINDS].reverse()) {
    if (!kinds.has(kind)) continue;
    if (MEANT.includes(kind)) {
      const marks = timeline.byKind.get(kind) ?? [];
      for (let k = firstFrom(marks, scale.a); k < marks.length && marks[k].t <= scale.b; k++) {
        put(marks[k].t, marks[k].worker, marks[k].id === timeline.selected, () => marks[k]);
      }
    } else if (picture.rows) {
      const rows = picture.rows;
      const places = rows.ofKind(kind);
      const last = rows.fromOf(places, scale.b * 1000 + 1);
      for (let k = rows.fromOf(places, scale.a * 1000); k < last; k++) {
        const i = places[k];
        put(rows.time[i] / 1000, rows.worker[i], timeline.selected === `n:${rows.n[i]}`, () => rowMark(rows, i, kind));
      }
    }
  }
  for (const { mark, x, y, size } of shown.reverse()) {
    const look = MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (mark.kind)];
    press(image, stampOf(look.glyph, size, colours[`st-${look.tone}`] ?? colours["ink-2"], colours["tl-bg"], ratio), x * ratio, y * ratio);
    timeline.places.push({ x, y, mark });
  }
  return { marks: shown.length, of, chosen: shown.find((one) => one.selected) ?? null };

  /** A mark that finds its cell free is made and drawn; the others are counted. @param {number} t @param {number} worker @param {boolean} selected @param {() => Mark} make */
  function put(t, worker, selected, make) {
    const place = layout.place.get(worker);
    if (!place) return;
    of += 1;
    const closed = place.group && !place.group.open ? place.group : null;
    const y = closed ? closed.y + closed.height / 2 : place.y + markLine(place.height);
    if (place.group && (y < layout.top || y > height)) return;
    const line = closed ? -Math.round(closed.y) - 1 : place.height < THINNEST ? Math.floor(y / 12) : place.height < THIN ? Math.floor(y / THIN) : 100_000 + Math.round(place.y * 2);
    let cells = taken.get(line);
    if (!cells) taken.set(line, (cells = new Uint8Array(wide)));
    const x = scale.x(t);
    const k = Math.floor((x - scale.left) / CELL) + 1;
    if (!selected && (cells[k] || (place.height < THIN && cells[k + 1]) || (place.height < THINNEST && !closed && (cells[k - 1] || cells[k + 2])))) return;
    cells[k] = 1;
    const size = closed ? 8 : Math.max(6, Math.min(12, Math.round(place.height * 1.2)));
    shown.push({ mark: make(), x, y, size, selected });
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius @param {string} colour */
function ring(context, x, y, radius, colour) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 1;
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

/**
 * The mark nearest to a pointer, within its reach.
 * @param {{ x: number, y: number, mark: Mark }[]} places
 * @param {number} x
 * @param {number} y
 */
export function hitMark(places, x, y) {
  let best = null;
  let reach = 9;
  for (const place of places) {
    const far = Math.hypot(place.x - x, place.y - y);
    if (far <= reach) {
      reach = far;
      best = place.mark;
    }
  }
  return best;
}
