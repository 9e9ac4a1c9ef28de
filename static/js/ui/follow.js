// @ts-check
/** Follow: a visible toggle. Scrolling a stream away turns it off and says so; arrivals then wait. */

import { byId } from "../lib/dom.js";

const button = byId("follow");

export const follow = {
  onChange: () => {},
  follows: () => button.getAttribute("aria-pressed") === "true",
  away: () => set(false),
  back: () => set(true),
};

/** @param {boolean} on */
const set = (on) => {
  button.setAttribute("aria-pressed", String(on));
  byId("follow-word").textContent = on ? "Follow" : "Follow is off";
  follow.onChange();
};

button.addEventListener("click", () => set(!follow.follows()));
