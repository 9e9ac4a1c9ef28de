// @ts-check
/** A run as the replay page needs it: newest State and timeline at once; then what the panels are told from at any second. */

import { tablesOf } from "./lean.js";
import { Pyramid } from "./pyramid.js";
import { Statuses, tileOf } from "./statuses.js";
import { TimelineRows } from "./timeline_rows.js";
import { lasting } from "./timeline_source.js";

/** @typedef {import("./timeline_thread.js").TimelineReader} TimelineReader */
/**
 * @typedef {{ zero: number, end: number, tables: import("./fold.js").Tables, counts: Record<string, number>,
 *   rows: import("./timeline_rows.js").TimelineRows, pyramid: import("./pyramid.js").Pyramid | null, manifest: import("./timeline_source.js").Manifest,
 *   finer: import("./timeline_thread.js").Timeline["finer"], statuses: Statuses | null, generation: number, settled: boolean, reading: boolean, coming: boolean }} Recorded
 *   `coming` = the rows are not there yet, but how busy everybody was is; `finer` asks for a pyramid of near views, which until then are drawn from the rows
 */

/**
 * What can be shown at once. Statuses come after it, by `readMoments`.
 * @param {string} api `/api/v1/runs/{run}`
 * @param {typeof fetch} get
 * @param {TimelineReader} reader
 * @param {(words: string) => void} [progress]
 * @param {(recorded: Recorded) => void} [early] given the run without its rows, where the server has an overview and it is here first
 * @param {import("./timeline_source.js").Manifest | null} [known] the manifest, where the page has it
 * @returns {Promise<Recorded>}
 */
export async function readRecorded(api, get, reader, progress = () => {}, early, known = null) {
  progress("Reading the newest State and the timeline");
  let read = false;
  const parts = known ?? (await reader.manifest());
  const overview = early ? tile(api, get, parts, "overview")?.then(async (answer) => Pyramid.overview(tileOf(await answer.arrayBuffer()))).catch(() => null) : null;
  const timeline = reader.read((done, of) => progress(`Reading the timeline, ${done} of ${of}`), parts, Boolean(overview)).finally(() => (read = true));
  timeline.catch(() => {}); // told where it is waited for
  const kept = await tile(api, get, parts, "lean")?.catch(() => null); // settled anew meanwhile: then as it is now
  const lean = await (kept ? kept.json() : json(get(`${api}/state?lean=true`)));
  const tables = tablesOf(lean);
  const { generation, settled, counts } = lean;
  const facts = { tables, counts, statuses: null, generation, settled };
  const rough = await overview;
  if (rough && !read) {
    const [zero, rows] = [lean.t0 ?? parts.t0 ?? 0, new TimelineRows([], [], true)];
    early?.({ ...facts, zero, rows, end: endOf(tables, parts, zero), pyramid: rough, finer: null, manifest: parts, reading: true, coming: true });
  }
  const { manifest, rows, pyramid, finer } = await timeline;
  const zero = lean.t0 ?? manifest.t0 ?? 0;
  const reading = manifest.sorted && (manifest.tiles ?? []).some(({ name }) => name === "statuses");
  if (rough) rough.alone = false; // where it is too coarse, there are the rows
  return { ...facts, zero, rows, end: endOf(tables, manifest, zero), pyramid: pyramid ?? rough ?? null, finer, manifest, reading, coming: false };
}

/**
 * A tile of a settled run; null where there is none.
 * @param {string} api @param {typeof fetch} get @param {import("./timeline_source.js").Manifest} manifest @param {string} name
 * @returns {Promise<Response> | null}
 */
function tile(api, get, { tiles = [], sorted, generation }, name) {
  const found = sorted && tiles.find((one) => one.name === name);
  return found ? ok(get(lasting(`${api}/timeline`, `tile=${name}`, generation, found.etag))) : null;
}

/**
 * Read what tells the State of any second, where the run has settled. Without it the server is asked for each.
 * @param {string} api
 * @param {typeof fetch} get
 * @param {Recorded} recorded
 */
export async function readMoments(api, get, recorded) {
  try {
    const asked = tile(api, get, recorded.manifest, "statuses");
    if (asked) recorded.statuses = new Statuses(await (await asked).arrayBuffer());
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
