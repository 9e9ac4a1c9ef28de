// @ts-check
/** Delivery pips: four squares, stored, leased, shown, acknowledged. */

import { el } from "../lib/dom.js";

export const STATES = ["stored", "leased", "shown", "acknowledged"];

/** `upto` squares are on. @param {number} upto 0..4 */
export const pips = (upto) => el("span.pips", { "aria-hidden": "true" }, STATES.map((_, k) => el("i", { class: k < upto ? "on" : null })));

/** Pips and the word of the last one. @param {string} state */
export const pipsOf = (state) => el("span.pipped", {}, pips(STATES.indexOf(state) + 1), ` ${state}`);
