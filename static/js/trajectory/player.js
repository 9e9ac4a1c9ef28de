// @ts-check
/** The cursor of a replay: where it is, whether it runs and how fast. It reads no clock: the page passes the time in. */

export const SPEEDS = [1, 10, 60, 600];

export class Player {
  /**
   * @param {number} end seconds
   * @param {number} [at]
   */
  constructor(end, at = 0) {
    this.end = end;
    this.at = Math.min(Math.max(at, 0), end);
    this.speed = 10;
    this.playing = false;
    /** @type {number | null} */
    this.last = null;
  }

  /** @param {number} at seconds */
  seek(at) {
    this.at = Math.min(Math.max(at, 0), this.end);
  }

  /** Play, from the start again if it stands at the end; or pause. */
  toggle() {
    this.playing = !this.playing;
    this.last = null;
    if (this.playing && this.at >= this.end) this.at = 0;
  }

  /**
   * Let real time pass.
   * @param {number} now ms of any steady clock
   * @returns {boolean} whether the cursor moved
   */
  tick(now) {
    if (!this.playing) return false;
    const passed = this.last === null ? 0 : Math.max(0, now - this.last);
    this.last = now;
    this.seek(this.at + (passed / 1000) * this.speed);
    if (this.at >= this.end) this.playing = false;
    return passed > 0;
  }
}
