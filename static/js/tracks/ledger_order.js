// @ts-check
/** The order of the ledgers: what is open first, then the newest change. Pure. */

import { by } from "../lib/order.js";

/** @param {Iterable<any>} claims @param {boolean} onlyLive @returns {any[]} */
export function claimsInOrder(claims, onlyLive) {
  const all = [...claims];
  const live = all.filter((row) => row.status === "live").sort(by("opened_at"));
  if (onlyLive) return live;
  return live.concat(all.filter((row) => row.status !== "live").sort(by("closed_at")).reverse());
}

/** @param {Iterable<any>} pulls @param {boolean} onlyOpen @returns {any[]} */
export function pullsInOrder(pulls, onlyOpen) {
  const newest = (/** @type {any} */ a, /** @type {any} */ b) => Number(b.number) - Number(a.number);
  const all = [...pulls];
  const open = all.filter((row) => row.status === "open").sort(newest);
  return onlyOpen ? open : open.concat(all.filter((row) => row.status !== "open").sort(newest));
}
