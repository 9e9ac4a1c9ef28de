// @ts-check
/** The replay page's parts in step with each other: one cursor, one view, one selection; the address follows. */

import { readMoment, writeMoment } from "../lib/address.js";
import { byId, el, fill } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { activity } from "../tracks/activity.js";
import { figuresAt, figuresOf } from "../tracks/figures.js";
import { markOf, neighbour } from "../tracks/marks.js";
import { meaningOf } from "../tracks/picture.js";
import { roll } from "../tracks/roll.js";
import { Player } from "../trajectory/player.js";
import { Comparison } from "./comparison.js";
import { Followed } from "./followed.js";
import { LanesPanel } from "./lanes_panel.js";
import { Scrubber } from "./scrubber.js";
import { Selection } from "./selection.js";
import { showState } from "./state_panels.js";
import { showTable } from "./table_view.js";

const PANELS_MS = 120; // while it plays, the State is read out so often
const TABLE_MS = 1000; // and so often in the table of all workers
const ASKED_MS = 600; // the same where the server folds
const AHEAD = 0.8; // of the view a cursor that plays may go before the view comes along
const AT_END = 0.5; // seconds from the end that count as the end

/** @typedef {import("../trajectory/feed_recorded.js").Recorded} Recorded */
/** @typedef {import("../tracks/figures.js").Figures} Figures */
/**
 * @typedef {{ stateAt: (t: number) => Promise<import("../trajectory/fold.js").Tables>, story: (table: string, key: string | number) => Promise<any>,
 *   speakers: (words: string) => Promise<import("./lanes_panel.js").Speakers> }} Ask
 */

export class Replay {
  /** @param {string} run slug @param {Recorded} recorded @param {Ask} ask */
  constructor(run, recorded, ask) {
    this.run = run;
    /** @type {ReturnType<typeof readMoment> | null} what the address asks for and is not found yet */
    this.wanted = null;
    this.ask = ask;
    this.recorded = recorded;
    const asked = readMoment(location.search);
    this.player = new Player(recorded.end, asked.t ?? recorded.end);
    this.scrubber = new Scrubber(/** @type {HTMLCanvasElement} */ (byId("scrubber")), { seek: (t) => this.seek(t), show: (a, b) => this.view(a, b) });
    this.panel = new LanesPanel({ moved: () => this.paint(), clicked: (hit) => this.click(hit), play: () => this.play(), step: (by, every) => this.next(by, "", every), speakers: ask.speakers });
    this.timeline = this.panel.timeline;
    this.timeline.pinned = asked.w;
    this.selection = new Selection(this, byId("inspector"));
    this.comparison = new Comparison(this);
    this.followed = new Followed(this);
    /** @type {Figures | null} */
    this.figures = null;
    this.shownAt = -Infinity;
    this.waiting = false;
    this.saving = 0;
    this.tabled = 0;
    /** @type {import("../tracks/picture.js").Meaning | null} */
    this.meaning = null;
    this.take(recorded);
    if (asked.span !== null) this.view(this.player.at - asked.span / 2, this.player.at + asked.span / 2);
    this.selection.none();
    this.wanted = asked;
    this.find();
    this.move();
  }

  /** Show this much of the run; a cursor at the end stays at the end: that is live. @param {Recorded} recorded */
  take(recorded) {
    const { player } = this;
    const atEnd = player.at >= this.recorded.end - AT_END;
    const had = this.recorded;
    this.recorded = recorded;
    const { tables, zero, end, rows, pyramid } = recorded;
    // The same State means the same, with its rows or without them.
    const meaning = (this.meaning = this.meaning && had.tables === tables && had.end === end ? this.meaning : meaningOf(tables, zero, end, false));
    this.marks = meaning.marks;
    this.lanes = meaning.lanes;
    this.names = new Map(meaning.lanes.map((lane) => [lane.worker, lane]));
    this.panel.show({ ...meaning, rows, pyramid }, tables);
    this.scrubber.picture = {
      end,
      active: activity(rows, end),
      most: Math.max(1, this.lanes.length),
      rates: meaning.scores,
      failures: this.marks.filter((mark) => mark.kind === "failure").map((mark) => mark.t),
    };
    this.find();
    player.end = end;
    if (atEnd && !player.playing) player.at = end;
    this.paint();
  }

  /** The event that the address names, once it is here. */
  find() {
    const { wanted, recorded } = this;
    const mark = wanted && markOf(this.marks, recorded.rows, wanted.ev);
    if (!mark) return;
    this.selection.choose(mark, wanted?.t === null);
    this.wanted = null;
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
    // Played, the view glides along under a cursor near its right edge: a strip a frame, no page that is turned.
    const glides = player.playing && player.at > a + span * AHEAD && player.at <= b + player.speed;
    if (glides) timeline.scale = timeline.scale.showing(player.at - span * AHEAD, player.at + span * (1 - AHEAD));
    else if (player.at > b || player.at < a) timeline.scale = timeline.scale.showing(player.at - span * 0.2, player.at + span * 0.8);
    byId("clock").textContent = clock(player.at, { tenths: this.recorded.end < 1800 });
    this.paint();
    const pause = this.recorded.statuses ? PANELS_MS : ASKED_MS;
    if (now - this.shownAt >= pause || now < this.shownAt) {
      this.shownAt = now === Infinity ? -Infinity : now;
      this.state();
    }
  }

  paint() {
    this.timeline.paint();
    this.scrubber.view = { a: this.timeline.scale.a, b: this.timeline.scale.b };
    this.scrubber.paint();
    clearTimeout(this.saving);
    this.saving = window.setTimeout(() => this.save(), 250);
  }

  save() {
    const { timeline, player, recorded } = this;
    const { a, b, span } = timeline.scale;
    const whole = span >= recorded.end - 0.01;
    document.body.dataset.shown = whole ? "" : `${Math.max(0, Math.floor(a * 10) / 10)} ${Math.ceil(b * 10) / 10}`; // for the export
    history.replaceState(null, "", writeMoment({ t: player.at, w: timeline.pinned, ev: timeline.selected, span: whole ? null : span }));
  }

  /**
   * The figures of a second: from the statuses where they are at hand, else asked for.
   * @param {number} t
   * @returns {Promise<Figures> | Figures}
   */
  figuresAt(t) {
    const { statuses, tables, end, zero } = this.recorded;
    if (statuses) {
      statuses.seek(zero + t * 1000);
      return figuresAt(statuses, this.names, [...(tables.get("checkpoints")?.values() ?? [])]);
    }
    if (t >= end) return figuresOf(tables);
    return this.ask.stateAt(t).then(figuresOf);
  }

  /** Tell the State at the cursor; where the server is asked, one question at a time. */
  async state() {
    const t = this.player.at;
    if (this.recorded.reading && t < this.recorded.end) return fill(byId("state"), el("p", { class: "muted" }, "Reading the statuses of the run …"));
    if (this.waiting) return;
    try {
      const found = this.figuresAt(t);
      this.waiting = found instanceof Promise;
      this.tell(this.waiting ? await found : /** @type {Figures} */ (found), t);
    } catch (problem) {
      byId("said").textContent = `The State could not be read: ${/** @type {Error} */ (problem).message}`;
    }
    const asked = this.waiting;
    this.waiting = false;
    if (asked && !this.player.playing && t !== this.player.at) this.state();
  }

  /** @param {Figures} figures @param {number} t */
  tell(figures, t) {
    this.figures = figures;
    showState(byId("state"), figures, t, this.run, this.comparison.before);
    this.followed.show(t);
    const now = performance.now();
    if (byId("table-view").hidden || (this.player.playing && now - this.tabled < TABLE_MS)) return;
    this.tabled = now;
    this.table(t);
  }

  /** @param {number} t */
  table(t) {
    const { timeline, recorded, marks } = this;
    const lanes = this.lanes.filter(timeline.filter);
    const merges = timeline.byKind.get("merge") ?? [];
    const rows = roll(lanes, timeline.spansOf, recorded.rows, merges, (worker) => this.statusOf(worker, t), t);
    showTable(byId("table-view"), rows, marks, t, this.run, this.lanes.length);
  }

  /** A worker's status at a second, as far as the page knows it. @param {number} worker @param {number} t */
  statusOf(worker, t) {
    const { statuses, tables, end, zero } = this.recorded;
    if (statuses) {
      statuses.seek(zero + t * 1000);
      this.places ??= new Map((statuses.head.keys.workers ?? []).map((key, k) => [Number(key), k]));
      return statuses.value("workers.status", this.places.get(worker) ?? -1);
    }
    const status = t >= end ? tables.get("workers")?.get(worker)?.status : null;
    return typeof status === "string" ? status : null;
  }

  /** @param {import("./lanes_panel.js").Hit} hit */
  click({ mark, lane, group, span, t }) {
    this.wanted = null;
    if (mark) return void this.selection.choose(mark, false);
    this.seek(t);
    if (span && (lane || group?.open)) this.selection.chooseSpan(span);
  }

  /**
   * Go to the next mark (by 1) or the one before (by -1): of one kind, of any that is drawn, or with `every` to the next event whatever it is;
   * while a worker is followed, of that worker.
   * @param {number} by @param {string} kind @param {boolean} [every]
   */
  next(by, kind, every = false) {
    this.wanted = null;
    const { rows } = this.recorded;
    const kinds = kind ? new Set([kind]) : every ? new Set([...rows.kinds, ...this.timeline.byKind.keys()]) : this.timeline.kinds;
    const worker = this.followed.worker;
    const marks = worker === null ? this.marks : this.marks.filter((one) => one.worker === worker);
    const from = (/** @type {number} */ t) => neighbour(marks, rows, kinds, t, by, worker, markOf(marks, rows, this.timeline.selected));
    const ahead = from(this.player.at);
    const mark = ahead ?? from(by > 0 ? -Infinity : Infinity); // past the last comes the first again
    if (mark) this.selection.choose(mark, true);
    const round = ahead ? "" : `From the ${by > 0 ? "start" : "end"} again: `;
    byId("said").textContent = mark ? `${round}${mark.label}, ${clock(mark.t)}` : `There is no ${kind || (every ? "event" : "mark")}.`;
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
