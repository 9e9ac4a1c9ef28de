// @ts-check
/** Spans and turns of lanes that have room for shapes and labels. An outcome has a shape as well as a hue. */

/** From this height on a lane has three rows: its spans with labels, its marks, its steps. */
export const THREE_ROWS = 34;
const LABEL = 34; // pixels a label needs to say anything

/**
 * Where in a lane its marks are, from its top.
 * @param {number} height
 */
export function markLine(height) {
  if (height >= THREE_ROWS) return height - 15;
  return height >= 20 ? (height - 5) / 2 : height / 2;
}

/** @type {Record<string, string>} */
const FILL = { landed: "tl-landed", failed: "tl-failed", idle: "tl-idle", live: "tl-work" };

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import("../tracks/lanes.js").Lane} lane
 * @param {import("../tracks/claims.js").Span[]} spans
 * @param {number} y
 * @param {number} height
 * @param {import("../lib/time_scale.js").TimeScale} scale
 * @param {Record<string, string>} colours
 * @param {string} font
 */
export function drawLane(context, lane, spans, y, height, scale, colours, font) {
  const inset = 3;
  const room = height - 2 * inset;
  const from = Math.max(scale.left, scale.x(lane.joined));
  const to = Math.min(scale.right, lane.left === null ? scale.right : scale.x(lane.left));
  if (to > from) {
    context.fillStyle = colours["tl-lane"];
    context.fillRect(from, y + inset, to - from, room);
  }
  const bar = height >= THREE_ROWS ? room - 20 : height >= 20 ? room - 5 : room;
  const seen = spans.filter((span) => span.end >= scale.a && span.start <= scale.b);
  const ends = (/** @type {import("../tracks/claims.js").Span} */ span) => {
    const x0 = Math.max(scale.left, scale.x(span.start));
    return [x0, Math.min(scale.right, Math.max(scale.x(span.end), x0 + 1))];
  };
  // What was let go lies under what was held, and no span over a label.
  for (const idle of [true, false]) {
    for (const span of seen) {
      const [x0, x1] = ends(span);
      if ((span.outcome === "idle") === idle) drawSpan(context, span.outcome, x0, y + inset, x1 - x0, bar, colours);
    }
  }
  if (height < 16) return;
  /** @type {{ span: import("../tracks/claims.js").Span, x0: number, x1: number, under: number }[]} */
  const named = [];
  for (const span of seen) {
    const [x0, x1] = ends(span);
    const last = named.at(-1);
    if (x1 - x0 <= LABEL || span.outcome === "idle") continue;
    if (!last || x0 >= last.x1) named.push({ span, x0, x1, under: 0 });
    else if (x1 < last.x1 + LABEL) last.under++; // nobody could read it: it is counted
  }
  for (const { span, x0, x1, under } of named) {
    const text = under ? `${(under + 1).toLocaleString("en")} claims: ${span.label}` : span.label;
    label(context, text, x0, x1, y + inset + bar / 2, colours, font);
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} outcome @param {number} x @param {number} y @param {number} width @param {number} height @param {Record<string, string>} colours */
function drawSpan(context, outcome, x, y, width, height, colours) {
  context.fillStyle = colours[FILL[outcome]];
  if (outcome === "idle") {
    context.fillRect(x, y + height * 0.35, width, Math.max(1, height * 0.3));
    return;
  }
  context.fillRect(x, y, Math.max(1, width - 0.75), height);
  if (outcome === "landed") return;
  context.fillStyle = colours[outcome === "failed" ? "st-bad" : "st-active"];
  context.fillRect(x + width - 2, y, 2, height);
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} x0 @param {number} x1 @param {number} y @param {Record<string, string>} colours @param {string} font */
function label(context, text, x0, x1, y, colours, font) {
  context.save();
  context.beginPath();
  context.rect(x0, y - 12, x1 - x0 - 4, 24);
  context.clip();
  context.font = font;
  context.textAlign = "left";
  context.fillStyle = colours.ink;
  context.fillText(text, x0 + 5, y + 0.5);
  context.restore();
}

/**
 * Turns as a band at the foot of lanes that have room; the ticks of steps lie in it.
 * @param {CanvasRenderingContext2D} context
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {import("../lib/time_scale.js").TimeScale} scale
 * @param {import("../tracks/lanes.js").Layout} layout
 * @param {Record<string, string>} colours
 */
export function drawTurns(context, rows, scale, layout, colours) {
  const roomy = new Map([...layout.place].filter(([, place]) => place.height >= 20));
  if (!roomy.size) return; // before the turns are looked for: that reads every row once
  const turns = rows.ofKind("turn");
  const longest = rows.longest[rows.kindOf("turn")];
  const last = rows.fromOf(turns, scale.b * 1000);
  context.fillStyle = colours["tl-idle"];
  context.globalAlpha = 0.45;
  for (let k = rows.fromOf(turns, scale.a * 1000 - longest); k < last; k++) {
    const i = turns[k];
    const place = roomy.get(rows.worker[i]);
    if (!place) continue;
    const x0 = Math.max(scale.left, scale.x(rows.time[i] / 1000));
    const x1 = Math.min(scale.right, scale.x((rows.time[i] + rows.duration[i]) / 1000));
    if (x1 > x0) context.fillRect(x0, place.y + place.height - 7, Math.max(1, x1 - x0 - 0.5), 6);
  }
  context.globalAlpha = 1;
}
