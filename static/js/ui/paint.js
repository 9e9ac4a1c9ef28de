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
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
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

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius @param {string} colour */
export function ring(context, x, y, radius, colour) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 1;
}

/** @typedef {{ size: number, pixels: Uint8ClampedArray }} Stamp a square of RGBA device pixels */

/** @type {Map<string, Stamp>} */
const stamps = new Map();

/**
 * A glyph as pixels, made once: thousands of them in a frame are copied, not drawn.
 * @param {string} name
 * @param {number} size CSS pixels
 * @param {string} colour
 * @param {string} halo
 * @param {number} ratio device pixels a CSS pixel
 * @returns {Stamp}
 */
export function stampOf(name, size, colour, halo, ratio) {
  const key = `${name} ${size} ${colour} ${halo} ${ratio}`;
  let found = stamps.get(key);
  if (!found) {
    const box = Math.ceil((size + 4) * ratio);
    const own = /** @type {any} */ (new OffscreenCanvas(box, box).getContext("2d", { willReadFrequently: true }));
    own.scale(ratio, ratio);
    glyph(own, name, box / ratio / 2, box / ratio / 2, size, colour, halo);
    stamps.set(key, (found = { size: box, pixels: own.getImageData(0, 0, box, box).data }));
  }
  return found;
}

/**
 * Lay a stamp over an image, its middle at device pixel x, y.
 * @param {ImageData} image
 * @param {Stamp} stamp
 * @param {number} x
 * @param {number} y
 */
export function press({ data, width, height }, { size, pixels }, x, y) {
  const left = Math.round(x - size / 2);
  const top = Math.round(y - size / 2);
  const whole = new Uint32Array(data.buffer);
  const source = new Uint32Array(pixels.buffer);
  for (let row = Math.max(0, -top); row < size && top + row < height; row++) {
    for (let column = Math.max(0, -left); column < size && left + column < width; column++) {
      const from = row * size + column;
      const to = (top + row) * width + left + column;
      const alpha = source[from] >>> 24;
      if (!alpha) continue;
      if (alpha === 255 || !whole[to]) whole[to] = source[from];
      else blend(data, to * 4, pixels, from * 4, alpha);
    }
  }
}

/** One pixel over another. @param {Uint8ClampedArray} data @param {number} to @param {Uint8ClampedArray} pixels @param {number} from @param {number} alpha */
function blend(data, to, pixels, from, alpha) {
  const under = (data[to + 3] * (255 - alpha)) / 255;
  const sum = alpha + under;
  for (let k = 0; k < 3; k++) data[to + k] = (pixels[from + k] * alpha + data[to + k] * under) / sum;
  data[to + 3] = sum;
}
