// @ts-check
/** Links, status words and evidence as every part of the live page writes them. */

import { el, glyph, said } from "../lib/dom.js";
import { clock, since } from "../lib/format_time.js";

/** @typedef {{ base: string, fold: import("../trajectory/fold.js").Fold, t0: number | null, duration: number | null, operator: boolean,
 post: (url: string, fields: Record<string, string>) => Promise<{ ok: boolean, text: string }>, send: typeof fetch, scripted: boolean, price: import("../trajectory/glance.js").Price | null, live: boolean, now: () => number }} View what a part may know */

/** glyph and tone of every status word */
export const MARKS = /** @type {Record<string, [string, string]>} */ ({
  live: ["working", "active"],
  landed: ["merged", "good"],
  recovered: ["recovered", "good"],
  failed: ["dead", "bad"],
  released: ["released", "quiet"],
  superseded: ["superseded", "quiet"],
  abandoned: ["abandoned", "bad"],
  expired: ["expired", "warn"],
  open: ["pull", "active"],
  conflict: ["conflict", "bad"],
  merged: ["merged", "good"],
  closed: ["closed", "quiet"],
  approved: ["approved", "good"],
  changes_requested: ["changes", "warn"],
  commented: ["message", "quiet"],
  withdrawn: ["withdrawn", "odd"],
  dismissed: ["withdrawn", "odd"],
  lifted: ["changes", "quiet"],
  stale: ["lag", "quiet"],
  working: ["working", "active"],
  waiting: ["waiting", "quiet"],
  idle: ["idle", "quiet"],
  nudged: ["nudged", "warn"],
  stalled: ["stalled", "odd"],
  dead: ["dead", "bad"],
  ended: ["ended", "quiet"],
  integrator: ["integrator", "good"],
  reviewer: ["reviewer", "active"],
  recoverer: ["recoverer", "good"],
  implementer: ["implementer", "quiet"],
  coordinator: ["coordinator", "quiet"],
});

/** The verdict of a review that stands; else what became of it. Only approvals are withdrawn: a request for changes is lifted. @param {any} review */
export const reviewWord = ({ verdict, status }) =>
  status === "standing" ? verdict : verdict === "changes_requested" && (status === "withdrawn" || status === "dismissed") ? "lifted" : status;

/** @param {string} status */
export const word = (status) => el("span.st", {}, glyph(...(MARKS[status] ?? ["waiting", "quiet"])), status.replaceAll("_", " "));

/** A worker's name, linked; an outsider's as it is. @param {View} view @param {number | string | null} who */
export const workerLink = (view, who) => {
  if (who === null || who === undefined) return el("span.w.muted", {}, "unknown");
  if (typeof who === "string") return el("span.w", {}, said(who));
  return el("a.w", { href: `${view.base}/workers/${who}` }, said(nameOf(view, who)));
};

/** @param {View} view @param {number} worker @returns {string} */
export const nameOf = (view, worker) => String(view.fold.rows("workers").get(worker)?.name ?? `worker ${worker}`);

/** @param {View} view @param {number} number */
export const pullLink = (view, number) => el("a.id", { href: `${view.base}/pulls/${number}` }, `#${number}`);

/** @param {View} view @param {string | number} claim @param {...import("../lib/dom.js").Child} text */
export const claimLink = (view, claim, ...text) => el("a", { href: `${view.base}/claims/${encodeURIComponent(claim)}` }, ...text);

/** The address of an evidence reference `source:id#part`. @param {View} view @param {string} ref */
export const refUrl = (view, ref) => {
  const colon = ref.indexOf(":");
  return `${view.base}/evidence/${encodeURIComponent(ref.slice(0, colon))}/${encodeURIComponent(ref.slice(colon + 1).split("#")[0])}`;
};

/** Two joined rings and a count; leads to the newest event or to `href`. @param {View} view @param {any} row @param {string} [href] */
export const evidence = (view, row, href) => {
  const count = Number(row.evidence_count ?? row.evidence?.length ?? 0);
  if (!count) return el("span.muted.sm", {}, "none");
  const label = `${count} piece${count === 1 ? "" : "s"} of evidence`;
  return el("a.ev", { href: href ?? refUrl(view, row.evidence.at(-1)), "aria-label": label, title: label }, glyph("ev"), count.toLocaleString("en"));
};

/** An ISO time as the run's clock. @param {View} view @param {unknown} iso */
export const runClock = (view, iso) => clock(since(iso, view.t0));

/** A time that counts on by itself: see `tick`. @param {View} view @param {string | null} iso */
export const counting = (view, iso) => {
  const node = el("span", { "data-since": iso }, iso ? clock(Math.max(0, (view.now() - Date.parse(iso)) / 1000)) : "---");
  return node;
};

/** Let every counting time on the page go on. @param {() => number} now ms */
export const tick = (now) => {
  for (const node of document.querySelectorAll("[data-since]")) {
    const from = Date.parse(/** @type {HTMLElement} */ (node).dataset.since ?? "");
    if (Number.isFinite(from)) node.textContent = clock(Math.max(0, (now() - from) / 1000));
  }
};
