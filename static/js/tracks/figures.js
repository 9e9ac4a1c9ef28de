// @ts-check
/** What the panels say of one moment: counts by status, who is lost, who holds a role, the score. From whole tables or from statuses alone. Pure. */

import { rowsOf } from "./tables.js";

/**
 * @typedef {Record<string, number>} Counts
 * @typedef {{ workers: { counts: Counts, lost: { worker: number, name: string, status: string }[], nodes: { name: string, working: number, lost: number, of: number }[] },
 *   claims: Counts, pulls: Counts, roles: { worker: number, name: string, role: string, share: string }[], recoveries: Counts,
 *   score: { at_s: number, rate_ppm: number, passed: number, total: number } | null }} Figures
 */

const LOST = new Set(["dead", "stalled"]);

/** @param {any} tables @returns {Figures} */
export function figuresOf(tables) {
  const workers = rowsOf(tables, "workers");
  const names = new Map(workers.map((row) => [row.worker, row.name]));
  const pulls = rowsOf(tables, "pulls");
  const withdrawn = rowsOf(tables, "reviews").filter((row) => row.verdict === "approved" && row.status === "withdrawn").length;
  const conflict = pulls.filter((row) => row.status === "open" && row.conflict === "true").length;
  return {
    workers: census(workers.map((row) => ({ worker: row.worker, name: row.name ?? nameOf(row.worker), node: row.node ?? "no node", status: String(row.status) }))),
    claims: tally(rowsOf(tables, "claims")),
    pulls: { ...tally(pulls), ...some({ conflict, withdrawn }) },
    roles: held(rowsOf(tables, "roles").filter((row) => row.until === null).map((row) => ({ worker: row.worker, name: names.get(row.worker) ?? nameOf(row.worker), role: row.role, share: row.share_ppm === null ? "" : `${Math.round(row.share_ppm / 10_000)} %` }))),
    recoveries: tally(rowsOf(tables, "recoveries")),
    score: lastScore(rowsOf(tables, "checkpoints"), () => true),
  };
}

/**
 * The same from statuses that stand at the moment.
 * @param {import("../trajectory/statuses.js").Statuses} statuses
 * @param {Map<number, { name: string, node: string }>} lanes
 * @param {any[]} checkpoints rows
 * @returns {Figures}
 */
export function figuresAt(statuses, lanes, checkpoints) {
  const pulls = statuses.counts("pulls.status");
  const conflict = statuses.entries("pulls.conflict").filter(([, value, k]) => value === "true" && statuses.value("pulls.status", k) === "open").length;
  const withdrawn = statuses.entries("reviews.status").filter(([, value, k]) => value === "withdrawn" && statuses.value("reviews.verdict", k) === "approved").length;
  const seen = new Set(statuses.entries("checkpoints.seen").map(([key]) => key));
  const named = (/** @type {number} */ worker) => ({ worker, name: lanes.get(worker)?.name ?? nameOf(worker) });
  const roles = statuses.entries("roles.role").filter(([, , k]) => statuses.value("roles.until", k) === null);
  return {
    workers: census(statuses.entries("workers.status").map(([key, status]) => {
      const worker = Number(key);
      return { worker, name: lanes.get(worker)?.name ?? nameOf(worker), node: lanes.get(worker)?.node ?? "no node", status: String(status) };
    })),
    claims: statuses.counts("claims.status"),
    pulls: { ...pulls, ...some({ conflict, withdrawn }) },
    roles: held(roles.map(([key, role, k]) => ({ ...named(Number(String(key).split(":")[0])), role: String(role), share: statuses.value("roles.share", k) ?? "" }))),
    recoveries: statuses.counts("recoveries.status"),
    score: lastScore(checkpoints, (row) => seen.has(row.checkpoint)),
  };
}

/** The sum of what is counted by status. @param {Counts} counts @param {string[]} [but] further counts, not statuses */
export const total = (counts, but = ["conflict", "withdrawn"]) => Object.entries(counts).reduce((sum, [name, count]) => sum + (but.includes(name) ? 0 : count), 0);

/** @param {{ worker: number, name: string, node: string, status: string }[]} rows */
function census(rows) {
  /** @type {Map<string, { name: string, working: number, lost: number, of: number }>} */
  const nodes = new Map();
  /** @type {Counts} */
  const counts = {};
  for (const { node, status } of rows) {
    counts[status] = (counts[status] ?? 0) + 1;
    const own = nodes.get(node) ?? { name: node, working: 0, lost: 0, of: 0 };
    own.of += 1;
    if (status === "working") own.working += 1;
    if (LOST.has(status)) own.lost += 1;
    nodes.set(node, own);
  }
  const lost = rows.filter(({ status }) => LOST.has(status)).map(({ worker, name, status }) => ({ worker, name, status }));
  return { counts, lost, nodes: [...nodes.values()].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })) };
}

/** Integrators first, then by share. @param {{ worker: number, name: string, role: string, share: string }[]} roles */
function held(roles) {
  const order = (/** @type {{ role: string, share: string }} */ row) => (row.role === "integrator" ? -1000 : 0) - (Number.parseInt(row.share, 10) || 0);
  return roles.filter((row) => row.role !== "implementer").sort((a, b) => order(a) - order(b) || a.worker - b.worker);
}

/** @param {any[]} rows @param {(row: any) => boolean} known */
function lastScore(rows, known) {
  const scored = rows.filter((row) => typeof row.rate_ppm === "number" && known(row)).sort((a, b) => a.at_s - b.at_s);
  const last = scored[scored.length - 1];
  return last ? { at_s: last.at_s, rate_ppm: last.rate_ppm, passed: last.passed, total: last.total } : null;
}

/** @param {any[]} rows @returns {Counts} */
function tally(rows) {
  /** @type {Counts} */
  const counts = {};
  for (const row of rows) counts[row.status] = (counts[row.status] ?? 0) + 1;
  return counts;
}

/** @param {Counts} counts */
const some = (counts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count));

/** @param {number} worker */
const nameOf = (worker) => `w${String(worker).padStart(4, "0")}`;
