// @ts-check
/** Lines between lanes: lost work to the peer that took it over, and the evidence chain of what is selected, numbered as in the inspector. */

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {CanvasRenderingContext2D} Context */

import { markLine } from "./timeline_spans.js";

const MOST = 400; // take-overs drawn as lines; more of them would be a carpet
const NUMBERED = 60; // a longer chain is told by the inspector alone
const APART = 14; // pixels between two numbers; what is nearer is a dot

/**
 * Where a moment of a worker is; null while its lane is not drawn.
 * @param {Timeline} timeline @param {number} t @param {number} worker
 */
function at(timeline, t, worker) {
  const place = timeline.layout?.place.get(worker);
  if (!place) return null;
  const closed = place.group && !place.group.open ? place.group : null;
  return { x: timeline.scale.x(t), y: closed ? closed.y + closed.height / 2 : place.y + markLine(place.height), closed: Boolean(closed) };
}

/** Dotted, from where work was lost to where it was taken over. @param {Context} context @param {Timeline} timeline */
export function drawTakeOvers(context, timeline) {
  const { scale, colours, picture, kinds } = timeline;
  if (!kinds.has("recovery") || picture.takeOvers.length > MOST) return;
  context.strokeStyle = colours["st-good"];
  context.setLineDash([2, 3]);
  context.globalAlpha = 0.75;
  for (const { from, to } of picture.takeOvers) {
    if (to.t < scale.a || from.t > scale.b || from.worker === to.worker) continue;
    const a = at(timeline, from.t, from.worker);
    const b = at(timeline, to.t, to.worker);
    if (!a || !b || a.closed || b.closed) continue;
    const bend = Math.max(14, (b.x - a.x) / 2);
    context.beginPath();
    context.moveTo(a.x + 6, a.y);
    context.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x - 6, b.y);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/** @param {Context} context @param {Timeline} timeline */
export function drawChain(context, timeline) {
  const { chain, colours } = timeline;
  const links = chain.flatMap((link, k) => {
    const place = at(timeline, link.t, link.worker);
    return place ? [{ ...link, ...place, k }] : [];
  });
  if (links.length < 2 || links.length > NUMBERED) return;
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.25;
  context.beginPath();
  links.forEach(({ x, y }, k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  /** @type {{ x: number, y: number }[]} */
  const numbered = [];
  for (const { x, y, k, tone, chosen } of [...links].sort((p, q) => Number(q.chosen) - Number(p.chosen))) {
    const bare = numbered.some((other) => Math.hypot(other.x - x, other.y - y) < APART);
    if (!bare) numbered.push({ x, y });
    const solid = colours[`st-${tone}`] ?? colours.ink;
    context.beginPath();
    context.arc(x, y, chosen ? 9 : bare ? 3.5 : 7, 0, 7);
    context.fillStyle = chosen ? solid : colours["tl-bg"];
    context.fill();
    context.strokeStyle = chosen ? solid : colours.ink;
    context.stroke();
    if (bare) continue;
    context.fillStyle = chosen ? colours["on-solid"] : colours.ink;
    context.font = timeline.font(10, true);
    context.textAlign = "center";
    context.fillText(String(k + 1), x, y + 0.5);
  }
  context.lineWidth = 1;
}
