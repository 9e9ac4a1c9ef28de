// @ts-check
/** The lanes of a run that lives: the same as in the replay, with the cursor at now. A few times a second at most, however much happens. */

import { byId } from "../lib/dom.js";
import { pageOf } from "./inspector.js";
import { LanesPanel } from "./lanes_panel.js";
import { meaningOf } from "../tracks/picture.js";

const [LOWEST, TALLEST, LANE, FRAME] = [168, 520, 22, 62]; // pixels of the canvas, and of a lane where there are few
const SHARE = 8; // of the time, at most one part in so many goes into drawing
const LEAST_MS = 250; // between two pictures, however much happens and whoever asks

export class LiveLanes {
  /**
   * @param {import("./words.js").View} view
   * @param {{ away: () => void, follows: () => boolean }} follow
   * @param {import("./lanes_panel.js").Wish["speakers"]} speakers
   */
  constructor(view, follow, speakers) {
    this.view = view;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId("lanes"));
    /** @type {import("../trajectory/timeline_thread.js").Timeline | null} */
    this.timeline = null;
    this.rest = 0;
    const touched = () => {
      const { scale, picture } = this.panel.timeline;
      if (scale.span < picture.end - 0.01 && follow.follows()) follow.away();
      this.panel.timeline.paint();
    };
    this.panel = new LanesPanel({ moved: touched, clicked: (hit) => this.open(hit), play: () => {}, step: () => {}, speakers });
  }

  /** @param {import("./lanes_panel.js").Hit} hit */
  open({ mark, span }) {
    const { base } = this.view;
    const href = mark ? pageOf(mark.table, mark.key, base.split("/").pop() ?? "") : span ? `${base}/claims/${span.key}` : null;
    if (href) location.href = href;
    else if (mark) location.href = `${base}/replay?t=${mark.t.toFixed(3)}&ev=${encodeURIComponent(mark.id)}`;
  }

  /** Seconds since the run started, now. */
  get now() {
    return this.view.t0 === null ? 0 : Math.max(0, (this.view.now() - this.view.t0) / 1000);
  }

  /** Draw the State as it is; a drawing that took long is not repeated at once. */
  show() {
    const { view, now } = this;
    const workers = view.fold.rows("workers").size;
    const none = workers === 0 || view.t0 === null;
    byId("lanes-none").hidden = !none;
    this.canvas.hidden = none;
    if (none || view.t0 === null) return;
    const began = performance.now();
    if (began < this.rest) return;
    this.canvas.style.height = `${Math.min(TALLEST, Math.max(LOWEST, FRAME + workers * LANE))}px`;
    const meaning = meaningOf(view.fold.tables, view.t0, now, view.live);
    for (const lane of meaning.lanes) lane.left ??= now;
    const end = Math.max(view.live ? (view.duration ?? 0) : 0, now, 1);
    this.panel.timeline.cursor = now;
    this.panel.show({ ...meaning, end, rows: this.timeline?.rows ?? null, pyramid: this.timeline?.pyramid ?? null }, view.fold.tables);
    const took = performance.now() - began;
    this.rest = Math.max(began + LEAST_MS, performance.now() + took * (SHARE - 1));
  }

  /** @param {import("../trajectory/timeline_thread.js").Timeline} timeline steps, notes and messages of the run so far */
  give(timeline) {
    this.timeline = timeline;
    this.show();
  }
}
