// @ts-check
/** The replay page's parts in step with each other: one cursor, one view, one selection; the address follows. */

import { readMoment, writeMoment } from "../lib/address.js";
import { byId, el, fill } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { activity } from "../tracks/activity.js";
import { claimSpans } from "../tracks/claims.js";
import { foldedAtFirst, lanesOf } from "../tracks/lanes.js";
import { MARK_KINDS, markOf, meaningMarks, neighbour, takeOvers } from "../tracks/marks.js";
import { matching, textsOf } from "../tracks/search.js";
import { Player } from "../trajectory/player.js";
import { showChips } from "./chips.js";
import { Scrubber } from "./scrubber.js";
import { Selection } from "./selection.js";
import { showState } from "./state_panels.js";
import { showTable } from "./table_view.js";
import { Timeline } from "./timeline.js";
import { listen } from "./timeline_keys.js";
import { showTips } from "./timeline_tip.js";

const PANELS_MS = 120; // while it plays, the State is read out so often
const ASKED_MS = 600; // the same where the server folds
const CROWD = 100; // lanes from which on the commoner marks start switched off
const AT_END = 0.5; // seconds from the end that count as the end

/** @typedef {import("../trajectory/feed_recorded.js").Recorded} Recorded */
/** @typedef {{ stateAt: (t: number) => Promise<import("../trajectory/fold.js").Tables>, story: (table: string, key: string | number) => Promise<any> }} Ask */

export class Replay {
  /** @param {string} run slug @param {Recorded} recorded @param {Ask} ask */
  constructor(run, recorded, ask) {
    this.run = run;
    this.ask = ask;
    this.recorded = recorded;
    const asked = readMoment(location.search);
    this.player = new Player(recorded.end, asked.t ?? recorded.end);
    this.timeline = new Timeline(byId("lanes"));
    this.timeline.pinned = asked.w;
    for (const [kind, look] of Object.entries(MARK_KINDS)) if (look.on) this.timeline.kinds.add(kind);
    this.scrubber = new Scrubber(byId("scrubber"), { seek: (t) => this.seek(t), show: (a, b) => this.view(a, b) });
    this.selection = new Selection(this, byId("inspector"));
    this.asked = "";
    this.shown = /** @type {any} */ (null);
    this.shownAt = -Infinity;
    this.waiting = false;
    this.saving = 0;
    this.take(recorded);
    if (this.lanes.length > CROWD) for (const kind of ["pull", "reviewer"]) this.timeline.kinds.delete(kind);
    showChips(byId("chips"), this.timeline, () => this.paint());
    this.timeline.closed = foldedAtFirst(this.lanes, byId("lanes").clientHeight - 60);
    if (asked.span !== null) this.view(this.player.at - asked.span / 2, this.player.at + asked.span / 2);
    listen(this.timeline, { moved: () => this.paint(), clicked: (event) => this.click(event), play: () => this.play(), step: (by) => this.next(by, "") });
    showTips(this.timeline);
    this.selection.none();
    const mark = markOf(this.marks, recorded.rows, asked.ev);
    if (mark) this.selection.choose(mark, asked.t === null);
    this.move();
  }

  /** Show this much of the run; a cursor at the end stays at the end: that is live. @param {Recorded} recorded */
  take(recorded) {
    const { timeline, player } = this;
    const { tables } = recorded.final;
    const atEnd = player.at >= this.recorded.end - AT_END;
    this.recorded = recorded;
    this.marks = meaningMarks(tables, recorded.zero);
    this.spans = claimSpans(Object.values(tables.claims ?? {}), recorded.zero, recorded.end, Object.values(tables.recoveries ?? {}));
    this.lanes = lanesOf(tables, recorded.zero);
    const scores = Object.values(tables.checkpoints ?? {}).filter((row) => row.rate_ppm !== null).sort((a, b) => a.at_s - b.at_s);
    const labels = scores.map((row) => ({ t: row.at_s, text: `${(row.rate_ppm / 10_000).toFixed(1)} %` }));
    const picture = { lanes: this.lanes, spans: this.spans, marks: this.marks, rows: recorded.rows, scores: labels };
    timeline.show({ ...picture, takeOvers: takeOvers(tables, recorded.zero), end: recorded.end, live: false });
    this.scrubber.picture = {
      end: recorded.end,
      active: activity(recorded.rows, recorded.end),
      most: Math.max(1, this.lanes.length),
      rates: scores.map((row) => ({ t: row.at_s, share: row.rate_ppm / 1_000_000 })),
      failures: this.marks.filter((mark) => mark.kind === "failure").map((mark) => mark.t),
    };
    showChips(byId("chips"), timeline, () => this.paint());
    player.end = recorded.end;
    if (atEnd && !player.playing) player.at = recorded.end;
    this.texts = null;
    this.filter(this.asked);
  }

  /** @param {string} words */
  filter(words) {
    this.asked = words;
    if (words.trim()) this.texts ??= textsOf(this.lanes, this.spans, this.marks, this.recorded.final.tables);
    this.timeline.filter = words.trim() ? matching(/** @type {any} */ (this.texts), words) : () => true;
    const kept = this.lanes.filter(this.timeline.filter).length;
    byId("said").textContent = words.trim() ? `${kept} of ${this.lanes.length} lanes match` : "";
    this.paint();
  }

  /** @param {number} t */
  seek(t) {
    this.player.seek(t);
    this.move();
  }

  /** @param {number} a @param {number} b */
  view(a, b) {
    this.timeline.scale = this.timeline.scale.showing(a, b);
    this.paint();
  }

  /** The cursor moved: everything that depends on it follows; the view comes along when the cursor leaves it. */
  move(now = Infinity) {
    const { player, timeline } = this;
    timeline.cursor = this.scrubber.cursor = player.at;
    const { a, b, span } = timeline.scale;
    if (player.at > b || player.at < a) timeline.scale = timeline.scale.showing(player.at - span * 0.2, player.at + span * 0.8);
    byId("clock").textContent = clock(player.at, { tenths: this.recorded.end < 1800 });
    this.paint();
    const pause = this.recorded.history ? PANELS_MS : ASKED_MS;
    if (now - this.shownAt >= pause || now < this.shownAt) {
      this.shownAt = now === Infinity ? -Infinity : now;
      this.state();
    }
  }

  paint() {
    this.timeline.paint();
    this.scrubber.view = { a: this.timeline.scale.a, b: this.timeline.scale.b };
    this.scrubber.paint();
    requestAnimationFrame(() => {
      const { marks, of } = this.timeline.drawn;
      byId("drawn").textContent = `${marks.toLocaleString("en")} of ${of.toLocaleString("en")} marks drawn`;
    });
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), 250);
  }

  save() {
    const { timeline, player, recorded } = this;
    const whole = timeline.scale.span >= recorded.end - 0.01;
    history.replaceState(null, "", writeMoment({ t: player.at, w: timeline.pinned, ev: timeline.selected, span: whole ? null : timeline.scale.span }));
  }

  /** The State at the cursor: folded here where the change log is at hand, else asked for, one question at a time. */
  async state() {
    const { history, final, reading, end } = this.recorded;
    const t = this.player.at;
    if (t >= end && !history) return this.tell(final.tables, t);
    if (reading) return fill(byId("state"), el("p", { class: "muted" }, "Reading the changes of the run …"));
    if (!history && this.waiting) return;
    this.waiting = !history;
    try {
      const tables = history ? history.at(t) : await this.ask.stateAt(t);
      if (tables !== this.shown || !history) this.tell(tables, t);
    } catch (problem) {
      byId("said").textContent = `The State could not be read: ${/** @type {Error} */ (problem).message}`;
    }
    const asked = this.waiting;
    this.waiting = false;
    if (asked && !this.player.playing && t !== this.player.at) this.state();
  }

  /** @param {any} tables @param {number} t */
  tell(tables, t) {
    this.shown = tables;
    showState(byId("state"), tables, t, this.run);
    const view = byId("table-view");
    if (!view.hidden) showTable(view, tables, this.marks, t, this.run);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const { mark, lane, group, inGutter, span, t } = this.timeline.hit(event);
    if (inGutter) {
      if (lane) this.pin(lane.worker);
      else if (group) this.fold(group.name);
    } else if (mark) {
      this.selection.choose(mark, false);
    } else if (group && !group.open && !lane) {
      this.seek(t);
    } else {
      this.seek(t);
      if (span) this.selection.chooseSpan(span);
    }
  }

  /** @param {number} worker */
  pin(worker) {
    const { pinned } = this.timeline;
    this.timeline.pinned = pinned.includes(worker) ? pinned.filter((one) => one !== worker) : [...pinned, worker].slice(-12);
    this.paint();
  }

  /** @param {string} group */
  fold(group) {
    if (!this.timeline.closed.delete(group)) this.timeline.closed.add(group);
    this.paint();
  }

  /** Go to the next mark (by 1) or the one before (by -1); of one kind, or of any that is drawn. @param {number} by @param {string} kind */
  next(by, kind) {
    const kinds = kind ? new Set([kind]) : this.timeline.kinds;
    const mark = neighbour(this.marks, this.recorded.rows, kinds, this.player.at, by);
    if (mark) this.selection.choose(mark, true);
    byId("said").textContent = mark ? `${mark.label}, ${clock(mark.t)}` : `There is no ${by > 0 ? "later" : "earlier"} ${kind || "mark"}.`;
  }

  play() {
    this.player.toggle();
    const frame = (/** @type {number} */ now) => {
      if (this.player.tick(now)) this.move(this.player.playing ? now : Infinity);
      if (this.player.playing) requestAnimationFrame(frame);
      byId("play").setAttribute("aria-pressed", String(this.player.playing));
      byId("play").setAttribute("aria-label", this.player.playing ? "Pause" : "Play");
    };
    requestAnimationFrame(frame);
  }
}
