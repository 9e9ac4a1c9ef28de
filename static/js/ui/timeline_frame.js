// @ts-check
/** What stands around the lanes: ruler, scores, names in the gutter, the future that recedes, the cursor. */

import { clock } from "../lib/format_time.js";
import { glyph } from "./paint.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {CanvasRenderingContext2D} Context */

const TOP = 42;
const SPARSE = 44; // pixels between names that only say where one is
const LOST = { dead: "st-bad", stalled: "st-odd" };

/** Lines at round times, and the scores. @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
export function drawGrid(context, timeline, width, height) {
  const { scale, colours, picture } = timeline;
  context.fillStyle = colours["tl-grid"];
  for (const t of scale.ticks(76)) context.fillRect(Math.round(scale.x(t)), 18, 1, height);
  context.textAlign = "left";
  let last = -99;
  for (const { t, text } of picture.scores) {
    const x = scale.x(t);
    if (x < scale.left || x > width - 40 || x - last < 64) continue;
    last = x;
    glyph(context, "score", x + 5, 30, 10, colours["ink-2"]);
    context.fillStyle = colours["ink-2"];
    context.fillText(text, x + 13, 30);
  }
  if (width >= 600 && picture.scores.length) {
    context.fillStyle = colours["ink-3"];
    context.fillText("score", 0, 30);
  }
}

/** The round times in words, where the cursor does not stand. @param {Context} context @param {Timeline} timeline @param {number} width */
export function drawTimes(context, timeline, width) {
  const { scale, colours } = timeline;
  const cursor = Math.min(Math.max(scale.x(timeline.cursor), scale.left + 30), width - 30); // as its own label is kept inside
  context.textAlign = "center";
  context.font = timeline.font(11);
  context.fillStyle = colours["ink-3"];
  for (const t of scale.ticks(76)) {
    const x = scale.x(t);
    if (x > scale.left + 12 && x < width - 18 && Math.abs(x - cursor) > 50) context.fillText(clock(t, { tenths: scale.span < 8 }), x, 9);
  }
}

/** The head of a group: folded or not, how many lanes, how many lost. @param {Context} context @param {Timeline} timeline @param {import("../tracks/lanes.js").Group} group @param {boolean} small */
export function drawHead(context, timeline, group, small) {
  const { colours } = timeline;
  const y = group.open ? group.y - 9 : group.y + group.height / 2;
  const lost = group.lanes.filter((lane) => lane.status in LOST).length;
  glyph(context, group.open ? "fold" : "unfold", 5, y, 9, colours["ink-3"]);
  context.textAlign = "left";
  context.fillStyle = lost === group.lanes.length ? colours["st-bad"] : group.open ? colours.ink : colours["ink-2"];
  context.font = timeline.font(11, group.open);
  context.fillText(small ? group.name.slice(0, 8) : group.name.slice(0, 14), 14, y + 0.5);
  if (small) return;
  context.textAlign = "right";
  context.font = timeline.font(11);
  context.fillStyle = lost ? colours["st-bad"] : colours["ink-3"];
  context.fillText(lost ? `${lost} lost` : String(group.lanes.length), timeline.scale.left - 10, y + 0.5);
}

/** The name of a lane with room for it. @param {Context} context @param {Timeline} timeline @param {import("../tracks/lanes.js").Lane} lane @param {number} y @param {number} height @param {number} width @param {boolean} pinned */
export function drawName(context, timeline, lane, y, height, width, pinned) {
  const { colours, scale } = timeline;
  const lost = LOST[/** @type {keyof typeof LOST} */ (lane.status)];
  const middle = y + Math.min(height / 2, 14);
  context.textAlign = "left";
  context.font = timeline.font(11, pinned);
  context.fillStyle = colours[lost ?? (pinned ? "ink" : "ink-2")];
  context.fillText(lane.name, 0, middle);
  if (width < 600 || lane.role === "no role") return;
  context.textAlign = "right";
  context.font = timeline.font(11);
  context.fillStyle = colours["ink-3"];
  context.fillText(lane.role, scale.left - 10, middle);
}

/**
 * Thin lanes are too many to name: those of integrators, of the lost and of the evidence are, where they do not touch; some of the others where nobody else is.
 * @param {Context} context @param {Timeline} timeline @param {import("../tracks/lanes.js").Group} group
 */
export function drawFewNames(context, timeline, group) {
  const { colours, scale } = timeline;
  const top = timeline.layout?.top ?? 0;
  const chained = new Set(timeline.chain.map((link) => link.worker));
  let last = group.y - 9; // the group's own head
  context.textAlign = "right";
  group.lanes.forEach((lane, k) => {
    const lost = LOST[/** @type {keyof typeof LOST} */ (lane.status)];
    const told = chained.has(lane.worker);
    const y = group.y + (k + 0.5) * group.laneHeight;
    const plain = !lost && !told && lane.role !== "integrator";
    if (y - last < (plain ? SPARSE : 11) || y < top) return;
    last = y;
    context.font = timeline.font(10, told);
    context.fillStyle = told ? colours.ink : colours[lost ?? "ink-3"];
    context.fillText(lane.name, scale.left - 22, y + 0.5);
    if (plain) return;
    const shape = lost ? lane.status : lane.role === "integrator" ? "integrator" : "ev";
    glyph(context, shape, scale.left - 14, y, 8, colours[lost ?? (shape === "integrator" ? "tl-integrate" : "ink-2")]);
  });
}

/** A node that was lost says when, and with how many claims, on its folded group. @param {Context} context @param {Timeline} timeline @param {number} width */
export function drawGone(context, timeline, width) {
  const { layout, picture, scale, colours, spansOf, grouping } = timeline;
  if (grouping !== "node" || !layout) return;
  for (const { node, t } of picture.gone) {
    const group = layout.groups.find((one) => one.name === node);
    const x = scale.x(t);
    if (!group || group.open || x < scale.left || x > width) continue;
    const held = group.lanes.reduce((sum, lane) => sum + Number(spansOf(lane.worker).some((span) => span.start <= t && span.end >= t - 1)), 0);
    const text = width < 600 ? `lost ${clock(t)}` : `${node} lost at ${clock(t)} with ${held} claim${held === 1 ? "" : "s"}`;
    context.font = timeline.font(11, true);
    const wide = context.measureText(text).width;
    const left = x - wide - 14 > scale.left ? x - wide - 10 : x + 10;
    const y = group.y + group.height / 2;
    context.fillStyle = colours["tl-bg"];
    context.fillRect(left - 4, group.y, wide + 8, group.height);
    context.fillStyle = colours["st-bad"];
    context.textAlign = "left";
    context.fillText(text, left, y + 0.5);
    glyph(context, "dead", x, y, 11, colours["st-bad"], colours["tl-bg"]);
  }
}

/** How far the lanes are scrolled, where they do not all fit. @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
export function drawScrollbar(context, timeline, width, height) {
  const layout = timeline.layout;
  if (!layout || layout.height <= height) return;
  const room = height - layout.top;
  const all = layout.height - layout.top;
  context.fillStyle = timeline.colours["line"];
  context.fillRect(width - 6, layout.top, 4, room);
  context.fillStyle = timeline.colours["ink-3"];
  context.fillRect(width - 6, layout.top + (layout.scroll / all) * room, 4, Math.max(16, (room / all) * room));
}

/** What the cursor has not reached yet recedes. @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
export function drawFuture(context, timeline, width, height) {
  if (timeline.picture.live) return;
  const x = Math.max(timeline.scale.left, timeline.scale.x(timeline.cursor));
  context.globalAlpha = 0.42;
  context.fillStyle = timeline.colours["tl-bg"];
  if (x < width) context.fillRect(x, TOP, width - x, height);
  context.globalAlpha = 1;
}

/** @param {Context} context @param {Timeline} timeline @param {number} width @param {number} height */
export function drawCursor(context, timeline, width, height) {
  const { colours, scale, cursor } = timeline;
  context.fillStyle = colours.line;
  context.fillRect(scale.left - 1, TOP - 2, 1, height);
  if (timeline.other !== null) drawOther(context, timeline, timeline.other, width, height);
  const x = Math.round(scale.x(cursor));
  if (x < scale.left || x > width) return;
  context.fillStyle = colours["tl-cursor"];
  context.fillRect(x, 16, 1, height);
  const text = timeline.picture.live ? "now" : clock(cursor, { tenths: scale.span < 120 });
  context.font = timeline.font(11, true);
  const half = context.measureText(text).width / 2 + 6;
  const at = Math.min(Math.max(x, scale.left + half), width - half);
  context.fillRect(at - half, 1, 2 * half, 16);
  context.fillStyle = colours["tl-bg"];
  context.textAlign = "center";
  context.fillText(text, at, 9.5);
}

/** The moment compared with: dashed, A. @param {Context} context @param {Timeline} timeline @param {number} t @param {number} width @param {number} height */
function drawOther(context, timeline, t, width, height) {
  const x = Math.round(timeline.scale.x(t));
  if (x < timeline.scale.left || x > width) return;
  context.strokeStyle = context.fillStyle = timeline.colours.accent;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(x + 0.5, 18);
  context.lineTo(x + 0.5, height);
  context.stroke();
  context.setLineDash([]);
  context.fillRect(x - 7, 18, 15, 14);
  context.fillStyle = timeline.colours["on-solid"];
  context.font = timeline.font(11, true);
  context.textAlign = "center";
  context.fillText("A", x + 0.5, 25.5);
}
