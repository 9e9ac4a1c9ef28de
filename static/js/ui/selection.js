// @ts-check
/** What is selected: its events are read, shown in the inspector and drawn as a numbered chain on the lanes they happened on. */

import { highlights } from "../tracks/highlights.js";
import { headOf, headOfSpan, Inspector } from "./inspector.js";

const THIN = 16; // a lane lower than this is pinned while it holds a link of the chain
const PINNED = 6; // lanes a chain may pin

/** @typedef {import("../tracks/marks.js").Mark} Mark */

export class Selection {
  /** @param {import("./replay.js").Replay} replay @param {HTMLElement} box */
  constructor(replay, box) {
    this.replay = replay;
    this.kind = "";
    this.wanted = {};
    this.inspector = new Inspector(box, { run: replay.run, seek: (t) => replay.seek(t), step: (by) => replay.next(by, this.kind), close: () => this.none(), follow: (worker) => replay.followed.set(worker) });
  }

  /** Nothing is selected: the inspector says what there is to see. */
  none() {
    const { timeline } = this.replay;
    timeline.selected = null;
    this.draw([]);
    this.wanted = {};
    this.inspector.empty(this.replay.lanes.length, highlights(this.replay.marks), (mark) => this.choose(mark, true));
    this.replay.paint();
  }

  /** @param {Mark} mark @param {boolean} seek */
  choose(mark, seek) {
    const { timeline, player } = this.replay;
    timeline.selected = mark.id;
    this.kind = mark.kind;
    if (seek) player.seek(mark.t);
    this.tell(headOf(mark, this.replay.run), ...storyOf(mark), mark.worker);
    this.replay.move();
  }

  /** @param {import("../tracks/claims.js").Span} span */
  chooseSpan(span) {
    this.replay.timeline.selected = null;
    this.kind = "";
    this.tell(headOfSpan(span, this.replay.run), "claims", span.key, span.worker);
  }

  /** @param {import("./inspector.js").Head} head @param {string} table @param {string | number} key @param {number} worker */
  async tell(head, table, key, worker) {
    this.draw([]);
    this.inspector.show(head, null);
    const wanted = (this.wanted = {});
    try {
      const { moments, more } = await this.replay.ask.story(table, key);
      if (wanted !== this.wanted) return;
      const chosen = this.inspector.show(head, moments, "", more);
      if (table !== "workers") this.draw(moments.map((/** @type {any} */ moment) => link(moment, moment === chosen, worker, head.tone)));
    } catch (problem) {
      if (wanted === this.wanted) this.inspector.show(head, null, `The events could not be read: ${/** @type {Error} */ (problem).message}`);
    }
  }

  /** @param {import("./timeline.js").Timeline["chain"]} chain */
  draw(chain) {
    const { timeline } = this.replay;
    timeline.chain = chain;
    const height = (/** @type {number} */ worker) => timeline.layout?.place.get(worker)?.height ?? 0;
    const thin = [...new Set(chain.map((each) => each.worker))].filter((worker) => worker > 0 && (timeline.also.includes(worker) || height(worker) < THIN));
    timeline.also = thin.slice(0, PINNED);
    timeline.paint();
  }
}

/** A moment nobody of the team said (a score) stands on no lane. @param {any} moment @param {boolean} chosen @param {number} worker @param {string} tone */
function link(moment, chosen, worker, tone) {
  const lane = moment.who ?? (chosen ? worker : 0);
  return { t: moment.t, worker: lane, tone, chosen };
}

/** Whose events tell a mark's story. @param {Mark} mark @returns {[string, string | number]} */
function storyOf(mark) {
  if (mark.table === "recoveries") return ["claims", mark.key];
  if (mark.table === "reviews") return ["pulls", String(mark.key).split(".")[0]];
  if (mark.table === "roles") return ["workers", mark.worker];
  return [mark.table, mark.key];
}
