// @ts-check
/** Kinds of marks as chips: the legend and the filter in one. A pressed chip is drawn. */

import { el, fill, glyph } from "../lib/dom.js";
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
  const chips = Object.entries(MARK_KINDS).reverse().map(([kind, look]) =>
    el("button", { class: "chip", type: "button", "aria-pressed": String(timeline.kinds.has(kind)), disabled: !counts[kind], onclick: toggle(kind) },
      glyph(look.glyph, look.tone), look.word, el("span", { class: "muted" }, (counts[kind] ?? 0).toLocaleString("en"))));
  fill(box, chips);

  /** @param {string} kind */
  function toggle(kind) {
    return (/** @type {Event} */ event) => {
      const on = !timeline.kinds.has(kind);
      if (on) timeline.kinds.add(kind);
      else timeline.kinds.delete(kind);
      /** @type {HTMLElement} */ (event.currentTarget).setAttribute("aria-pressed", String(on));
      changed();
    };
  }
}
