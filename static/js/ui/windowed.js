// @ts-check
/**
 * A ledger of any length in a box that scrolls: only the rows in sight and a few around them are elements, the others are room.
 * Rows may differ in height; what is not there is taken to be as tall as those that were.
 */

import { el, sync } from "../lib/dom.js";

const AROUND = 12; // rows kept above and below those in sight
const GUESS = 44; // pixels, until a row was measured

/** @template T @typedef {{ key: string, sign: unknown[], row: T }} Item */

/** @template T */
export class Windowed {
  /**
   * @param {HTMLElement} box what scrolls
   * @param {HTMLElement} body the `tbody` in it
   * @param {(row: T) => Item<T>} item
   * @param {(row: T) => Element} render
   */
  constructor(box, body, item, render) {
    this.box = box;
    this.body = body;
    this.item = item;
    this.render = render;
    /** @type {T[]} */
    this.rows = [];
    this.tall = GUESS;
    this.asked = 0;
    box.addEventListener("scroll", () => (this.asked ||= requestAnimationFrame(() => this.draw())));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** @param {T[]} rows all of them */
  show(rows) {
    this.rows = rows;
    this.draw();
  }

  draw() {
    this.asked = 0;
    const { box, rows, tall } = this;
    const first = Math.max(0, Math.min(rows.length - 1, Math.floor(box.scrollTop / tall)) - AROUND);
    const last = Math.min(rows.length, first + Math.ceil((box.clientHeight || 600) / tall) + 2 * AROUND);
    const shown = rows.slice(first, last).map(this.item);
    const room = (/** @type {string} */ key, /** @type {number} */ count) => ({ key, sign: [Math.round(count * tall)], row: /** @type {any} */ ({ room: Math.round(count * tall) }) });
    const all = [...(first ? [room("above", first)] : []), ...shown, ...(last < rows.length ? [room("below", rows.length - last)] : [])];
    sync(this.body, all, (row) => (/** @type {any} */ (row)?.room ? el("tr.room", { "aria-hidden": "true" }, el("td", { colspan: 9, "--tall": `${/** @type {any} */ (row).room}px` })) : this.render(row)));
    this.measure(shown.length);
  }

  /** @param {number} count */
  measure(count) {
    const real = /** @type {HTMLElement[]} */ ([...this.body.children]).filter((node) => !node.classList.contains("room"));
    if (!count || !real.length) return;
    const sum = real.reduce((total, node) => total + node.offsetHeight, 0);
    if (sum > 0) this.tall = sum / real.length;
  }

  /** Rows that lie in the box now. */
  get sight() {
    const first = Math.floor(this.box.scrollTop / this.tall);
    return { first: Math.min(this.rows.length, first + 1), last: Math.min(this.rows.length, first + Math.ceil(this.box.clientHeight / this.tall)), of: this.rows.length };
  }
}
