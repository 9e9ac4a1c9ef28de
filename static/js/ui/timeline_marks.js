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
  const { scale, colours, kinds } = timeline;
  const layout = /** @type {import("../tracks/lanes.js").Layout} */ (timeline.layout);
  const cell = 9;
  const wide = Math.ceil((scale.right - scale.left) / cell) + 2;
  /** @type {Map<number, Uint8Array>} taken cells by lane, or by closed group */
  const taken = new Map();
  const found = [...meant(timeline), ...counted(timeline)];
  // The rarest kind takes its cell first; drawing then goes the other way, so that it lies on top.
  found.sort((p, q) => KINDS.indexOf(q.kind) - KINDS.indexOf(p.kind) || p.t - q.t);
  const shown = [];
  timeline.places = [];
  for (const mark of found) {
    const place = layout.place.get(mark.worker);
    if (!place) continue;
    const closed = place.group && !place.group.open ? place.group : null;
    const line = closed ? Math.round(closed.y) : Math.round(place.y * 2) + 100_000;
    let cells = taken.get(line);
    if (!cells) taken.set(line, (cells = new Uint8Array(wide)));
    const x = scale.x(mark.t);
    const k = Math.floor((x - scale.left) / cell) + 1;
    const selected = mark.id === timeline.selected;
    if (!selected && (cells[k] || (place.height < 8 && cells[k + 1]))) continue;
    cells[k] = 1;
    const y = closed ? closed.y + closed.height / 2 : place.y + markLine(place.height);
    const size = closed ? 8 : Math.max(6, Math.min(12, place.height * 1.2));
    shown.push({ mark, x, y, size, selected });
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
  return { marks: shown.length, of: found.length };

  /** @param {import("./timeline.js").Timeline} own */
  function* meant({ picture }) {
    for (const mark of picture.marks) if (kinds.has(mark.kind) && mark.t >= scale.a && mark.t <= scale.b) yield mark;
  }
}

/**
 * Marks that are rows of the timeline: notes, messages, pulls, reviews.
 * @param {import("./timeline.js").Timeline} timeline
 */
function* counted({ picture, kinds, scale }) {
  const rows = picture.rows;
  if (!rows) return;
  const wanted = new Map(KINDS.filter((kind) => kinds.has(kind) && !MEANT.includes(kind)).map((kind) => [rows.kindOf(kind), kind]));
  wanted.delete(-1);
  if (!wanted.size) return;
  const last = rows.from(scale.b * 1000 + 1);
  for (let i = rows.from(scale.a * 1000); i < last; i++) {
    const kind = wanted.get(rows.kind[i]);
    if (kind === undefined) continue;
    yield rowMark(rows, i, kind);
  }
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
