// @ts-check
/** Seconds of the run <-> pixels. Immutable; zoom and pan answer a new scale, kept inside [min, max]. */

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
const SHORTEST = 0.5; // seconds a view shows at least

export class TimeScale {
  /**
   * @param {number} a first second shown
   * @param {number} b last second shown
   * @param {number} left its pixel
   * @param {number} right the pixel of b
   * @param {number} [min] earliest second there is
   * @param {number} [max] latest second there is
   */
  constructor(a, b, left, right, min = a, max = b) {
    this.a = a;
    this.b = Math.max(b, a + SHORTEST);
    this.left = left;
    this.right = Math.max(right, left + 1);
    this.min = min;
    this.max = Math.max(max, min + SHORTEST);
  }

  get span() {
    return this.b - this.a;
  }

  /** Pixels a second. */
  get density() {
    return (this.right - this.left) / this.span;
  }

  /** @param {number} t */
  x(t) {
    return this.left + (t - this.a) * this.density;
  }

  /** @param {number} x */
  t(x) {
    return this.a + (x - this.left) / this.density;
  }

  /**
   * The same seconds on other pixels.
   * @param {number} left
   * @param {number} right
   */
  on(left, right) {
    return new TimeScale(this.a, this.b, left, right, this.min, this.max);
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  showing(a, b) {
    const span = Math.min(Math.max(b - a, SHORTEST), this.max - this.min);
    const from = Math.min(Math.max(a, this.min), this.max - span);
    return new TimeScale(from, from + span, this.left, this.right, this.min, this.max);
  }

  /**
   * Below 1 zooms in; the second `t` keeps its pixel.
   * @param {number} factor
   * @param {number} t
   */
  zoomed(factor, t) {
    const span = Math.min(Math.max(this.span * factor, SHORTEST), this.max - this.min);
    const share = (t - this.a) / this.span;
    return this.showing(t - span * share, t - span * share + span);
  }

  /** @param {number} share of the seconds shown; negative = earlier */
  panned(share) {
    return this.showing(this.a + this.span * share, this.b + this.span * share);
  }

  /**
   * Round seconds to label, at least `apart` pixels from each other.
   * @param {number} apart
   * @returns {number[]}
   */
  ticks(apart) {
    const step = STEPS.find((s) => s * this.density >= apart) ?? STEPS[STEPS.length - 1];
    const found = [];
    for (let k = Math.ceil(this.a / step - 1e-9); k * step <= this.b + 1e-9; k++) found.push(k * step);
    return found;
  }
}
