// @ts-check
/** A run at a glance: census, score, pulls, tokens, cost. Unknown is null, never zero. Pure. */

export const STATUSES = ["working", "idle", "waiting", "nudged", "ended", "stalled", "dead"];
export const LOST = new Set(["stalled", "dead"]);

/** @typedef {import("./fold.js").Fold} Fold */

/** @param {Fold} fold */
export const glance = (fold) => {
  const workers = [...fold.rows("workers").values()];
  /** @type {Map<string, any[]>} */
  const census = new Map(STATUSES.map((status) => [status, []]));
  for (const row of workers) census.get(String(row.status))?.push(row);
  const pulls = [...fold.rows("pulls").values()];
  const count = (/** @type {string} */ status) => pulls.filter((row) => row.status === status).length;
  const costs = workers.map((row) => row.cost_microusd).filter((cost) => typeof cost === "number");
  const scores = scored(fold);
  return {
    workers: workers.length,
    census,
    lost: workers.filter((row) => LOST.has(String(row.status))),
    scores,
    skipped: fold.rows("checkpoints").size - scores.length,
    last: scores.at(-1) ?? null,
    before: scores.at(-2) ?? null,
    pulls: {
      open: count("open"),
      merged: count("merged"),
      closed: count("closed"),
      conflict: pulls.filter((row) => row.status === "open" && row.conflict === "true").length,
    },
    tokensIn: workers.length ? sum(workers, "input_tokens") : null,
    tokensOut: workers.length ? sum(workers, "output_tokens") : null,
    cost: costs.length ? costs.reduce((a, b) => a + b, 0) : null,
  };
};

/** @typedef {{ input: number, cached: number, output: number }} Price micro-dollars a million tokens */

/** What the team's tokens cost at list price, as the pages work it out; null where either is unknown. @param {Fold} fold @param {Price | null} price */
export const listCost = (fold, price) => {
  const workers = [...fold.rows("workers").values()];
  const read = sum(workers, "input_tokens");
  if (!price || !read) return null;
  const cached = Math.min(sum(workers, "cached_tokens"), read);
  const total = (read - cached) * price.input + cached * price.cached + sum(workers, "output_tokens") * price.output;
  return Math.floor(total / 1e6 + 0.5);
};

/** Checkpoints with a score, by time. @param {Fold} fold @returns {any[]} */
export const scored = (fold) =>
  [...fold.rows("checkpoints").values()]
    .filter((row) => row.rate_ppm !== null && row.rate_ppm !== undefined)
    .sort((a, b) => Number(a.at_s) - Number(b.at_s));

/** @param {any[]} rows @param {string} field */
const sum = (rows, field) => rows.reduce((total, row) => total + (row[field] ?? 0), 0);

/** `420 k`, `1.2 M`; unknown for null. @param {number | null} value */
export const shortNumber = (value) => {
  if (value === null) return "unknown";
  for (const [limit, unit] of /** @type {[number, string][]} */ ([
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ])) {
    if (value >= limit) {
      const scaled = value / limit;
      return `${scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1).replace(/\.0$/, "")} ${unit}`;
    }
  }
  return String(value);
};

/** `$0.00`; unknown for null. @param {number | null} microusd */
export const money = (microusd) => {
  if (microusd === null) return "unknown";
  const dollars = microusd / 1e6;
  return dollars >= 1000 ? `$${Math.round(dollars).toLocaleString("en")}` : `$${dollars.toFixed(2)}`;
};

/** `71.9 %`. @param {number} ppm */
export const perCent = (ppm) => `${(ppm / 10_000).toFixed(1)} %`;
