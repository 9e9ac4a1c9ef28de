// @ts-check
import { again } from "../lib/again.js";
import { byId, fill, glyph } from "../lib/dom.js";
import { readMoments, readRecorded } from "../trajectory/feed_recorded.js";
import { KEY_COLUMNS } from "../trajectory/fold.js";
import { TimelineReader } from "../trajectory/timeline_thread.js";
import { copyPicture } from "../ui/picture.js";
import { Replay } from "../ui/replay.js";

const { run = "", thread = "", name = "", simulated = "" } = document.body.dataset;
const api = `/api/v1/runs/${run}`;
const loading = byId("loading");
const get = again(fetch.bind(window));
const begun = /** @type {{ reading?: Worker }} */ (globalThis).reading; // by reading_ahead.js
const reader = new TimelineReader(`${api}/timeline`, get, () => begun ?? new Worker(thread, { type: "module" }));
const manifest = JSON.parse(document.getElementById("manifest")?.textContent ?? "null"); // of a run that has settled
const MOVING_MS = 4000; // how often a run that still moves is read again

/** @param {string} address */
async function json(address) {
  const answer = await get(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

/** @param {number} t */
async function stateAt(t) {
  const { tables } = await json(`${api}/state?at=${t.toFixed(3)}`);
  return new Map(Object.entries(tables).map(([table, rows]) => [table, new Map(Object.values(rows).map((row) => [row[KEY_COLUMNS[table]], row]))]));
}

/** @type {Replay | null} */
let shown = null;

/** Show the run as far as it is here; once its lanes are drawn in full and sharp, the next frame is marked. @param {import("../trajectory/feed_recorded.js").Recorded} recorded */
function show(recorded) {
  const words = recorded.coming ? "overview" : "painted";
  if (shown) {
    shown.take(recorded);
    shown.move();
  } else {
    loading.hidden = true;
    byId("replay").hidden = false;
    shown = new Replay(run, recorded, {
      stateAt,
      story: (table, key) => json(`/runs/${run}/story/${table}/${key}`),
      speakers: (words) => json(`${api}/speakers?q=${encodeURIComponent(words)}`),
    });
  }
  const { canvas, drawn } = shown.timeline;
  const sharp = () => {
    if (!drawn.sharp) return;
    canvas.removeEventListener("painted", sharp);
    requestAnimationFrame(() => performance.mark(`replay-${words}`));
  };
  canvas.addEventListener("painted", sharp);
  return shown;
}

/** @param {string} words */
const progress = (words) => (shown ? shown.panel.reads(words) : fill(loading, words));

try {
  const replay = show(await readRecorded(api, get, reader, progress, show, manifest));
  replay.panel.reads("");
  byId("play").addEventListener("click", () => replay.play());
  byId("back").addEventListener("click", (event) => replay.next(-1, "", event.shiftKey));
  byId("forth").addEventListener("click", (event) => replay.next(1, "", event.shiftKey));
  for (const button of document.querySelectorAll("[data-jump]")) {
    button.addEventListener("click", () => replay.next(1, /** @type {HTMLElement} */ (button).dataset.jump ?? ""));
  }
  const speeds = [...document.querySelectorAll("[data-speed]")];
  for (const button of speeds) {
    button.addEventListener("click", () => {
      replay.player.speed = Number(/** @type {HTMLElement} */ (button).dataset.speed);
      for (const other of speeds) other.setAttribute("aria-pressed", String(other === button));
    });
  }
  byId("as-table").addEventListener("click", () => {
    const view = byId("table-view");
    view.hidden = !view.hidden;
    byId("as-table").setAttribute("aria-pressed", String(!view.hidden));
    replay.state();
  });
  byId("copy-picture").addEventListener("click", async () => {
    byId("said").textContent = await copyPicture(replay.timeline, `${name || run}${simulated ? " (simulated)" : ""}`, `${run}.png`);
  });
  byId("copy-link").addEventListener("click", async () => {
    replay.save();
    await navigator.clipboard.writeText(location.href);
    byId("said").textContent = "The link to this moment is copied.";
  });
  follow(replay);
} catch (problem) {
  fill(loading, glyph("dead", "bad"), ` The replay could not be opened: ${/** @type {Error} */ (problem).message}. Reload the page to try again.`);
  throw problem;
}

/**
 * What tells any second comes after the picture; a run that still moves is read again until it has settled.
 * @param {Replay} replay
 */
async function follow(replay) {
  try {
    await readMoments(api, get, replay.recorded);
    // For near views, until now drawn from the rows; what is on the glass stays.
    const finer = await replay.recorded.finer?.();
    replay.recorded.finer = null;
    if (finer) replay.recorded.pyramid = replay.timeline.picture.pyramid = finer;
    if (replay.recorded.settled) return replay.state();
    if (!document.hidden) replay.take(await readRecorded(api, get, reader));
    replay.move();
  } catch (problem) {
    byId("said").textContent = `The run could not be read again: ${/** @type {Error} */ (problem).message}`;
  }
  if (!replay.recorded.settled || replay.recorded.reading) setTimeout(() => follow(replay), MOVING_MS);
}
