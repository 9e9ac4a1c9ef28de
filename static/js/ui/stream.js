// @ts-check
/** A readable stream: newest on top, in order of arrival; while the reader is away, arrivals wait behind a pill. */

import { el } from "../lib/dom.js";
import { Arrivals } from "../trajectory/arrivals.js";

const MOST = 400;

export class Stream {
  /**
   * @param {HTMLElement} box the scrolling box; holds `.pillrow` and `ul`
   * @param {(arrival: import("../trajectory/arrivals.js").Arrival) => HTMLElement} render
   * @param {{ follows: () => boolean, away: () => void, back: () => void }} follow
   */
  constructor(box, render, follow) {
    this.box = box;
    this.render = render;
    this.follow = follow;
    this.arrivals = new Arrivals(MOST);
    /** @type {import("../trajectory/arrivals.js").Arrival[]} */
    this.waiting = [];
    this.list = /** @type {HTMLElement} */ (box.querySelector("ul"));
    this.pill = /** @type {HTMLElement} */ (box.querySelector(".newpill"));
    this.row = /** @type {HTMLElement} */ (box.querySelector(".pillrow"));
    this.pill.addEventListener("click", () => follow.back());
    box.addEventListener("scroll", () => {
      if (box.scrollTop > 8 && follow.follows()) follow.away();
    });
  }

  /** @param {import("../trajectory/arrivals.js").Event[]} events */
  take(events) {
    this.waiting.push(...this.arrivals.take(events));
    this.show();
  }

  /** Put what waits on top if the reader follows; else say how many there are. */
  show() {
    if (this.follow.follows() && this.waiting.length) {
      const nodes = this.waiting.slice(-MOST).map(this.render);
      this.waiting = [];
      this.list.prepend(...nodes.reverse());
      while (this.list.children.length > MOST) this.list.lastElementChild?.remove();
      this.box.scrollTop = 0;
    }
    this.row.hidden = this.waiting.length === 0;
    this.pill.textContent = `${this.waiting.length} new`;
  }
}

/** `happened 40 s earlier`, where it did. @param {number} late */
export const lateWords = (late) => (late ? el("span.meta.late", {}, ` happened ${late} s earlier`) : null);
