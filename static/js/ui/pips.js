// @ts-check
/** Delivery pips: four squares, stored, leased, shown, acknowledged, and the word of the last one. */

import { el, fill } from "../lib/dom.js";

export const STATES = ["stored", "leased", "shown", "acknowledged"];
const AT_ONCE = 80;

/** `upto` squares are on. @param {number} upto 0..4 */
export const pips = (upto) => el("span.pips", { "aria-hidden": "true" }, STATES.map((_, k) => el("i", { class: k < upto ? "on" : null })));

/** Pips and the word of the last one. @param {string} state */
export const pipsOf = (state) => el("span.pipped", {}, pips(STATES.indexOf(state) + 1), ` ${state}`);

/** A place for the pips of a note or message, filled by `markDelivered`. @param {"note" | "message"} kind @param {string | number} id */
export const pipsHere = (kind, id) => el("span.meta.nowrap.pipped", { "data-pips": `${kind}:${id}` });

/**
 * Ask how far the items on the screen have come; what everybody acknowledged is not asked again.
 * @param {HTMLElement} box @param {(url: string) => Promise<any>} read @param {string} api
 */
export const markDelivered = async (box, read, api) => {
  const open = /** @type {HTMLElement[]} */ ([...box.querySelectorAll("[data-pips]:not([data-done])")]).slice(0, AT_ONCE);
  if (!open.length) return;
  const ids = (/** @type {string} */ kind) => open.map((node) => (node.dataset.pips ?? "").split(`${kind}:`)[1]).filter(Boolean).map(encodeURIComponent).join(",");
  const told = await read(`${api}/delivered?notes=${ids("note")}&messages=${ids("message")}`);
  if (!told.told) return;
  for (const node of open) {
    const [kind, id] = (node.dataset.pips ?? "").split(":");
    const found = told[`${kind}s`][id];
    if (!found) continue;
    if (found.of > 0 && found.acknowledged === found.of) node.dataset.done = "";
    fill(node, " ", pips(found.furthest), ` ${wordsOf(found)}`);
    node.title = STATES.map((state) => `${state} ${found[state]} of ${found.of}`).join(", ");
  }
};

/** `shown to 2 of 7`. @param {any} found */
export const wordsOf = (found) => {
  if (!found.of) return "no receiver";
  if (!found.furthest) return "not handed over yet";
  const state = STATES[found.furthest - 1];
  const count = found[state];
  return count === 1 && found.of === 1 ? state : `${state} ${state === "shown" ? "to" : "by"} ${count} of ${found.of}`;
};
