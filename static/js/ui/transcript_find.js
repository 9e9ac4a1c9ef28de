// @ts-check
/** Find within a transcript: hits as they come, one after the other, marked where they stand. */

import { el, fill, said } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { nextPlace, placeOf } from "../trajectory/transcript.js";

const MOST = 500;

export class Find {
  /**
   * @param {HTMLElement} box
   * @param {import("./transcript_entries.js").View} view
   * @param {(place: [number, number]) => Promise<HTMLElement | null>} go
   */
  constructor(box, view, go) {
    this.box = box;
    this.view = view;
    this.go = go;
    this.words = "";
    /** @type {any[]} */
    this.hits = [];
    this.asked = {};
  }

  /** @param {string} words */
  async look(words) {
    this.words = words;
    this.hits = [];
    const mine = (this.asked = {});
    this.box.hidden = words === "";
    mark("");
    if (words === "") return;
    /** @type {[number, number] | null} */
    let next = [0, 1];
    while (next && mine === this.asked && this.hits.length < MOST) {
      this.draw(`looking, ${this.hits.length} so far`);
      try {
        const found = await this.view.read(`workers/${this.view.worker}/transcript/find?q=${encodeURIComponent(words)}&life=${next[0]}&item=${next[1]}`);
        if (mine !== this.asked) return;
        this.hits.push(...found.hits);
        next = found.next;
      } catch (problem) {
        return this.draw(`not read: ${/** @type {Error} */ (problem).message}`);
      }
    }
    if (mine === this.asked) this.draw(next ? `the first ${this.hits.length}` : `${this.hits.length} found`);
  }

  /** @param {string} state */
  draw(state) {
    fill(this.box, el("p.tn-found", { role: "status" }, state), el("ol", {}, this.hits.slice(0, MOST).map((hit) =>
      el("li", {}, el("button", { type: "button", onclick: () => this.choose(hit.id) }, el("span.tn-h", {}, el("time", {}, clock(hit.t)), el("span.muted", {}, hit.kind.replaceAll("_", " "))),
        el("span.tn-f", {}, said(hit.before.slice(-30)), el("mark", {}, said(hit.hit)), said(hit.behind)))))));
  }

  /** @param {string} id */
  async choose(id) {
    const place = placeOf(id);
    const node = place && (await this.go(place));
    mark(this.words, node);
  }

  /** @param {[number, number]} here @param {1 | -1} way */
  step(here, way) {
    const places = this.hits.map((hit) => placeOf(hit.id)).filter((place) => place !== null);
    const next = nextPlace(/** @type {[number, number][]} */ (places), here, way);
    if (next) this.choose(next.join("-"));
  }
}

/** Mark words where they stand without touching the page's elements. @param {string} words @param {HTMLElement | null} [within] */
function mark(words, within) {
  const marks = /** @type {any} */ (CSS).highlights;
  if (!marks) return;
  marks.delete("found");
  if (!words || !within) return;
  const ranges = [];
  const walk = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node && ranges.length < 500; node = walk.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (let at = text.indexOf(words.toLowerCase()); at >= 0 && at + words.length <= (node.nodeValue ?? "").length; at = text.indexOf(words.toLowerCase(), at + words.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  marks.set("found", new /** @type {any} */ (globalThis).Highlight(...ranges));
}
