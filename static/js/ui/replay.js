// @ts-check
/** The replay page's parts in step with each other: one cursor, one view, one selection; the address follows. */

import { readMoment, writeMoment } from "../lib/address.js";
import { byId } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { claimSpans } from "../tracks/claims.js";
import { lanesOf } from "../tracks/lanes.js";
import { MARK_KINDS, meaningMarks } from "../tracks/marks.js";
import { Player } from "../trajectory/player.js";
import { showChips } from "./chips.js";
import { headOf, headOfSpan, Inspector } from "./inspector.js";
import { Scrubber } from "./scrubber.js";
import { showState } from "./state_panels.js";
import { showTable } from "./table_view.js";
import { Timeline } from "./timeline.js";
import { listen } from "./timeline_keys.js";

const BINS = 360;

export class Replay {
  /**
   * @param {string} run slug
   * @param {import("../trajectory/feed_recorded.js").Recorded} recorded
   * @param {{ stateAt: (t: number) => Promise<import("../trajectory/fold.js").Tables>, story: (table: string, key: string | number) => Promise<any> }} ask
   */
  constructor(run, recorded, ask) {
    this.run = run;
    this.recorded = recorded;
    this.ask = ask;
    const asked = readMoment(location.search);
    const { tables } = recorded.final;
    this.marks = meaningMarks(tables, recorded.zero);
    this.spans = claimSpans(Object.values(tables.claims ?? {}), recorded.zero, recorded.end, Object.values(tables.recoveries ?? {}));
    this.lanes = lanesOf(tables, recorded.zero);
    this.player = new Player(recorded.end, asked.t ?? recorded.end);
    this.timeline = new Timeline(byId("lanes"));
    this.timeline.pinned = asked.w;
    for (const [kind, look] of Object.entries(MARK_KINDS)) if (look.on) this.timeline.kinds.add(kind);
    this.inspector = new Inspector(byId("inspector"), { run, seek: (t) => this.seek(t), step: (by) => this.next(by, this.kind) });
    this.scrubber = new Scrubber(byId("scrubber"), { seek: (t) => this.seek(t), show: (a, b) => this.view(a, b) });
    this.kind = "";
    this.shown = /** @type {any} */ (null);
    this.saving = 0;
    this.begin(asked);
  }

  /** @param {import("../lib/address.js").Moment} asked */
  begin(asked) {
    const { recorded, timeline } = this;
    const scores = Object.values(recorded.final.tables.checkpoints ?? {}).filter((row) => row.rate_ppm !== null);
    const labels = scores.map((row) => ({ t: row.at_s, text: `${(row.rate_ppm / 10_000).toFixed(1)} %` }));
    timeline.show({ lanes: this.lanes, spans: this.spans, marks: this.marks, rows: recorded.rows, scores: labels, end: recorded.end, live: false });
    if (asked.span !== null) this.view(this.player.at - asked.span / 2, this.player.at + asked.span / 2);
    this.scrubber.picture = {
      end: recorded.end,
      active: activity(recorded.rows, recorded.end),
      most: Math.max(1, this.lanes.length),
      rates: scores.map((row) => ({ t: row.at_s, share: row.rate_ppm / 1_000_000 })).sort((a, b) => a.t - b.t),
      failures: this.marks.filter((mark) => mark.kind === "failure").map((mark) => mark.t),
    };
    showChips(byId("chips"), timeline, () => this.paint());
    listen(timeline, { moved: () => this.paint(), clicked: (event) => this.click(event), play: () => this.play(), step: (by) => this.next(by, "") });
    this.inspector.empty(this.lanes.length);
    const mark = this.marks.find((one) => one.id === asked.ev);
    if (mark) this.select(mark, asked.t === null);
    this.move();
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
  move() {
    const { player, timeline } = this;
    timeline.cursor = this.scrubber.cursor = player.at;
    const { a, b, span } = timeline.scale;
    if (player.at > b || player.at < a) timeline.scale = timeline.scale.showing(player.at - span * 0.2, player.at + span * 0.8);
    byId("clock").textContent = clock(player.at, { tenths: this.recorded.end < 1800 });
    this.paint();
    this.state();
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
    const moment = { t: player.at, w: timeline.pinned, ev: timeline.selected, span: whole ? null : timeline.scale.span };
    history.replaceState(null, "", writeMoment(moment));
  }

  /** The State at the cursor: folded here where the change log is at hand, else asked for; a late answer is dropped. */
  async state() {
    const { history } = this.recorded;
    const t = this.player.at;
    const tables = history ? history.at(t) : await this.ask.stateAt(t);
    if (!history && t !== this.player.at) return;
    if (tables === this.shown && !this.player.playing) return;
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
      this.select(mark, false);
    } else {
      this.seek(t);
      if (span) this.tell(headOfSpan(span, this.run), "claims", span.key);
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

  /** @param {import("../tracks/marks.js").Mark} mark @param {boolean} seek */
  select(mark, seek) {
    this.timeline.selected = mark.id;
    this.kind = mark.kind;
    if (seek) this.player.seek(mark.t);
    const [table, key] = mark.table === "recoveries" ? ["claims", mark.key] : mark.table === "reviews" ? ["pulls", String(mark.key).split(".")[0]]
      : mark.table === "roles" ? ["workers", mark.worker] : [mark.table, mark.key];
    this.tell(headOf(mark, this.run), table, key);
    this.move();
  }

  /** @param {any} head @param {string} table @param {string | number} key */
  async tell(head, table, key) {
    this.inspector.show(head, null);
    const wanted = (this.wanted = {});
    try {
      const told = await this.ask.story(table, key);
      if (wanted === this.wanted) this.inspector.show(head, told.moments);
    } catch (problem) {
      if (wanted === this.wanted) this.inspector.show(head, null, `The events could not be read: ${/** @type {Error} */ (problem).message}`);
    }
  }

  /** Go to the next mark (by 1) or the last one before (by -1); of one kind, or of any that is drawn. @param {number} by @param {string} kind */
  next(by, kind) {
    const t = this.player.at;
    const wanted = this.marks.filter((mark) => (kind ? mark.kind === kind : this.timeline.kinds.has(mark.kind)));
    const mark = by > 0 ? wanted.find((one) => one.t > t + 1e-3) : wanted.findLast((one) => one.t < t - 1e-3);
    if (mark) this.select(mark, true);
    byId("said").textContent = mark ? `${mark.label}, ${clock(mark.t)}` : `There is no ${by > 0 ? "later" : "earlier"} ${kind || "mark"}.`;
  }

  play() {
    this.player.toggle();
    const frame = (/** @type {number} */ now) => {
      if (this.player.tick(now)) this.move();
      if (this.player.playing) requestAnimationFrame(frame);
      byId("play").setAttribute("aria-pressed", String(this.player.playing));
      byId("play").setAttribute("aria-label", this.player.playing ? "Pause" : "Play");
    };
    requestAnimationFrame(frame);
  }
}

/**
 * Workers with a turn or a step in each of BINS parts of the run.
 * @param {import("../trajectory/timeline_rows.js").TimelineRows} rows
 * @param {number} end
 */
function activity(rows, end) {
  const turn = rows.kindOf("turn");
  const step = rows.kindOf("step");
  const seen = Array.from({ length: BINS }, () => new Set());
  const bin = (/** @type {number} */ ms) => Math.min(BINS - 1, Math.max(0, Math.floor((ms / 1000 / end) * BINS)));
  for (let i = 0; i < rows.rows; i++) {
    if (rows.kind[i] !== turn && rows.kind[i] !== step) continue;
    const last = bin(rows.time[i] + rows.duration[i]);
    for (let k = bin(rows.time[i]); k <= last; k++) seen[k].add(rows.worker[i]);
  }
  return seen.map((workers) => workers.size);
}
