// @ts-check
/** What a worker knew at a moment: wiring of the scrubber, play and the address. */

import { byId, fill, glyph } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { showKnowledge } from "../ui/knowledge.js";

const page = JSON.parse(byId("page").textContent ?? "{}");
const api = `/api/v1/runs/${page.slug}/workers/${page.worker}/knowledge`;
const base = `/runs/${page.slug}`;
const slider = /** @type {HTMLInputElement} */ (byId("at"));
/** @type {any} */
let told = null;
let wanted = 0;
let asking = false;
let playing = 0;

/** Ask for the moment wanted; while one is on its way the newest wish waits. */
const ask = async () => {
  if (asking) return;
  asking = true;
  let at = NaN;
  try {
    while (at !== wanted) {
      at = wanted;
      const answer = await fetch(Number.isFinite(at) ? `${api}?at=${at}` : api, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.status === 404 ? "the worker was not there yet" : `the server answered ${answer.status}`);
      told = await answer.json();
      if (!Number.isFinite(at)) at = wanted = told.t;
      draw();
    }
  } catch (problem) {
    wanted = at;
    byId("loading").hidden = false;
    fill(byId("loading"), glyph("gap", "warn"), ` At ${clock(at)}: ${/** @type {Error} */ (problem).message}.`);
  } finally {
    asking = false;
  }
};

const draw = () => {
  slider.max = String(Math.max(1, told.end));
  slider.value = String(told.t);
  slider.setAttribute("aria-valuetext", clock(told.t));
  byId("clock").textContent = clock(told.t, { tenths: told.end < 3600 });
  byId("status").textContent = `${told.status}${told.claim === null ? "" : `, holds n${told.claim}`}`;
  byId("loading").hidden = told.told;
  if (!told.told) fill(byId("loading"), glyph("gap", "warn"), " This worker's tap told nothing of its inbox: only what it read on the board and wrote itself is sure.");
  byId("to-transcript").setAttribute("href", `${base}/workers/${page.worker}/transcript?t=${told.t}`);
  byId("to-replay").setAttribute("href", `${base}/replay?t=${told.t}&w=${page.worker}`);
  showKnowledge(byId("feeds"), told, base);
  history.replaceState(null, "", `?t=${Math.round(told.t * 10) / 10}`);
};

/** @param {number} t */
const go = (t) => {
  wanted = Math.round(t * 1000) / 1000;
  slider.value = String(t);
  ask();
};
slider.addEventListener("input", () => go(Number(slider.value)));
byId("before").addEventListener("click", () => {
  const found = told?.moments.findLast((/** @type {number} */ t) => t < told.t - 0.0005);
  if (found !== undefined) go(found);
});
byId("after").addEventListener("click", () => {
  const found = told?.moments.find((/** @type {number} */ t) => t > told.t + 0.0005);
  if (found !== undefined) go(found);
});
byId("play").addEventListener("click", () => {
  const on = playing === 0;
  byId("play").setAttribute("aria-pressed", String(on));
  fill(byId("play"), glyph(on ? "pause" : "play", "quiet"));
  if (!on) {
    clearInterval(playing);
    playing = 0;
    return;
  }
  if (told && told.t >= told.end - 0.5) go(0);
  playing = window.setInterval(() => {
    if (!told || asking) return;
    if (told.t >= told.end) return byId("play").click();
    go(Math.min(told.end, told.t + Math.max(1, told.end / 240)));
  }, 500);
});

const asked = new URLSearchParams(location.search).get("t");
wanted = asked === null || asked === "" ? NaN : Number(asked);
ask();
