// @ts-check
/** Marks on the lanes. Where there is no room the rarest kind stays and the count says "N of M". */

import { MARK_KINDS, MEANT, rowMark } from "../tracks/marks.js";
import { glyph } from "./paint.js";
import { markLine } from "./timeline_spans.js";

const KINDS = Object.keys(MARK_KINDS);

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("./timeline.js").Timeline} timeline
 * @returns {{ marks: number, of: number }}
 */
export function drawMarks(context, timeline) {
  const { scale, colours, kinds, picture } = timeline;
  const layout = /** @type {import("../tracks/lanes.js").Layout} */ (timeline.layout);
  const cell = 9;
  const wide = Math.ceil((scale.right - scale.left) / cell) + 2;
  /** @type {Map<number, Uint8Array>} taken cells by lane, or by closed group */
  const taken = new Map();
  const indices = rowsInView(timeline);
  /** @type {{ mark: import("../tracks/marks.js").Mark, x: number, y: number, size: number, selected: boolean }[]} */
  const shown = [];
  let of = 0;
  timeline.places = [];
  // The rarest kind takes its cell first; drawing then goes the other way, so that it lies on top.
  for (const kind of [...KINDS].reverse()) {
    if (!kinds.has(kind)) continue;
    if (MEANT.includes(kind)) {
      for (const mark of picture.marks) {
        if (mark.kind === kind && mark.t >= scale.a && mark.t <= scale.b) put(mark.t, mark.worker, mark.id === timeline.selected, () => mark);
      }
    } else if (picture.rows) {
      const rows = picture.rows;
      for (const i of indices.get(kind) ?? []) {
        put(rows.time[i] / 1000, rows.worker[i], timeline.selected === `n:${rows.n[i]}`, () => rowMark(rows, i, kind));
      }
    }
  }
  for (const { mark, x, y, size, selected } of shown.reverse()) {
    const look = MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (mark.kind)];
    if (selected) {
      context.beginPath();
      context.arc(x, y, size * 0.85, 0, 7);
      context.strokeStyle = colours.ink;
      context.lineWidth = 1.5;
      context.stroke();
    }
    glyph(context, look.glyph, x, y, size, colours[`st-${look.tone}`] ?? colours["ink-2"], colours["tl-bg"]);
    timeline.places.push({ x, y, mark });
  }
  context.lineWidth = 1;
  return { marks: shown.length, of };

  /** A mark that finds its cell free is made and drawn; the others are counted. @param {number} t @param {number} worker @param {boolean} selected @param {() => import("../tracks/marks.js").Mark} make */
  function put(t, worker, selected, make) {
    const place = layout.place.get(worker);
    if (!place) return;
    of += 1;
    const closed = place.group && !place.group.open ? place.group : null;
    const line = closed ? Math.round(closed.y) : Math.round(place.y * 2) + 100_000;
    let cells = taken.get(line);
    if (!cells) taken.set(line, (cells = new Uint8Array(wide)));
    const x = scale.x(t);
    const k = Math.floor((x - scale.left) / cell) + 1;
    if (!selected && (cells[k] || (place.height < 8 && cells[k + 1]))) return;
    cells[k] = 1;
    const y = closed ? closed.y + closed.height / 2 : place.y + markLine(place.height);
    const size = closed ? 8 : Math.max(6, Math.min(12, place.height * 1.2));
    shown.push({ mark: make(), x, y, size, selected });
  }
}

/**
 * Rows in view that are marks, by kind: one pass, no objects.
 * @param {import("./timeline.js").Timeline} timeline
 * @returns {Map<string, number[]>}
 */
function rowsInView({ picture, kinds, scale }) {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  const rows = picture.rows;
  if (!rows) return found;
  /** @type {(number[] | undefined)[]} */
  const byIndex = rows.kinds.map((kind) => {
    if (!kinds.has(kind) || MEANT.includes(kind)) return undefined;
    const own = /** @type {number[]} */ ([]);
    found.set(kind, own);
    return own;
  });
  if (!found.size) return found;
  const last = rows.from(scale.b * 1000 + 1);
  for (let i = rows.from(scale.a * 1000); i < last; i++) byIndex[rows.kind[i]]?.push(i);
  return found;
}

/**
 * The mark nearest to a pointer, within its reach.
 * @param {{ x: number, y: number, mark: import("../tracks/marks.js").Mark }[]} places
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
