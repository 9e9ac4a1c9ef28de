// @ts-check
/** Two moments side by side: A is put where the cursor stands; from then on the panels say how the cursor's figures differ from A's. */

import { byId } from "../lib/dom.js";

export class Comparison {
  /** @param {import("./replay.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {{ t: number, figures: import("../tracks/figures.js").Figures } | null} */
    this.before = null;
    this.button = byId("compare-moments");
    this.button.addEventListener("click", () => this.toggle());
  }

  async toggle() {
    const { replay } = this;
    const t = replay.player.at;
    this.before = this.before ? null : { t, figures: await replay.figuresAt(t) };
    replay.timeline.other = this.before?.t ?? null;
    this.button.setAttribute("aria-pressed", String(Boolean(this.before)));
    byId("said").textContent = this.before ? "This moment is A. Move the cursor to compare another with it." : "";
    replay.state();
    replay.paint();
  }
}
