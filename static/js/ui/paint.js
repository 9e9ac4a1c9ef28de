// @ts-check
/** What a canvas needs from the page: device pixels, the colours of the theme, the glyphs of the sprite. */

const COLOURS = `tl-bg tl-grid tl-lane tl-idle tl-work tl-landed tl-failed tl-integrate tl-cursor ink ink-2 ink-3 line line-strong
  st-good st-bad st-odd st-active st-warn st-quiet surface accent st-bad-soft on-solid sunken`.split(/\s+/);

/** @returns {Record<string, string>} every colour as the browser computes it for the present theme */
export function readColours() {
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of COLOURS) {
    probe.style.color = `var(--${name}, var(--ink-3))`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

/** @type {WeakMap<HTMLCanvasElement, { width: number, height: number }>} boxes as last observed: to measure one in a frame costs a layout */
const boxes = new WeakMap();

/**
 * Keep an eye on a canvas' size and draw it when that changes.
 * @param {HTMLCanvasElement} canvas
 * @param {() => void} changed
 */
export function watch(canvas, changed) {
  new ResizeObserver(() => {
    const { width, height } = canvas.getBoundingClientRect();
    boxes.set(canvas, { width, height });
    changed();
  }).observe(canvas);
}

/**
 * Size the canvas to its box and answer a context in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 */
export function fit(canvas) {
  const box = boxes.get(canvas) ?? canvas.getBoundingClientRect();
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  const width = Math.round(box.width * ratio);
  const height = Math.round(box.height * ratio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width: box.width, height: box.height };
}

/** @type {Map<string, { path: Path2D, stroke: number }[]>} */
const shapes = new Map();

/**
 * The paths of a glyph, read once from the page's own sprite, so that canvas and page never differ.
 * @param {string} name
 */
function shapeOf(name) {
  let found = shapes.get(name);
  if (!found) {
    const paths = document.querySelectorAll(`#g-${name} path`);
    found = [...paths].map((path) => ({
      path: new Path2D(path.getAttribute("d") ?? ""),
      stroke: path.getAttribute("fill") === "none" ? Number(path.getAttribute("stroke-width") ?? 1) : 0,
    }));
    shapes.set(name, found);
  }
  return found;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} name
 * @param {number} x its middle
 * @param {number} y
 * @param {number} size
 * @param {string} colour
 * @param {string} [halo] keeps it legible over any span
 */
export function glyph(context, name, x, y, size, colour, halo) {
  context.save();
  context.translate(x - size / 2, y - size / 2);
  context.scale(size / 12, size / 12);
  for (const { path, stroke } of shapeOf(name)) {
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = stroke + 2.6;
      context.stroke(path);
    }
    context.strokeStyle = context.fillStyle = colour;
    if (stroke) {
      context.lineWidth = stroke;
      context.stroke(path);
    } else {
      context.fill(path);
    }
  }
  context.restore();
}

/** @type {Map<string, HTMLCanvasElement>} */
const stamps = new Map();

/**
 * The same glyph from a picture made once: thousands of them in a frame cost a copy each, not a drawing.
 * @param {CanvasRenderingContext2D} context
 * @param {string} name
 * @param {number} x its middle
 * @param {number} y
 * @param {number} size
 * @param {string} colour
 * @param {string} halo
 */
export function stamp(context, name, x, y, size, colour, halo) {
  const ratio = Math.max(1, window.devicePixelRatio || 1);
  const key = `${name} ${size} ${colour} ${halo} ${ratio}`;
  const box = size + 4;
  let sheet = stamps.get(key);
  if (!sheet) {
    sheet = document.createElement("canvas");
    sheet.width = sheet.height = Math.ceil(box * ratio);
    const own = /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d"));
    own.scale(ratio, ratio);
    glyph(own, name, box / 2, box / 2, size, colour, halo);
    stamps.set(key, sheet);
  }
  context.drawImage(sheet, x - box / 2, y - box / 2, sheet.width / ratio, sheet.height / ratio);
}
