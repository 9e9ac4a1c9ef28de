// @ts-check
/** The turns beside a transcript: when, why, how much, what failed, what it cost so far. */

import { el, fill, glyph } from "../lib/dom.js";
import { clock, duration } from "../lib/format_time.js";

/** @param {number | null | undefined} value */
export const short = (value) => (value === null || value === undefined ? "unknown" : value < 1000 ? String(value) : value < 999_500 ? `${(value / 1000).toFixed(value < 9950 ? 1 : 0)}k` : `${(value / 1e6).toFixed(1)}M`);

/** @param {number | null | undefined} micro */
export const money = (micro) => (micro === null || micro === undefined ? "" : micro === 0 ? "$0" : micro < 10_000 ? "< $0.01" : `$${(micro / 1e6).toFixed(2)}`);

/** @param {Record<string, number | null>} usage */
const tokens = (usage) => (usage.input_tokens === null && usage.output_tokens === null ? "no tokens reported" : `${short(usage.input_tokens)} in, ${short(usage.output_tokens)} out`);

/**
 * @param {HTMLElement} list
 * @param {import("../trajectory/transcript.js").Turn[]} turns
 * @param {(place: [number, number]) => void} go
 */
export function showTurns(list, turns, go) {
  fill(list, turns.filter((turn) => turn.turn > 0 || turn.life > 1).map((turn) => {
    const length = turn.ended_t === null ? null : turn.ended_t - turn.t;
    const name = turn.turn > 0 ? `Turn ${turn.turn}` : `Life ${turn.life}`;
    const cost = money(turn.usage.cost_microusd);
    const title = `Running total after it: ${tokens(turn.sum)}${turn.sum.cached_tokens === null ? "" : `, ${short(turn.sum.cached_tokens)} cached`} ${money(turn.sum.cost_microusd)}`;
    return el("li", { "data-turn": `${turn.life}-${turn.first}` }, el("button", { type: "button", title, onclick: () => go([turn.life, turn.first]) },
      el("span.tn-h", {}, el("time", {}, clock(turn.t)), el("b", {}, name), el("span.muted", {}, turn.trigger), turn.error ? glyph("dead", "bad") : turn.ended_t === null ? glyph("working", "active") : null),
      el("span.tn-f", {}, `${turn.steps} step${turn.steps === 1 ? "" : "s"}`, turn.failed.length > 0 && el("span.bad", {}, `, ${turn.failed.length} failed`), length === null ? "" : `, ${duration(length)}`),
      el("span.tn-f.muted", {}, tokens(turn.usage), cost ? `, ${cost}` : ""),
      el("span.tn-f.muted", {}, `so far ${short(turn.sum.input_tokens)} in, ${short(turn.sum.output_tokens)} out${turn.sum.cost_microusd === null ? "" : `, ${money(turn.sum.cost_microusd)}`}`)));
  }));
}

/** The head's figures. @param {HTMLElement} node @param {any} outline */
export function showTotals(node, outline) {
  const { turns, total } = outline;
  const steps = turns.reduce((/** @type {number} */ sum, /** @type {any} */ turn) => sum + turn.steps, 0);
  const count = turns.filter((/** @type {any} */ turn) => turn.turn > 0).length;
  const cost = money(total.cost_microusd);
  node.textContent = `${count} turn${count === 1 ? "" : "s"}, ${steps.toLocaleString("en")} steps, ${tokens(total)}${total.cached_tokens === null ? "" : `, ${short(total.cached_tokens)} cached`}${cost ? `, ${cost}` : ""}${outline.metered ? ", as metered" : ", as the agent reports"}`;
}
