// @ts-check
import { byId, fill, glyph } from "../lib/dom.js";
import { readRecorded } from "../trajectory/feed_recorded.js";
import { KEY_COLUMNS } from "../trajectory/fold.js";
import { Replay } from "../ui/replay.js";

const run = document.body.dataset.run ?? "";
const api = `/api/v1/runs/${run}`;
const loading = byId("loading");

/** @param {string} address */
async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
}

/** @param {number} t */
async function stateAt(t) {
  const { tables } = await json(`${api}/state?at=${t.toFixed(3)}`);
  return new Map(Object.entries(tables).map(([name, rows]) => [name, new Map(Object.values(rows).map((row) => [row[KEY_COLUMNS[name]], row]))]));
}

try {
  const recorded = await readRecorded(api, fetch.bind(window), (words) => fill(loading, words));
  loading.hidden = true;
  byId("replay").hidden = false;
  const replay = new Replay(run, recorded, { stateAt, story: (table, key) => json(`/runs/${run}/story/${table}/${key}`) });
  byId("play").addEventListener("click", () => replay.play());
  byId("back").addEventListener("click", () => replay.next(-1, ""));
  byId("forth").addEventListener("click", () => replay.next(1, ""));
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
  const { timeline } = replay;
  byId("grouping").addEventListener("change", (/** @type {any} */ event) => {
    timeline.grouping = event.target.value;
    replay.paint();
  });
  byId("order").addEventListener("change", (/** @type {any} */ event) => {
    timeline.order = event.target.value;
    replay.paint();
  });
  byId("filter").addEventListener("input", (/** @type {any} */ event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    const held = new Map(replay.lanes.map((lane) => [lane.worker, `${lane.name} ${lane.node} ${lane.role} ${lane.status}`.toLowerCase()]));
    for (const span of replay.spans) held.set(span.worker, `${held.get(span.worker)} ${span.label.toLowerCase()}`);
    timeline.filter = (lane) => words.every((/** @type {string} */ word) => held.get(lane.worker)?.includes(word));
    replay.paint();
  });
  byId("as-table").addEventListener("click", () => {
    const view = byId("table-view");
    view.hidden = !view.hidden;
    byId("as-table").setAttribute("aria-pressed", String(!view.hidden));
    replay.shown = null;
    replay.state();
  });
  byId("copy-link").addEventListener("click", async () => {
    replay.save();
    await navigator.clipboard.writeText(location.href);
    byId("said").textContent = "The link to this moment is copied.";
  });
} catch (problem) {
  fill(loading, glyph("dead", "bad"), ` The replay could not be opened: ${/** @type {Error} */ (problem).message}. Reload the page to try again.`);
  throw problem;
}
