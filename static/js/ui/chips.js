// @ts-check
/** Kinds of marks as chips: the legend and the filter in one. A pressed chip is drawn. */

import { el, glyph } from "../lib/dom.js";
import { MARK_KINDS, MEANT } from "../tracks/marks.js";

/**
 * @param {HTMLElement} box
 * @param {import("./timeline.js").Timeline} timeline
 * @param {() => void} changed
 */
export function showChips(box, timeline, changed) {
  const { marks, rows } = timeline.picture;
  /** @type {Record<string, number>} */
  const counts = {};
  for (const mark of marks) counts[mark.kind] = (counts[mark.kind] ?? 0) + 1;
  if (rows) for (const kind of Object.keys(MARK_KINDS)) if (!MEANT.includes(kind)) counts[kind] = rows.counts[rows.kindOf(kind)] ?? 0;
  const known = /** @type {Map<string, HTMLElement>} */ (chipsOf.get(box) ?? new Map());
  chipsOf.set(box, known);
  for (const [kind, look] of Object.entries(MARK_KINDS).reverse()) {
    const chip = known.get(kind) ?? box.appendChild(el("button", { class: "chip", type: "button", onclick: () => toggle(kind) }, glyph(look.glyph, look.tone), look.word, el("span", { class: "muted" })));
    known.set(kind, chip);
    const coming = !rows?.kinds.length && !MEANT.includes(kind); // unknown is no zero
    const count = coming ? "…" : counts[kind] >= 10_000 ? `${Math.round(counts[kind] / 1000)} k` : (counts[kind] ?? 0).toLocaleString("en");
    const figure = /** @type {HTMLElement} */ (chip.lastElementChild);
    if (figure.textContent !== count) figure.textContent = count;
    chip.setAttribute("aria-pressed", String(timeline.kinds.has(kind)));
    chip.toggleAttribute("disabled", !counts[kind]);
  }

  /** @param {string} kind */
  function toggle(kind) {
    if (!timeline.kinds.delete(kind)) timeline.kinds.add(kind);
    known.get(kind)?.setAttribute("aria-pressed", String(timeline.kinds.has(kind)));
    changed();
  }
}

/** @type {WeakMap<HTMLElement, Map<string, HTMLElement>>} chips are made once, so that one that has the focus keeps it */
const chipsOf = new WeakMap();
