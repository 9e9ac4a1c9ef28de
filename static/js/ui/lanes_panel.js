// @ts-check
/** The lanes with what stands around them, kinds, groups, filter, pins and the count of what is drawn: the same on the live page and in the replay. */

import { byId } from "../lib/dom.js";
import { matching, textsOf } from "../tracks/search.js";
import { foldedAtFirst } from "../tracks/lanes.js";
import { MARK_KINDS } from "../tracks/marks.js";
import { showChips } from "./chips.js";
import { Timeline } from "./timeline.js";
import { listen } from "./timeline_keys.js";
import { showTips } from "./timeline_tip.js";

const CROWD = 100; // lanes from which on the commoner marks start switched off
const PINS = 12;
const ASK_MS = 250; // a filter is asked for once the typing has paused so long

/** @typedef {import("./timeline.js").Picture} Picture */
/** @typedef {ReturnType<Timeline["hit"]>} Hit */
/** @typedef {{ words: Record<string, { workers: number[], said: number }> }} Speakers */
/**
 * @typedef {{ moved: () => void, clicked: (hit: Hit) => void, play: () => void, step: (by: number, every: boolean) => void,
 *   speakers: (words: string) => Promise<Speakers> }} Wish
 */

export class LanesPanel {
  /** @param {Wish} wish */
  constructor(wish) {
    this.wish = wish;
    this.timeline = new Timeline(/** @type {HTMLCanvasElement} */ (byId("lanes")));
    for (const [kind, look] of Object.entries(MARK_KINDS)) if (look.on) this.timeline.kinds.add(kind);
    this.asked = "";
    this.asking = 0;
    /** @type {Speakers["words"]} */
    this.said = {};
    /** @type {Map<number, string> | null} */
    this.texts = null;
    /** @type {any} */
    this.tables = {};
    this.began = false;
    this.told = "";
    this.reading = "";
    /** @type {any[]} what the words were made of */
    this.counted = [];
    const { play, step } = wish;
    listen(this.timeline, { moved: () => wish.moved(), clicked: (event) => this.click(this.timeline.hit(event)), play, step });
    showTips(this.timeline);
    this.timeline.painted = () => this.count();
    byId("grouping").addEventListener("change", (/** @type {any} */ event) => {
      const [grouping, order] = event.target.value.split(" ");
      this.timeline.arrange(grouping, order);
    });
    byId("filter").addEventListener("input", (/** @type {any} */ event) => this.filter(event.target.value));
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-taller]"))) {
      button.addEventListener("click", () => this.timeline.taller(Number(button.dataset.taller)));
    }
  }

  /** @param {Picture} picture @param {any} tables */
  show(picture, tables) {
    const { timeline } = this;
    timeline.show(picture);
    this.tables = tables;
    this.texts = null;
    if (!this.began && picture.lanes.length) {
      this.began = true;
      if (picture.lanes.length > CROWD) for (const kind of ["pull", "reviewer"]) timeline.kinds.delete(kind);
      timeline.closed = foldedAtFirst(picture.lanes, timeline.canvas.clientHeight - 60);
    }
    showChips(byId("chips"), timeline, () => this.wish.moved());
    if (this.asked.trim()) this.apply();
  }

  /** Keep the lanes that hold every word: at once by what is here, a moment later by what was said as well. @param {string} words */
  filter(words) {
    this.asked = words;
    clearTimeout(this.asking);
    this.apply();
    if (words.trim()) this.asking = window.setTimeout(() => this.ask(words), ASK_MS);
  }

  /** @param {string} words */
  async ask(words) {
    try {
      const { words: said } = await this.wish.speakers(words);
      if (words !== this.asked) return;
      this.said = said;
      this.apply();
    } catch (problem) {
      byId("said").textContent = `Messages and notes could not be searched: ${/** @type {Error} */ (problem).message}`;
    }
  }

  apply() {
    const { timeline, asked, tables } = this;
    const { lanes, spans, marks } = timeline.picture;
    if (asked.trim()) {
      this.texts ??= textsOf(lanes, spans, marks, tables);
      timeline.filter = matching(this.texts, asked, this.said);
      const kept = lanes.filter(timeline.filter).length;
      byId("said").textContent = `${kept.toLocaleString("en")} of ${lanes.length.toLocaleString("en")} lanes match`;
    } else {
      timeline.filter = EVERY;
      byId("said").textContent = "";
    }
    this.wish.moved();
  }

  /** What is still being read, beside the count of what is drawn. @param {string} words */
  reads(words) {
    this.reading = words;
    this.counted = [];
    this.count();
  }

  /** What is drawn, of what there is: whatever is folded, filtered or without room is said. */
  count() {
    const { drawn, picture, layout } = this.timeline;
    const figures = [drawn.marks, drawn.of, drawn.lanes, picture, layout];
    if (figures.every((one, k) => one === this.counted[k])) return;
    this.counted = figures;
    const of = (/** @type {number} */ part, /** @type {number} */ all, /** @type {string} */ word) => `${part.toLocaleString("en")} of ${all.toLocaleString("en")} ${word}`;
    const folded = layout?.groups.filter((group) => !group.open).reduce((sum, group) => sum + group.lanes.length, 0) ?? 0;
    const words = [of(drawn.marks, drawn.of, "marks drawn")];
    if (drawn.lanes < picture.lanes.length) words.unshift(of(drawn.lanes, picture.lanes.length, "lanes match"));
    if (folded) words.unshift(`${folded.toLocaleString("en")} of ${picture.lanes.length.toLocaleString("en")} lanes folded`);
    if (this.reading) words.push(this.reading);
    const told = words.join(" · ");
    if (told !== this.told) byId("drawn").textContent = this.told = told;
  }

  /** @param {Hit} hit */
  click(hit) {
    const { lane, group, inGutter } = hit;
    if (!inGutter) return this.wish.clicked(hit);
    if (lane) this.pin(lane.worker);
    else if (group) this.fold(group.name);
  }

  /** @param {number} worker */
  pin(worker) {
    const { pinned } = this.timeline;
    this.timeline.pinned = pinned.includes(worker) ? pinned.filter((one) => one !== worker) : [...pinned, worker].slice(-PINS);
    this.wish.moved();
  }

  /** @param {string} group */
  fold(group) {
    if (!this.timeline.closed.delete(group)) this.timeline.closed.add(group);
    this.wish.moved();
  }

  /** Fold every group, or open every one. @param {boolean} folded */
  foldAll(folded) {
    this.timeline.closed = new Set(folded ? this.timeline.layout?.groups.map((group) => group.name) : []);
    this.wish.moved();
  }
}

const EVERY = () => true;
