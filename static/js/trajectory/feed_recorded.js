// @ts-check
/** A run as the replay page needs it: newest State and timeline at once; then what the panels are told from at any second. */

import { tablesOf } from "./lean.js";
import { Statuses } from "./statuses.js";

/** @typedef {import("./timeline_thread.js").TimelineReader} TimelineReader */
/**
 * @typedef {{ zero: number, end: number, tables: import("./fold.js").Tables, counts: Record<string, number>,
 *   rows: import("./timeline_rows.js").TimelineRows, pyramid: import("./pyramid.js").Pyramid | null, tiles: string[],
 *   statuses: Statuses | null, generation: number, settled: boolean, reading: boolean }} Recorded
 */

/**
 * What can be shown at once. Statuses come after it, by `readMoments`.
 * @param {string} api `/api/v1/runs/{run}`
 * @param {typeof fetch} get
 * @param {TimelineReader} reader
 * @param {(words: string) => void} [progress]
 * @returns {Promise<Recorded>}
 */
export async function readRecorded(api, get, reader, progress = () => {}) {
  progress("Reading the newest State and the timeline");
  const timeline = reader.read((done, of) => progress(`Reading the timeline, ${done} of ${of}`));
  const state = json(get(`${api}/state?lean=true`));
  const [lean, { manifest, rows, pyramid }] = await Promise.all([state, timeline]);
  const tables = tablesOf(lean);
  const zero = lean.t0 ?? manifest.t0 ?? 0;
  const tiles = (manifest.tiles ?? []).map((tile) => tile.name);
  const { generation, settled, counts } = lean;
  return { zero, end: endOf(tables, rows, zero), tables, counts, rows, pyramid, tiles, statuses: null, generation, settled, reading: tiles.includes("statuses") };
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
 * @param {import("./timeline_rows.js").TimelineRows} rows
 * @param {number} zero
 */
function endOf(tables, rows, zero) {
  let end = rows.rows ? rows.time[rows.rows - 1] / 1000 : 0;
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
