// @ts-check
/** A worker's transcript: wiring of outline, scroll, find, failures and the address. */

import { byId, fill, glyph } from "../lib/dom.js";
import { failuresOf, nextPlace, placeOf } from "../trajectory/transcript.js";
import { Find } from "../ui/transcript_find.js";
import { Scroll } from "../ui/transcript_scroll.js";
import { showTotals, showTurns } from "../ui/transcript_turns.js";

const page = JSON.parse(byId("page").textContent ?? "{}");
const api = `/api/v1/runs/${page.slug}/`;
const AGAIN_MS = 2500;

/** @param {string} path */
const read = async (path) => {
  const answer = await fetch(api + path, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
};

let open = false;
const view = { slug: page.slug, worker: page.worker, base: `/runs/${page.slug}`, read, opened: new Set(), open: () => open, live: () => page.live, arrived: () => { if (following) scrollTo(0, document.body.scrollHeight); } };
const scroll = new Scroll(byId("entries"), view);
const find = new Find(byId("hits"), view, (place) => go(place));
/** @type {any} */
let outline = null;
/** @type {[number, number]} */
let here = [0, 0];
let following = false;

/** @param {[number, number]} place */
const go = async (place) => {
  follow(false);
  const node = await scroll.go(place);
  if (node) remember(node);
  node?.focus({ preventScroll: true });
  return node;
};

/** The address and the way back to the timeline follow the reader. @param {HTMLElement} node */
const remember = (node) => {
  here = placeOf(node.dataset.id ?? "") ?? here;
  history.replaceState(null, "", `?at=${node.dataset.id}`);
  byId("to-replay").setAttribute("href", `/runs/${page.slug}/replay?t=${Math.max(0, Number(node.dataset.t)).toFixed(3)}&w=${page.worker}`);
};

const draw = () => {
  scroll.take(outline.turns);
  showTurns(byId("turns"), outline.turns, go);
  showTotals(byId("totals"), outline);
  const failed = failuresOf(outline.turns).length;
  byId("failures").textContent = failed === 1 ? "1 failure" : `${failed} failures`;
  for (const id of ["prev-failure", "next-failure"]) byId(id).toggleAttribute("disabled", failed === 0);
  byId("loading").hidden = outline.turns.length > 0;
  if (!outline.turns.length) fill(byId("loading"), page.live ? "This worker has said nothing yet. Its first turn appears here by itself." : "This worker's tap has shipped nothing: there is no transcript.");
  if (following) scrollTo(0, document.body.scrollHeight);
};

const load = async () => {
  try {
    const next = await read(`workers/${page.worker}/transcript`);
    const first = outline === null;
    const moved = first || next.n !== outline.n;
    outline = next;
    if (moved) draw();
    if (first) await begin();
  } catch (problem) {
    if (outline === null) fill(byId("loading"), glyph("dead", "bad"), ` The transcript could not be read: ${/** @type {Error} */ (problem).message}. Trying again.`);
  }
  if (page.live || outline === null) setTimeout(load, document.hidden ? AGAIN_MS * 4 : AGAIN_MS);
};

/** Where the address points. */
const begin = async () => {
  const asked = new URLSearchParams(location.search);
  const place = placeOf(asked.get("at"));
  const t = Number(asked.get("t") ?? NaN);
  if (place) await go(place);
  else if (Number.isFinite(t)) {
    const found = await read(`workers/${page.worker}/transcript/place?t=${t}`);
    await go([found.life, found.item]);
  } else if (page.live) follow(true);
  const words = asked.get("q");
  if (words) {
    /** @type {HTMLInputElement} */ (byId("find")).value = words;
    find.look(words);
  }
};

/** @param {boolean} on */
const follow = (on) => {
  following = on;
  document.getElementById("follow")?.setAttribute("aria-pressed", String(on));
  if (on) scrollTo(0, document.body.scrollHeight);
};
document.getElementById("follow")?.addEventListener("click", () => follow(!following));
addEventListener("wheel", (event) => event.deltaY < 0 && following && follow(false), { passive: true });

/** @param {1 | -1} way */
const failure = (way) => {
  const next = outline && nextPlace(failuresOf(outline.turns), here, way);
  if (next) go(next);
};
byId("next-failure").addEventListener("click", () => failure(1));
byId("prev-failure").addEventListener("click", () => failure(-1));

let waiting = 0;
byId("find").addEventListener("input", (/** @type {any} */ event) => {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => find.look(event.target.value.trim()), 250);
});
byId("find").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  find.step(here, event.shiftKey ? -1 : 1);
});
addEventListener("keydown", (event) => {
  if (/** @type {HTMLElement} */ (event.target).closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "f") failure(1);
  else if (event.key === "F") failure(-1);
  else if (event.key === "n" && find.words) find.step(here, 1);
  else if (event.key === "N" && find.words) find.step(here, -1);
});

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-show]"))) {
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    if (button.dataset.show === "folded") {
      open = on;
      for (const details of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll(".en-step details:not(.sub)"))) details.open = on;
      if (!on) view.opened.clear();
    } else byId("entries").classList.toggle(`without-${button.dataset.show}`, !on);
  });
}
byId("entries").addEventListener("click", (event) => {
  const link = /** @type {HTMLElement} */ (event.target).closest("[data-link]");
  const node = link?.closest("[data-id]");
  if (!link || !node || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  remember(/** @type {HTMLElement} */ (node));
  navigator.clipboard?.writeText(location.href).then(() => (byId("said").textContent = "The link to this place is copied."), () => {});
});
let settling = 0;
addEventListener("scroll", () => {
  clearTimeout(settling);
  settling = window.setTimeout(() => {
    const node = scroll.here();
    if (!node) return;
    here = placeOf(node.dataset.id ?? "") ?? here;
    const turn = outline?.turns.findLast((/** @type {any} */ each) => each.life < here[0] || (each.life === here[0] && each.first <= here[1]));
    for (const item of document.querySelectorAll("#turns [data-turn]")) item.classList.toggle("here", turn && item.getAttribute("data-turn") === `${turn.life}-${turn.first}`);
  }, 120);
}, { passive: true });

load();
