// @ts-check
/** Rows of the two streams: board notes and messages. */

import { el, glyph, said } from "../lib/dom.js";
import { pipsHere } from "./pips.js";
import { lateWords } from "./stream.js";
import { refUrl, runClock, workerLink } from "./words.js";

/** @typedef {import("./words.js").View} View */
/** @typedef {import("../trajectory/arrivals.js").Arrival} Arrival */

const TONES = /** @type {Record<string, string>} */ ({ CLAIM: "active", FAIL: "bad", PATCH_SUMMARY: "good" });

/** @param {View} view */
export const noteRow =
  (view) =>
  (/** @type {Arrival} */ { event, late }) => {
    const { note, type, text, detail, reason } = event.fields;
    if (event.kind === "note.refused") {
      return row(
        view,
        event,
        el("span.body", {}, el("span.nt.c-warn", {}, said(type)), el("span.meta", {}, "refused: ", said(reason)), lateWords(late)),
      );
    }
    const body = el(
      "span.body",
      {},
      el(`span.nt.c-${TONES[type] ?? "quiet"}`, {}, said(type)),
      el("span", { "data-note": note }, said(text)),
      " ",
      el("span.meta.nowrap", { "data-read": note }),
      pipsHere("note", note),
      lateWords(late),
    );
    if (detail) body.append(el("details", {}, el("summary", {}, "detail"), el("p.said", {}, said(detail))));
    return row(view, event, body);
  };

/** @param {View} view */
export const messageRow =
  (view) =>
  (/** @type {Arrival} */ { event, late }) => {
    const { kind, to, text, channel, message } = event.fields;
    if (event.kind !== "message.posted") {
      const what = event.kind === "message.deleted" ? "took a message back" : "changed a message to ";
      return row(
        view,
        event,
        el("span.body", {}, el("span.meta", {}, what), event.kind === "message.edited" ? said(text) : "", lateWords(late)),
      );
    }
    const people = (to ?? []).map((/** @type {unknown} */ who) => (typeof who === "number" ? who : String(who).split(":").at(-1)));
    const where = kind === "direct" ? `to ${people.join(", ") || "nobody"}` : `#${channel ?? "team"}`;
    return row(
      view,
      event,
      el("span.body", { "data-message": message }, el("span.meta", {}, said(where), " "), said(text), pipsHere("message", message), lateWords(late)),
    );
  };

/** @param {View} view @param {import("../trajectory/arrivals.js").Event} event @param {HTMLElement} body */
const row = (view, event, body) => {
  const proof = el("a.ev", { href: refUrl(view, event.ref), "aria-label": "Evidence", title: event.ref }, glyph("ev"));
  return el(
    "li",
    {},
    el("time", { datetime: event.at }, runClock(view, event.at)),
    workerLink(view, event.worker ?? event.actor),
    body,
    proof,
  );
};

/** Strike what no longer holds and say who has read a note. @param {View} view @param {HTMLElement} list */
export const markNotes = (view, list) => {
  const seen = Float64Array.from(view.fold.rows("workers").values(), (row) => Number(row.board_seen ?? 0)).sort();
  const notes = view.fold.rows("notes");
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-note]"))) {
    const note = notes.get(Number(node.dataset.note));
    node.classList.toggle(
      "struck",
      Boolean(note && (note.replaced_by != null || note.invalidated_by != null || note.hidden_at != null)),
    );
  }
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-read]"))) {
    const number = Number(node.dataset.read);
    const note = notes.get(number);
    const why = !note
      ? ""
      : note.invalidated_by != null
        ? ` · failed by n${note.invalidated_by}`
        : note.replaced_by != null
          ? ` · replaced by n${note.replaced_by}`
          : note.hidden_at != null
            ? " · hidden"
            : "";
    node.textContent = `· n${number}, read by ${readers(seen, number)}${why}`;
  }
};

/** How many have seen up to a number. @param {Float64Array} seen rising @param {number} number */
const readers = (seen, number) => {
  let [low, high] = [0, seen.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seen[middle] < number) low = middle + 1;
    else high = middle;
  }
  return seen.length - low;
};
