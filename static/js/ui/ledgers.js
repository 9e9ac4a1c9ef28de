// @ts-check
/** The ledgers: things with a status, open ones first, the newest change first among the others. */

import { byId, el, glyph, said } from "../lib/dom.js";
import { clock, since } from "../lib/format_time.js";
import { by } from "../lib/order.js";
import { claimsInOrder, pullsInOrder } from "../tracks/ledger_order.js";
import { Windowed } from "./windowed.js";
import { claimLink, counting, evidence, MARKS, pullLink, reviewWord, word, workerLink } from "./words.js";

/** @typedef {import("./words.js").View} View */

/** @type {WeakMap<Element, Windowed<any>>} */
const windows = new WeakMap();

/** The window of a ledger, made at its first use. @param {string} name @param {(row: any) => { key: string, sign: unknown[], row: any }} item @param {(row: any) => Element} render */
const windowOf = (name, item, render) => {
  const body = byId(name);
  const found = windows.get(body) ?? new Windowed(byId(`${name}-box`), body, item, render);
  Object.assign(found, { item, render });
  windows.set(body, found);
  return found;
};

/** @param {View} view @param {boolean} onlyLive */
export const showClaims = (view, onlyLive) => {
  const rows = view.fold.rows("claims");
  const shown = claimsInOrder(rows.values(), onlyLive);
  byId("claims-count").textContent = rows.size ? `${shown.length.toLocaleString("en")} of ${rows.size.toLocaleString("en")}` : "";
  byId("claims-note").textContent = Object.entries(tally(rows.values(), "status"))
    .map(([status, n]) => `${n.toLocaleString("en")} ${status}`)
    .join(", ");
  byId("claims-none").hidden = rows.size > 0;
  const item = (/** @type {any} */ row) => ({ key: String(row.claim), sign: [row, view.fold.rows("pulls").get(row.pull)?.status], row });
  windowOf("claims", item, (row) => claim(view, row)).show(shown);
};

/** @param {View} view @param {any} row */
const claim = (view, row) => {
  const open = row.status === "live";
  const from = since(row.opened_at, view.t0);
  const to = since(row.held_until, view.t0);
  const held = open ? counting(view, row.opened_at) : from === null || to === null ? "---" : clock(to - from);
  const bar = el("span.life", {}, el(`i.${tone(row.status)}`));
  place(view, bar, row);
  return el(
    `tr${open ? "" : ".done"}`,
    {},
    el("td", {}, word(row.status)),
    el("td.wide", {}, claimLink(view, row.claim, said(row.text)), ...reason(view, row)),
    el("td", {}, workerLink(view, row.worker)),
    el("td.hide.lifecell", {}, bar),
    el("td.num.hide", {}, held),
    el("td.hide", {}, row.pull === null ? el("span.muted", {}, row.closed_at ? "none" : "none yet") : pullLink(view, row.pull)),
    el("td.num", {}, evidence(view, row, `${view.base}/claims/${encodeURIComponent(row.claim)}`)),
  );
};

/** @param {string} status */
const tone = (status) => ({ live: "active", landed: "good", recovered: "good", failed: "bad", abandoned: "bad" })[status] ?? "quiet";

/** @param {View} view @param {HTMLElement} bar @param {any} row */
const place = (view, bar, row) => {
  const from = since(row.opened_at, view.t0) ?? 0;
  bar.dataset.from = String(from);
  if (row.held_until) bar.dataset.to = String(since(row.held_until, view.t0));
  stretch(view, bar);
};

/** Put a lifetime bar on the run's own time axis. @param {View} view @param {HTMLElement} bar */
export const stretch = (view, bar) => {
  const now = view.t0 === null ? 1 : Math.max(1, (view.now() - view.t0) / 1000);
  const end = Math.max(view.duration ?? 0, view.live ? now : 0, Number(bar.dataset.to ?? 0), 1);
  const scale = (/** @type {number} */ at) => Math.min(100, Math.max(0, (100 * at) / end)).toFixed(2);
  bar.style.setProperty("--a", scale(Number(bar.dataset.from)));
  bar.style.setProperty("--b", scale(bar.dataset.to === undefined ? now : Number(bar.dataset.to)));
};

/** One muted line of reason. @param {View} view @param {any} row */
const reason = (view, row) => {
  const lines = [];
  if (row.overlaps?.length) {
    const others = row.overlaps.map((/** @type {any} */ other) => `n${other}`).join(", ");
    lines.push(row.settled_by ? `overlap with ${others} settled` : row.status === "live" ? `overlaps ${others}` : `overlapped ${others}`);
  }
  if (row.recovered_by !== null && row.recovered_by !== undefined) lines.push(`recovered by n${row.recovered_by}`);
  for (const recovery of view.fold.rows("recoveries").values()) {
    if (String(recovery.to_claim) === String(row.claim)) lines.push(`takes over n${recovery.from_claim}`);
  }
  const pull = view.fold.rows("pulls").get(row.pull);
  if (pull && row.status === "live") lines.push(`pull ${pull.status === "open" && pull.conflict === "true" ? "conflicts" : pull.status}`);
  return lines.length ? [el("span.sub", {}, lines.join(" · "))] : [];
};

/** @param {View} view @param {boolean} onlyOpen */
export const showPulls = (view, onlyOpen) => {
  const rows = view.fold.rows("pulls");
  const shown = pullsInOrder(rows.values(), onlyOpen);
  /** @type {Map<unknown, any[]>} */
  const reviews = new Map();
  for (const review of view.fold.rows("reviews").values()) {
    const same = reviews.get(review.pull);
    if (same) same.push(review);
    else reviews.set(review.pull, [review]);
  }
  byId("pulls-count").textContent = rows.size ? `${shown.length.toLocaleString("en")} of ${rows.size.toLocaleString("en")}` : "";
  byId("pulls-none").hidden = rows.size > 0;
  const item = (/** @type {any} */ row) => ({ key: String(row.number), sign: [row, ...(reviews.get(row.number) ?? [])], row });
  windowOf("pulls", item, (row) => pull(view, row, (reviews.get(row.number) ?? []).sort(by("at")))).show(shown);
};

/** @param {View} view @param {any} row @param {any[]} reviews */
const pull = (view, row, reviews) => {
  const fate = row.status === "open" && row.conflict === "true" ? "conflict" : row.status;
  const trail = reviews.length
    ? el(
        "span.trail",
        {},
        ...reviews.map((review) => {
          const said_ = reviewWord(review);
          return el(
            "span.st",
            { title: String(said_).replaceAll("_", " ") },
            glyph(...(MARKS[said_] ?? ["message", "quiet"])),
            el("span.vh", {}, `${String(said_).replaceAll("_", " ")} by`),
            workerLink(view, review.reviewer),
          );
        }),
      )
    : el("span.muted", {}, "nobody yet");
  const counter = reviews.find((review) => review.counterexample);
  const sub = counter
    ? el("span.sub", {}, "counterexample: ", said(counter.counterexample))
    : row.claim === null
      ? null
      : el("span.sub", {}, "for ", claimLink(view, row.claim, `n${row.claim}`));
  return el(
    `tr${row.status === "open" ? "" : ".done"}`,
    {},
    el("td", {}, word(fate)),
    el(
      "td.wide",
      {},
      el("a", { href: `${view.base}/pulls/${row.number}` }, el("span.id", {}, `#${row.number}`), " ", said(row.title)),
      sub,
    ),
    el("td", {}, workerLink(view, row.author)),
    el("td.hide.trailcell", {}, trail),
    el("td.hide", {}, row.merged_by === null ? "" : el("span.st", {}, glyph("merged", "good"), workerLink(view, row.merged_by))),
    el("td.num", {}, evidence(view, row, `${view.base}/pulls/${row.number}`)),
  );
};

/** @param {Iterable<any>} rows @param {string} field */
const tally = (rows, field) => {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const row of rows) counts[row[field]] = (counts[row[field]] ?? 0) + 1;
  return counts;
};
