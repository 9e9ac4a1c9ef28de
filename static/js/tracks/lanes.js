// @ts-check
/** Which worker is drawn where: pinned lanes, groups, open and closed, by the room there is. Pure. */

import { rowsOf } from "./tables.js";

const THINNEST = 2.5; // pixels of a lane of an open group; more of them than there is room for are scrolled

/** @typedef {{ worker: number, name: string, node: string, role: string, steps: number, joined: number, left: number | null, status: string, claim?: string }} Lane */
/** @typedef {{ name: string, lanes: Lane[], open: boolean, y: number, height: number, laneHeight: number }} Group */
/** @typedef {{ pinned: { lane: Lane, y: number, height: number }[], groups: Group[], top: number, height: number, scroll: number,
 *   place: Map<number, { y: number, height: number, group: Group | null }>, zooms: [number, number] }} Layout `height` = of everything, `scroll` = how far it is scrolled, `zooms` = from where to where it changes anything */

const TOP = 46;
const PINNED = 40;
const TALLEST = 48;
const HEAD = 16;
const CLOSED = 14;
const GAP = 3;

/**
 * @param {Lane[]} lanes
 * @param {{ grouping: string, order: string, pinned: number[], closed: Set<string>, room: number, filter: (lane: Lane) => boolean,
 *   zoom?: number, scroll?: number }} wish `zoom` = how much taller than they must be
 * @returns {Layout}
 */
export function layOut(lanes, { grouping, order, pinned, closed, room, filter, zoom = 1, scroll = 0 }) {
  const shown = lanes.filter(filter).sort(comparing(order));
  /** @type {Map<string, Lane[]>} */
  const named = new Map();
  for (const lane of shown) {
    const name = groupOf(lane, grouping);
    const own = named.get(name);
    if (own) own.push(lane);
    else named.set(name, [lane]);
  }
  const byName = [...named].sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
  const heads = byName.length > 1;
  const groups = byName.map(([name, own]) => ({ name, lanes: own, open: !heads || !closed.has(name), y: 0, height: 0, laneHeight: 0 }));
  const pins = pinned.map((worker) => lanes.find((lane) => lane.worker === worker)).filter((lane) => lane !== undefined);
  const fixed = TOP + pins.length * PINNED + (pins.length ? 8 : 0);
  const opened = groups.reduce((sum, group) => sum + (group.open ? group.lanes.length : 0), 0);
  const rest = room - fixed - groups.reduce((sum, group) => sum + (group.open ? (heads ? HEAD : 0) : CLOSED) + GAP, 0);
  const fitting = Math.max(THINNEST, Math.min(TALLEST, Math.floor((rest / Math.max(1, opened)) * 2) / 2));
  const laneHeight = Math.min(TALLEST, Math.max(0.5, Math.round(fitting * zoom * 4) / 4));
  return { ...placed(pins, groups, laneHeight, heads, { room, scroll }), zooms: [Math.max(0.2, 0.5 / fitting), TALLEST / fitting] };
}

/** @param {Lane} lane @param {string} grouping */
function groupOf(lane, grouping) {
  if (grouping === "node") return lane.node;
  if (grouping === "role") return lane.role;
  if (grouping === "claim") return lane.claim ?? "no claim";
  return "all workers";
}

/**
 * @param {Lane[]} pins
 * @param {Group[]} groups
 * @param {number} laneHeight
 * @param {boolean} heads
 * @param {{ room: number, scroll: number }} view
 * @returns {Omit<Layout, "zooms">}
 */
function placed(pins, groups, laneHeight, heads, view) {
  let y = TOP;
  const place = new Map();
  const pinned = pins.map((lane) => {
    const row = { lane, y, height: PINNED };
    y += PINNED;
    return row;
  });
  if (pinned.length) y += 8;
  const top = y;
  const tall = groups.reduce((sum, group) => sum + GAP + (group.open ? group.lanes.length * laneHeight + (heads ? HEAD : 0) : CLOSED), 0);
  const scroll = Math.round(Math.max(0, Math.min(view.scroll, top + tall - view.room)));
  y -= scroll;
  for (const group of groups) {
    group.laneHeight = group.open ? laneHeight : CLOSED / Math.max(1, group.lanes.length);
    group.y = y + (group.open && heads ? HEAD : 0);
    group.height = group.open ? group.lanes.length * laneHeight : CLOSED;
    group.lanes.forEach((lane, k) => place.set(lane.worker, { y: group.y + k * group.laneHeight, height: group.laneHeight, group }));
    y = group.y + group.height + GAP;
  }
  // A pinned lane is drawn in full at the top; its marks belong there.
  for (const row of pinned) place.set(row.lane.worker, { y: row.y, height: row.height, group: null });
  return { pinned, groups, top, height: y + scroll, scroll, place };
}

/** @param {string} order */
function comparing(order) {
  if (order === "activity") return (/** @type {Lane} */ a, /** @type {Lane} */ b) => b.steps - a.steps || a.worker - b.worker;
  if (order === "join") return (/** @type {Lane} */ a, /** @type {Lane} */ b) => a.joined - b.joined || a.worker - b.worker;
  if (order === "claim") return (/** @type {Lane} */ a, /** @type {Lane} */ b) => (a.claim ?? "\uffff").localeCompare(b.claim ?? "\uffff") || a.worker - b.worker;
  return (/** @type {Lane} */ a, /** @type {Lane} */ b) => a.worker - b.worker;
}

/**
 * The same lanes, each with the part of the task that its claim at a second is about: the words before the colon.
 * @param {Lane[]} lanes
 * @param {(worker: number) => import("./claims.js").Span[]} spansOf
 * @param {number} t
 * @returns {Lane[]}
 */
export function claimed(lanes, spansOf, t) {
  return lanes.map((lane) => {
    const span = spansOf(lane.worker).findLast((one) => one.start <= t && one.end >= t);
    const label = span?.label.replace(/["'`*]/g, ""); // as agents quote it
    return { ...lane, claim: label ? (/^([^:]{2,28}):/.exec(label)?.[1] ?? label.split(/\s+/).slice(0, 2).join(" ")) : undefined };
  });
}

/**
 * Lanes from the State.
 * @param {any} tables
 * @param {number} zero
 * @returns {Lane[]}
 */
export function lanesOf(tables, zero) {
  const roles = new Map();
  for (const row of rowsOf(tables, "roles")) {
    if (row.role === "integrator" || !roles.has(row.worker)) roles.set(row.worker, row.role);
  }
  const seconds = (/** @type {any} */ iso) => (iso ? (Date.parse(iso) - zero) / 1000 : null);
  return rowsOf(tables, "workers").map((row) => ({
    worker: row.worker,
    name: row.name ?? `w${String(row.worker).padStart(4, "0")}`,
    node: row.node ?? "no node",
    role: roles.get(row.worker) ?? "no role",
    steps: row.steps ?? 0,
    joined: seconds(row.joined_at) ?? Infinity,
    left: seconds(row.ended_at),
    status: row.status,
  }));
}

/**
 * Groups to start with folded: none while every lane has its room, else all but the one where most was merged for others.
 * @param {Lane[]} lanes
 * @param {number} room pixels
 */
export function foldedAtFirst(lanes, room) {
  /** @type {Map<string, number>} */
  const groups = new Map();
  for (const lane of lanes) groups.set(lane.node, (groups.get(lane.node) ?? 0) + (lane.role === "integrator" ? 1 : 0));
  if (groups.size < 2 || lanes.length * 3 + groups.size * (HEAD + GAP) <= room) return new Set();
  const open = [...groups].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], "en", { numeric: true }))[0][0];
  return new Set([...groups.keys()].filter((name) => name !== open));
}
