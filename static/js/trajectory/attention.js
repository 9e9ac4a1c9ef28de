// @ts-check
/** What needs a person: rows of the State and lagging feeds, ordered by harm, grouped, few. Pure. */

const HARM = { bad: 0, warn: 1, note: 2 };
const GROUP_FROM = 4; // so many of one kind become one row
export const SHOWN = 20;
export const MOST = 200; // rows of an open group
export const LAG_MS = 10_000;

// The one action that helps, by kind. Where a person may not act, the page of the worker is what is left.
const HELPS = /** @type {Record<string, "nudge" | "stop" | "steps">} */ ({
  worker_dead: "steps",
  worker_looping: "steps",
  worker_silent: "nudge",
  worker_stuck: "stop",
  nudge_unanswered: "stop",
});

/** @typedef {{ kind: string, severity: string, since: string | null, cause: string, worker: number | null, pull: number | null,
 *   claim: number | null, evidence: string[], evidence_count: number, item: string }} Row */
/** @typedef {{ key: string, kind: string, severity: string, since: string | null, rows: Row[], within?: boolean }} Item one line, of one row or of many; `within` a group that is open */

/**
 * @param {Iterable<Row>} rows
 * @returns {{ items: Item[], total: number }} every line, worst first, oldest first among equals
 */
export const attention = (rows) => {
  /** @type {Map<string, Row[]>} */
  const kinds = new Map();
  let total = 0;
  for (const row of rows) {
    total += 1;
    const same = kinds.get(row.kind);
    if (same) same.push(row);
    else kinds.set(row.kind, [row]);
  }
  const items = [];
  for (const [kind, same] of kinds) {
    same.sort((a, b) => order(a.since, b.since));
    if (same.length >= GROUP_FROM) items.push(line(`group:${kind}`, same));
    else items.push(...same.map((row) => line(row.item, [row])));
  }
  return { items: items.sort((a, b) => harm(a.severity) - harm(b.severity) || order(a.since, b.since)), total };
};

/**
 * The lines with every open group followed by its rows, oldest first.
 * @param {Item[]} items
 * @param {Set<string>} open kinds
 * @returns {Item[]}
 */
export const unfolded = (items, open) =>
  items.flatMap((item) =>
    item.rows.length > 1 && open.has(item.kind) ? [item, ...item.rows.slice(0, MOST).map((row) => ({ ...line(row.item, [row]), within: true }))] : [item],
  );

/** @param {string} key @param {Row[]} rows @returns {Item} */
const line = (key, rows) => ({ key, kind: rows[0].kind, severity: rows[0].severity, since: rows[0].since, rows });

/**
 * Feeds that have not answered for a while, or failed, as rows. A feed that never spoke is unknown and no alarm.
 * @param {{ source: string, lag_ms: number | null, error: string | null, error_since: string | null, polled_at: string | null }[]} feeds
 * @returns {Row[]}
 */
export const laggingFeeds = (feeds) =>
  feeds
    .filter((feed) => feed.error || (feed.lag_ms !== null && feed.lag_ms > LAG_MS && PULLED.has(feed.source)))
    .map((feed) => ({
      kind: "feed_lag",
      severity: "warn",
      since: feed.error_since ?? feed.polled_at,
      cause: feed.error ?? "It has not answered since.",
      worker: null,
      pull: null,
      claim: null,
      evidence: [],
      evidence_count: 0,
      item: `feed_lag:${feed.source}`,
    }));

// These are asked all the time; acp and gateway speak when they have something to say.
const PULLED = new Set(["run", "board", "mattermost", "gitea"]);

/** @param {string} severity */
const harm = (severity) => /** @type {Record<string, number>} */ (HARM)[severity] ?? 3;

/** @param {string | null} a @param {string | null} b */
const order = (a, b) => ((a ?? "") < (b ?? "") ? -1 : (a ?? "") > (b ?? "") ? 1 : 0);

/**
 * What helps against a cause: prompt the worker, end it, read its last steps, open the pull, claim or worker, or hand the moment on.
 * @param {Pick<Row, "kind" | "worker" | "pull" | "claim">} row
 * @param {boolean} operator
 * @returns {"nudge" | "stop" | "steps" | "pull" | "claim" | "worker" | "feeds" | "copy"}
 */
export const helps = (row, operator) => {
  if (row.kind === "feed_lag") return "feeds";
  const known = row.worker === null ? undefined : HELPS[row.kind];
  if (known === "steps" || (known && operator)) return known;
  if (known) return "worker";
  if (row.pull !== null) return "pull";
  if (row.claim !== null) return "claim";
  return row.worker !== null ? "worker" : "copy";
};
