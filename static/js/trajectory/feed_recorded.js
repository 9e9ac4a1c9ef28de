// @ts-check
/** A run as the replay page needs it: newest State and timeline; the change log too, where it is whole and small enough. */

import { History } from "./history.js";
import { readTimeline } from "./timeline_rows.js";

const MOST = 120_000; // changes folded in the browser; of a longer log each moment is asked for
const PAGE = 10_000;

/**
 * @typedef {{ zero: number, end: number, final: any, history: History | null, rows: import("./timeline_rows.js").TimelineRows,
 *   generation: number, settled: boolean, reading: boolean }} Recorded
 */

/**
 * What can be shown at once. The history comes after it, by `readHistory`.
 * @param {string} api `/api/v1/runs/{run}`
 * @param {typeof fetch} get
 * @param {(words: string) => void} [progress]
 * @returns {Promise<Recorded>}
 */
export async function readRecorded(api, get, progress = () => {}) {
  progress("Reading the newest State");
  const state = await json(get(`${api}/state`));
  progress("Reading the timeline");
  const { manifest, rows } = await readTimeline(`${api}/timeline`, get, (done, of) => progress(`Reading the timeline, ${done} of ${of}`));
  const zero = state.t0 ?? manifest.t0 ?? 0;
  const { generation, settled } = state;
  return { zero, end: endOf(state, rows, zero), final: state, history: null, rows, generation, settled, reading: settled && state.c <= MOST };
}

/**
 * The change log of a settled run, so that any second can be folded here; null where the server folds better.
 * @param {string} api
 * @param {typeof fetch} get
 * @param {Recorded} recorded
 * @param {(words: string) => void} [progress]
 */
export async function readHistory(api, get, { final, zero, settled }, progress = () => {}) {
  if (!settled || final.c > MOST) return null;
  /** @type {import("./history.js").Change[]} */
  const changes = [];
  while (changes.length < final.c) {
    progress(`Reading changes, ${changes.length} of ${final.c}`);
    const page = await json(get(`${api}/changes?after=${changes.length}&limit=${PAGE}`));
    if (!page.changes.length || page.generation !== final.generation) return null;
    changes.push(...page.changes);
  }
  return new History(changes, zero);
}

/**
 * The second after which nothing is drawn.
 * @param {any} state
 * @param {import("./timeline_rows.js").TimelineRows} rows
 * @param {number} zero
 */
function endOf(state, rows, zero) {
  let end = rows.rows ? rows.time[rows.rows - 1] / 1000 : 0;
  if (typeof state.at === "number") end = Math.max(end, (state.at - zero) / 1000);
  for (const row of Object.values(state.tables.workers ?? {})) {
    const ended = /** @type {any} */ (row).ended_at ?? /** @type {any} */ (row).last_seen_at;
    if (ended) end = Math.max(end, (Date.parse(ended) - zero) / 1000);
  }
  for (const row of Object.values(state.tables.checkpoints ?? {})) end = Math.max(end, /** @type {any} */ (row).at_s ?? 0);
  return Math.max(end, 1);
}

/** @param {Promise<Response>} asked */
async function json(asked) {
  const answer = await asked;
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw new Error(said.detail ?? `the server answered ${answer.status}`);
  }
  return answer.json();
}
