// @ts-check
/** What is selected: its facts, and the chain of events that belong to it, each with its raw delivery. */

import { el, fill, glyph } from "../lib/dom.js";
import { clock, duration } from "../lib/format_time.js";
import { MARK_KINDS } from "../tracks/marks.js";

/**
 * @typedef {{ t: number, glyph: string, tone: string, what: string, who: number | null, actor: string | null, text: string,
 *   ref: string, source: string, id: string, kind: string }} Moment
 * @typedef {{ title: string, glyph: string, tone: string, t: number, words: string, link: string | null, worker: number, facts: [string, string][] }} Head
 */

export class Inspector {
  /**
   * @param {HTMLElement} box
   * @param {{ run: string, seek: (t: number) => void, step: (by: number) => void, close: () => void, follow: (worker: number) => void }} wish
   */
  constructor(box, { run, seek, step, close, follow }) {
    this.box = box;
    this.run = run;
    this.seek = seek;
    this.step = step;
    this.close = close;
    this.follow = follow;
  }

  /**
   * Nothing is selected: what to look at first.
   * @param {number} lanes
   * @param {{ mark: import("../tracks/marks.js").Mark, count: number }[]} first
   * @param {(mark: import("../tracks/marks.js").Mark) => void} choose
   */
  empty(lanes, first, choose) {
    fill(
      this.box,
      el("h2", null, "Nothing selected"),
      el("p", { class: "soft" }, lanes ? `Click a mark or a span on ${lanes === 1 ? "the lane" : `one of the ${lanes.toLocaleString("en")} lanes`} to see its evidence. Click a lane's name to pin it to the top.` : "No worker was seen in this run: it has no lanes."),
      first.length > 0 && el("div", { class: "sec-head first-of" }, el("h3", null, "Look at the first"), el("span", { class: "count" }, "of each kind")),
      first.length > 0 && el("ul", { class: "firsts" }, first.map(({ mark, count }) => {
        const look = lookOf(mark.kind);
        return el("li", null, el("button", { type: "button", onclick: () => choose(mark) }, glyph(look.glyph, look.tone),
          el("span", null, el("b", null, look.word), " ", el("span", { class: "muted" }, count === 1 ? "the only one" : `1 of ${count.toLocaleString("en")}`), el("span", { class: "sub" }, mark.label)),
          el("span", { class: "at" }, clock(mark.t))));
      })),
    );
  }

  /**
   * @param {Head} head
   * @param {Moment[] | null} moments null while they are being read
   * @param {string} [problem]
   * @param {number} [more] events of the story that were left out
   * @returns {Moment | null} the moment that is meant
   */
  show(head, moments, problem = "", more = 0) {
    const near = moments?.filter((moment) => Math.abs(moment.t - head.t) < 0.001) ?? [];
    const at = near.find((moment) => moment.glyph === head.glyph) ?? near[0] ?? moments?.findLast((moment) => moment.t <= head.t + 0.001) ?? null;
    const count = (moments?.length ?? 0) + more;
    fill(
      this.box,
      el("div", { class: "insp-head" },
        el("div", { class: "line" }, glyph(head.glyph, head.tone), el("h2", null, head.title),
          el("span", { class: "pager" },
            el("button", { class: "btn btn-sm", type: "button", "aria-label": "Previous of this kind", onclick: () => this.step(-1) }, glyph("prev", "ink")),
            el("button", { class: "btn btn-sm", type: "button", "aria-label": "Next of this kind", onclick: () => this.step(1) }, glyph("next", "ink")),
            el("button", { class: "btn btn-sm", type: "button", "aria-label": "Close the inspector", onclick: () => this.close() }, glyph("dead", "ink")))),
        el("p", null, head.link ? el("a", { class: "id", href: head.link }, head.words) : head.words)),
      el("dl", { class: "facts-list" }, [["At", clock(head.t, { tenths: true })], ...head.facts].map(([name, words]) => [el("dt", null, name), el("dd", null, words)])),
      head.worker > 0 && el("p", { class: "insp-do" }, el("button", { class: "btn btn-sm", type: "button", onclick: () => this.follow(head.worker) }, `Follow w${String(head.worker).padStart(4, "0")}`),
        el("a", { class: "btn btn-sm btn-plain", href: `/runs/${this.run}/workers/${head.worker}/transcript?t=${head.t.toFixed(3)}` }, "Transcript at this moment")),
      el("div", { class: "sec-head" }, el("h3", null, "Evidence chain"), moments && el("span", { class: "count" }, counted(count, new Set(moments.map((m) => m.source)).size))),
      problem ? el("p", { class: "soft" }, glyph("dead", "bad"), ` ${problem}`) : null,
      moments === null && !problem ? el("p", { class: "muted" }, "Reading the events …") : null,
      moments ? el("ol", { class: "chain" }, moments.map((moment, k) => this.link(moment, k, moment === at ? head.tone : null))) : null,
      more > 0 && el("p", { class: "muted" }, `${more.toLocaleString("en")} more are on its own page.`),
    );
    return at;
  }

  /** @param {Moment} moment @param {number} k @param {string | null} selected its tone */
  link(moment, k, selected) {
    return el("li", { class: selected ? `sel tone-${selected}` : null, "aria-current": selected ? "true" : null },
      el("span", { class: "n" }, k + 1),
      el("div", null,
        el("div", { class: "line" }, glyph(moment.glyph, moment.tone), el("b", null, moment.what),
          el("button", { class: "linklike", type: "button", "aria-label": `Go to ${clock(moment.t)}`, onclick: () => this.seek(moment.t) }, clock(moment.t))),
        moment.text ? el("p", { class: "said" }, moment.text.slice(0, 400)) : null,
        el("div", { class: "refs" },
          moment.who ? el("a", { class: "w", href: `/runs/${this.run}/workers/${moment.who}` }, `w${String(moment.who).padStart(4, "0")}`) : el("span", { class: "w" }, moment.actor ?? ""),
          el("a", { class: "mono", href: `/runs/${this.run}/evidence/${moment.source}/${encodeURIComponent(moment.id)}` }, short(`${moment.source}:${moment.id}`)))));
  }
}

/** @param {string} kind */
function lookOf(kind) {
  return MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (kind)] ?? { glyph: "note", tone: "quiet", word: kind };
}

/** @param {number} events @param {number} sources */
function counted(events, sources) {
  return `${events} event${events === 1 ? "" : "s"}, ${sources} source${sources === 1 ? "" : "s"}`;
}

/**
 * The head of a mark.
 * @param {import("../tracks/marks.js").Mark} mark
 * @param {string} run
 * @returns {Head}
 */
export function headOf(mark, run) {
  const look = lookOf(mark.kind);
  const title = look.word[0].toUpperCase() + look.word.slice(1);
  const facts = /** @type {[string, string][]} */ (mark.worker ? [["Worker", `w${String(mark.worker).padStart(4, "0")}`]] : []);
  return { title, glyph: look.glyph, tone: look.tone, t: mark.t, words: mark.label, link: pageOf(mark.table, mark.key, run), worker: mark.worker, facts };
}

/**
 * The head of a claim's span.
 * @param {import("../tracks/claims.js").Span} span
 * @param {string} run
 * @returns {Head}
 */
export function headOfSpan(span, run) {
  const tone = { landed: "good", failed: "bad", live: "active", idle: "quiet" }[span.outcome] ?? "quiet";
  const shape = { landed: "merged", failed: "dead", live: "working", idle: "released" }[span.outcome] ?? "note";
  const facts = /** @type {[string, string][]} */ ([["Worker", `w${String(span.worker).padStart(4, "0")}`], ["Held", `${duration(span.end - span.start)}, until ${clock(span.end)}`], ["Status", span.status]]);
  return { title: `Claim n${span.key}`, glyph: shape, tone, t: span.start, words: span.label || "without text", link: `/runs/${run}/claims/${span.key}`, worker: span.worker, facts };
}

/**
 * The joined page of a row, where there is one.
 * @param {string} table
 * @param {string | number} key
 * @param {string} run
 */
export function pageOf(table, key, run) {
  if (table === "pulls") return `/runs/${run}/pulls/${key}`;
  if (table === "claims" || table === "recoveries") return `/runs/${run}/claims/${key}`;
  if (table === "reviews") return `/runs/${run}/pulls/${String(key).split(".")[0]}`;
  if (table === "workers") return `/runs/${run}/workers/${key}`;
  if (table === "roles") return `/runs/${run}/workers/${String(key).split(":")[0]}`;
  return null;
}

/** @param {string} text */
function short(text) {
  return text.length <= 30 ? text : `${text.slice(0, 18)}…${text.slice(-6)}`;
}
