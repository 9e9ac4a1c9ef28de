// @ts-check
/** One worker followed through the run: its lane is pinned, steps go from event to event of it, a line says what it does at the cursor. */

import { byId, el, fill, glyph } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";

export class Followed {
  /** @param {import("./replay.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    /** @type {number | null} */
    this.worker = null;
    this.box = byId("followed");
  }

  /** @param {number | null} worker null = no longer */
  set(worker) {
    const { replay } = this;
    this.worker = worker;
    const { pinned } = replay.timeline;
    if (worker !== null && !pinned.includes(worker)) replay.panel.pin(worker);
    this.box.hidden = worker === null;
    this.show(replay.player.at);
    replay.paint();
  }

  /** @param {number} t */
  show(t) {
    const { worker, replay } = this;
    if (worker === null) return;
    const { timeline, recorded } = replay;
    const name = replay.names?.get(worker)?.name ?? `worker ${worker}`;
    const span = timeline.spansOf(worker).findLast((one) => one.start <= t && one.end > t);
    fill(
      this.box,
      glyph("working", "active"), " Following ", el("a", { href: `/runs/${replay.run}/workers/${worker}` }, el("b", null, name)),
      el("span", { class: "soft" }, ` ${replay.statusOf(worker, t) ?? ""}, ${doing(recorded.rows, worker, t)}, ${span ? "holds " : "holds nothing"}`),
      span && el("a", { href: `/runs/${replay.run}/claims/${span.key}` }, span.label || `n${span.key}`),
      el("button", { class: "btn btn-sm btn-plain", type: "button", onclick: () => this.set(null) }, "Stop following"),
    );
  }
}

/** What a worker was at, or did last. @param {import("../trajectory/timeline_rows.js").TimelineRows} rows @param {number} worker @param {number} t */
function doing(rows, worker, t) {
  const claim = rows.kindOf("claim");
  for (let i = rows.from(t * 1000 + 1) - 1; i >= 0; i--) {
    if (rows.worker[i] !== worker || rows.kind[i] === claim) continue;
    const until = (rows.time[i] + rows.duration[i]) / 1000;
    const kind = rows.kinds[rows.kind[i]];
    return rows.duration[i] && until >= t ? `in a ${kind} since ${clock(rows.time[i] / 1000)}` : `last ${kind} at ${clock(rows.time[i] / 1000)}`;
  }
  return "nothing yet";
}
