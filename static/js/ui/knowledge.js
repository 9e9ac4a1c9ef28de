// @ts-check
/** What a worker knew, feed by feed: what had come to it and what had not. */

import { el, fill, said } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { pips, STATES } from "./pips.js";

const FEEDS = /** @type {[string, string, string][]} */ ([["direct", "Direct messages", "messages"], ["board", "Board", "notes"], ["channel", "Channel", "posts"], ["repo", "Repository notices", "notices"]]);

/** @param {HTMLElement} box @param {any} told @param {string} base */
export function showKnowledge(box, told, base) {
  fill(box, FEEDS.map(([name, title, word]) => {
    const feed = told.feeds[name];
    const all = feed.known + feed.unknown;
    const upto = name === "board" && told.board_seen ? `, read up to n${told.board_seen}` : "";
    return el("section.kn-feed", { "aria-label": title }, el("div.sec-head", {}, el("h2", {}, title), el("span.count", {}, all ? `${many(feed.known)} of ${many(all)} known${upto}` : `no ${word} yet`)),
      all > 0 && el("div.kn-cols", {}, side(`Known, newest first`, feed.lately, feed.known, base, name), side("There already, not known to it yet", feed.not_yet, feed.unknown, base, name)));
  }));
}

/** @param {number} count */
const many = (count) => count.toLocaleString("en");

/** @param {string} title @param {any[]} rows @param {number} count @param {string} base @param {string} feed */
const side = (title, rows, count, base, feed) =>
  el("div", {}, el("h3", {}, `${title}: ${many(count)}`), rows.length ? el("div.kn-list", { tabindex: "0", role: "region", "aria-label": title }, el("ul", {}, rows.map((row) => line(row, base, feed)))) : el("p.muted.sm", {}, "nothing"),
    count > rows.length && el("p.muted.sm", {}, `${many(count - rows.length)} more`));

/** @param {any} row @param {string} base @param {string} feed */
const line = (row, base, feed) => {
  const who = typeof row.from === "number" ? el("a.w", { href: `${base}/workers/${row.from}` }, `w${String(row.from).padStart(4, "0")}`) : el("span.w", {}, said(row.from ?? ""));
  const head = feed === "board" ? `${row.type} n${row.item} ` : "";
  const to = row.own && row.to?.length ? `to ${row.to.map((/** @type {number} */ worker) => `w${String(worker).padStart(4, "0")}`).join(", ")} ` : "";
  return el("li", {}, el("time", {}, clock(row.t)), who, el("span.kn-b", {}, head && el("span.nt", {}, head), to && el("span.muted", {}, to), el("span", { class: row.gone ? "gone" : null }, said(row.text)), row.gone && el("span.muted", {}, ` ${row.gone}`)), el("span.kn-s", {}, state(row)));
};

/** @param {any} row */
const state = (row) => {
  if (row.own) return "its own";
  const upto = Math.max(0, ...STATES.map((name, k) => (row.states[name] === undefined ? 0 : k + 1)));
  if (!upto) return row.read ? "read on the board" : "not stored yet";
  const name = STATES[upto - 1];
  const again = row.state !== name ? `, ${row.state} again` : "";
  const at = row.states.shown ?? row.states[name];
  return [pips(upto), ` ${row.states.shown === undefined ? name : "shown"} ${clock(at)}${again}`];
};
