// @ts-check
/** What is selected: its facts, and the chain of events that belong to it, each with its raw delivery. */

import { el, fill, glyph } from "../lib/dom.js";
import { clock, duration } from "../lib/format_time.js";
import { MARK_KINDS } from "../tracks/marks.js";

/**
 * @typedef {{ t: number, glyph: string, tone: string, what: string, who: number | null, actor: string | null, text: string,
 *   ref: string, source: string, id: string, kind: string }} Moment
 */

export class Inspector {
  /**
   * @param {HTMLElement} box
   * @param {{ run: string, seek: (t: number) => void, step: (by: number) => void }} wish
   */
  constructor(box, { run, seek, step }) {
    this.box = box;
    this.run = run;
    this.seek = seek;
    this.step = step;
  }

  /** Nothing is selected. @param {number} lanes */
  empty(lanes) {
    fill(this.box, el("h2", null, "Nothing selected"), el("p", { class: "soft" },
      `Click a mark or a span on one of the ${lanes.toLocaleString("en")} lanes to see its evidence here. Click a lane's name to pin it to the top.`));
  }

  /**
   * @param {{ title: string, glyph: string, tone: string, t: number, words: string, link: string | null }} head
   * @param {Moment[] | null} moments null while they are being read
   * @param {string} [problem]
   */
  show(head, moments, problem = "") {
    const at = moments?.findLast((moment) => moment.t <= head.t + 0.001) ?? null;
    fill(
      this.box,
      el("div", { class: "insp-head" },
        el("div", { class: "line" }, glyph(head.glyph, head.tone), el("h2", null, head.title),
          el("span", { class: "pager" },
            el("button", { class: "btn btn-sm", type: "button", "aria-label": "Previous of this kind", onclick: () => this.step(-1) }, glyph("prev", "ink")),
            el("button", { class: "btn btn-sm", type: "button", "aria-label": "Next of this kind", onclick: () => this.step(1) }, glyph("next", "ink")))),
        el("p", null, head.link ? el("a", { class: "id", href: head.link }, head.words) : head.words)),
      el("dl", { class: "facts-list" }, el("dt", null, "At"), el("dd", null, clock(head.t, { tenths: true }))),
      el("div", { class: "sec-head" }, el("h3", null, "Evidence chain"),
        moments && el("span", { class: "count" }, `${moments.length} events, ${new Set(moments.map((m) => m.source)).size} sources`)),
      problem ? el("p", { class: "soft" }, glyph("dead", "bad"), ` ${problem}`) : null,
      moments === null && !problem ? el("p", { class: "muted" }, "Reading the events …") : null,
      moments ? el("ol", { class: "chain" }, moments.map((moment, k) => this.link(moment, k, moment === at))) : null,
    );
  }

  /** @param {Moment} moment @param {number} k @param {boolean} selected */
  link(moment, k, selected) {
    return el("li", { class: selected ? "sel" : null, "aria-current": selected ? "true" : null },
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

/**
 * The head of a mark or of a span.
 * @param {import("../tracks/marks.js").Mark} mark
 * @param {string} run
 */
export function headOf(mark, run) {
  const look = MARK_KINDS[/** @type {keyof typeof MARK_KINDS} */ (mark.kind)] ?? { glyph: "note", tone: "quiet", word: mark.kind };
  const word = look.word[0].toUpperCase() + look.word.slice(1);
  return { title: word, glyph: look.glyph, tone: look.tone, t: mark.t, words: mark.label, link: pageOf(mark.table, mark.key, run) };
}

/**
 * The head of a claim's span.
 * @param {import("../tracks/claims.js").Span} span
 * @param {string} run
 */
export function headOfSpan(span, run) {
  const tone = { landed: "good", failed: "bad", live: "active", idle: "quiet" }[span.outcome] ?? "quiet";
  const shape = { landed: "merged", failed: "dead", live: "working", idle: "released" }[span.outcome] ?? "note";
  return { title: `Claim n${span.key}, held ${duration(span.end - span.start)}`, glyph: shape, tone, t: span.start, words: span.label, link: `/runs/${run}/claims/${span.key}` };
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
