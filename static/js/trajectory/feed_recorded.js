// @ts-check
/** A run as the replay page needs it: newest State and timeline at once; then what the panels are told from at any second. */

import { tablesOf } from "./lean.js";
import { Pyramid } from "./pyramid.js";
import { Statuses, tileOf } from "./statuses.js";
import { TimelineRows } from "./timeline_rows.js";

/** @typedef {import("./timeline_thread.js").TimelineReader} TimelineReader */
/**
 * @typedef {{ zero: number, end: number, tables: import("./fold.js").Tables, counts: Record<string, number>,
 *   rows: import("./timeline_rows.js").TimelineRows, pyramid: import("./pyramid.js").Pyramid | null, tiles: string[],
 *   statuses: Statuses | null, generation: number, settled: boolean, reading: boolean, coming: boolean }} Recorded `coming` = the rows are not there yet, but how busy everybody was is
 */

/**
 * What can be shown at once. Statuses come after it, by `readMoments`.
 * @param {string} api `/api/v1/runs/{run}`
 * @param {typeof fetch} get
 * @param {TimelineReader} reader
 * @param {(words: string) => void} [progress]
 * @param {(recorded: Recorded) => void} [early] given the run without its rows, where the server has an overview and it is here first
 * @returns {Promise<Recorded>}
 */
export async function readRecorded(api, get, reader, progress = () => {}, early) {
  progress("Reading the newest State and the timeline");
  let read = false;
  const timeline = reader.read((done, of) => progress(`Reading the timeline, ${done} of ${of}`)).finally(() => (read = true));
  const overview = early && Promise.all([tile(api, get, "overview"), json(get(`${api}/timeline`)).catch(() => null)]);
  const lean = await json(get(`${api}/state?lean=true`));
  const tables = tablesOf(lean);
  const { generation, settled, counts } = lean;
  const facts = { tables, counts, statuses: null, generation, settled };
  const [first, parts] = (await overview) ?? [null, null];
  if (first && parts && !read) {
    const [zero, rows] = [lean.t0 ?? parts.t0 ?? 0, new TimelineRows([], [], true)];
    early?.({ ...facts, zero, rows, end: endOf(tables, parts, zero), pyramid: Pyramid.overview(tileOf(first)), tiles: [], reading: true, coming: true });
  }
  const { manifest, rows, pyramid } = await timeline;
  const zero = lean.t0 ?? manifest.t0 ?? 0;
  const tiles = (manifest.tiles ?? []).map(({ name }) => name);
  return { ...facts, zero, rows, end: endOf(tables, manifest, zero), pyramid, tiles, reading: tiles.includes("statuses"), coming: false };
}

/** A tile of a settled run; null where there is none. @param {string} api @param {typeof fetch} get @param {string} name */
async function tile(api, get, name) {
  const answer = await get(`${api}/timeline?tile=${name}`).catch(() => null);
  return answer?.ok ? answer.arrayBuffer() : null;
}

/**
 * Read what tells the State of any second, where the run has settled. Without it the server is asked for each.
 * @param {string} api
 * @param {typeof fetch} get
 * @param {Recorded} recorded
 */
export async function readMoments(api, get, recorded) {
  try {
    if (recorded.tiles.includes("statuses")) recorded.statuses = new Statuses(await (await ok(get(`${api}/timeline?tile=statuses`))).arrayBuffer());
  } finally {
    recorded.reading = false;
  }
}

/**
 * The second after which nothing is drawn.
 * @param {import("./fold.js").Tables} tables
 * @param {{ segments: { t_max: number }[] }} manifest
 * @param {number} zero
 */
function endOf(tables, { segments }, zero) {
  let end = Math.max(0, ...segments.map(({ t_max }) => t_max)) / 1000;
  for (const row of tables.get("workers")?.values() ?? []) {
    const ended = row.ended_at ?? row.last_seen_at;
    if (typeof ended === "string") end = Math.max(end, (Date.parse(ended) - zero) / 1000);
  }
  for (const row of tables.get("checkpoints")?.values() ?? []) end = Math.max(end, Number(row.at_s ?? 0));
  return Math.max(end, 1);
}

/** @param {Promise<Response>} asked */
async function json(asked) {
  return (await ok(asked)).json();
}

/** @param {Promise<Response>} asked */
async function ok(asked) {
  const answer = await asked;
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.detail ?? `the server answered ${answer.status}`);
}
