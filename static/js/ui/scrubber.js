// @ts-check
/** The whole run in one strip: workers at work as area, pass rate as line, failures as ticks, the view as brush, the cursor as pin. */

import { clock } from "../lib/format_time.js";
import { TimeScale } from "../lib/time_scale.js";
import { fit, readColours, watch } from "./paint.js";

export class Scrubber {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ seek: (t: number) => void, show: (a: number, b: number) => void }} wish
   */
  constructor(canvas, { seek, show }) {
    this.canvas = canvas;
    this.colours = readColours();
    /** @type {{ end: number, active: number[], most: number, rates: { t: number, share: number }[], failures: number[] }} */
    this.picture = { end: 1, active: [], most: 1, rates: [], failures: [] };
    this.cursor = 0;
    this.view = { a: 0, b: 1 };
    this.wish = { seek, show };
    this.sheet = document.createElement("canvas"); // all but the brush and the cursor
    /** @type {any[]} what the sheet was made of */
    this.madeOf = [];
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    watch(canvas, () => this.paint());
    addEventListener("themechange", () => {
      this.colours = readColours();
      this.paint();
    });
  }

  /** @param {PointerEvent} event */
  grab(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = (/** @type {PointerEvent} */ e) => Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)) * this.picture.end;
    const from = at(event);
    const { a, b } = this.view;
    const brush = event.shiftKey;
    const go = (/** @type {PointerEvent} */ e) => {
      if (brush) this.wish.show(a + at(e) - from, b + at(e) - from);
      else this.wish.seek(at(e));
    };
    go(event);
    this.canvas.setPointerCapture(event.pointerId);
    const stop = () => {
      this.canvas.removeEventListener("pointermove", go);
      this.canvas.removeEventListener("pointerup", stop);
    };
    this.canvas.addEventListener("pointermove", go);
    this.canvas.addEventListener("pointerup", stop);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const fine = this.picture.end > 1800 ? 60 : 1;
    const steps = { ArrowRight: fine, ArrowUp: fine, ArrowLeft: -fine, ArrowDown: -fine, PageUp: 10 * fine, PageDown: -10 * fine };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step) this.wish.seek(this.cursor + step);
    else if (event.key === "Home") this.wish.seek(0);
    else if (event.key === "End") this.wish.seek(this.picture.end);
    else return;
    event.preventDefault();
  }

  paint() {
    const { context, width, height } = fit(this.canvas);
    if (width < 2) return;
    const { colours, picture, sheet, canvas } = this;
    const scale = new TimeScale(0, picture.end, 0, width);
    const foot = height - 15;
    const made = [picture, colours, canvas.width, canvas.height];
    if (made.some((one, k) => one !== this.madeOf[k])) {
      this.madeOf = made;
      [sheet.width, sheet.height] = [canvas.width, canvas.height];
      const own = /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d", { alpha: false }));
      own.setTransform(context.getTransform());
      this.whole(own, scale, width, height);
    }
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(sheet, 0, 0);
    context.restore();
    this.brush(context, scale, width, foot);
    const x = Math.round(scale.x(this.cursor));
    context.fillStyle = colours["tl-cursor"];
    context.fillRect(x, 0, 1, foot + 2);
    context.beginPath();
    context.arc(x + 0.5, foot, 4, 0, 7);
    context.fill();
    const now = String(Math.round(this.cursor));
    if (canvas.getAttribute("aria-valuenow") === now) return;
    canvas.setAttribute("aria-valuemax", String(Math.round(picture.end)));
    canvas.setAttribute("aria-valuenow", now);
    canvas.setAttribute("aria-valuetext", clock(this.cursor));
  }

  /** What stays while the cursor moves. @param {CanvasRenderingContext2D} context @param {TimeScale} scale @param {number} width @param {number} height */
  whole(context, scale, width, height) {
    const { colours, picture } = this;
    const foot = height - 15;
    context.fillStyle = colours["tl-bg"];
    context.fillRect(0, 0, width, height);
    context.beginPath();
    context.moveTo(0, foot);
    picture.active.forEach((count, k) => {
      const y = foot - (count / picture.most) * (foot - 4);
      context.lineTo((k / picture.active.length) * width, y);
      context.lineTo(((k + 1) / picture.active.length) * width, y);
    });
    context.lineTo(width, foot);
    context.fillStyle = colours["tl-work"];
    context.fill();
    context.beginPath();
    context.moveTo(0, foot);
    for (const { t, share } of picture.rates) context.lineTo(scale.x(t), foot - share * (foot - 4));
    context.strokeStyle = colours["st-good"];
    context.lineWidth = 1.75;
    context.stroke();
    context.lineWidth = 1;
    context.fillStyle = colours["st-bad"];
    for (const t of picture.failures) context.fillRect(scale.x(t), foot - 1, 1, 4);
    this.family ??= getComputedStyle(document.body).fontFamily;
    context.font = `11px ${this.family}`;
    context.fillStyle = colours["ink-3"];
    context.textBaseline = "middle";
    for (const t of scale.ticks(70)) {
      const x = scale.x(t);
      context.textAlign = x < 16 ? "left" : x > width - 24 ? "right" : "center";
      context.fillText(clock(t, { tenths: scale.span < 8 }), x, height - 6);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {TimeScale} scale @param {number} width @param {number} foot */
  brush(context, scale, width, foot) {
    const from = scale.x(this.view.a);
    const to = scale.x(this.view.b);
    context.globalAlpha = 0.66;
    context.fillStyle = this.colours["tl-bg"];
    context.fillRect(0, 0, from, foot);
    context.fillRect(to, 0, width - to, foot);
    context.globalAlpha = 1;
    context.strokeStyle = this.colours["ink-2"];
    context.strokeRect(from + 0.5, 0.5, Math.max(1, to - from - 1), foot);
  }
}
