// @ts-check
/** Small tables beside the ledgers: recoveries, roles, what was seen in the run. */

import { byId, el, glyph, said, sync } from "../lib/dom.js";
import { by } from "../lib/order.js";
import { claimLink, evidence, runClock, word, workerLink } from "./words.js";

/** @typedef {import("./words.js").View} View */

// rows shown; how many there are is said, and the pages of the run have all
const [LOST, HOLDERS] = [6, 14];

/** `16 of 493 shown`, or the number where all are. @param {number} shown @param {number} all */
const ofAll = (shown, all) => (all === 0 ? "" : shown < all ? `${shown} of ${all.toLocaleString("en")} shown` : String(all));

/** @param {View} view */
export const showRecoveries = (view) => {
  const rows = [...view.fold.rows("recoveries").values()].sort(by("lost_at")).reverse();
  byId("recoveries-count").textContent = ofAll(Math.min(LOST, rows.length), rows.length);
  byId("recoveries-none").hidden = rows.length > 0;
  sync(
    byId("recoveries"),
    rows.slice(0, LOST).map((row) => ({ key: String(row.recovery), sign: [row], row })),
    (/** @type {any} */ row) => {
      const claim = view.fold.rows("claims").get(row.from_claim);
      const step = (/** @type {string} */ mark, /** @type {string} */ tint, /** @type {any} */ who, /** @type {unknown} */ at) =>
        el("span.st", {}, glyph(mark, tint), workerLink(view, who), ` ${runClock(view, at)}`);
      const trail = el("span.trail", {}, row.cause, step("dead", "bad", row.from_worker, row.lost_at));
      if (row.to_worker !== null) trail.append(step("recovered", "good", row.to_worker, row.taken_over_at));
      trail.append(
        row.landed_at
          ? el("span.st", {}, glyph("merged", "good"), `landed ${runClock(view, row.landed_at)}`)
          : el("span.st", {}, glyph("waiting"), row.to_worker === null ? "nobody yet" : "not landed yet"),
      );
      return el(
        "tr",
        {},
        el(
          "td",
          {},
          claimLink(view, row.from_claim, said(claim?.text ?? `n${row.from_claim}`)),
          el("span.sub", {}, trail),
        ),
        el("td.num", {}, evidence(view, row, `${view.base}/claims/${encodeURIComponent(row.from_claim)}`)),
      );
    },
  );
};

/** @param {View} view */
export const showRoles = (view) => {
  const rows = [...view.fold.rows("roles").values()].sort(by("since")).reverse();
  const now = rows.filter((row) => row.until === null);
  const shown = [...now, ...rows.filter((row) => row.until !== null)].slice(0, HOLDERS);
  byId("roles-count").textContent = rows.length ? `${now.length} now, ${ofAll(shown.length, rows.length)}` : "";
  byId("roles-none").hidden = rows.length > 0;
  sync(
    byId("roles"),
    shown.map((row) => ({ key: String(row.span), sign: [row], row })),
    (/** @type {any} */ row) =>
      el(
        `tr${row.until === null ? "" : ".done"}`,
        {},
        el("td", {}, word(row.role)),
        el("td", {}, workerLink(view, row.worker)),
        el(
          "td",
          {},
          `${runClock(view, row.since)} ${row.until === null ? "on" : `to ${runClock(view, row.until)}`}`,
          row.role !== "integrator" || row.share_ppm === null
            ? ""
            : el("span.sub", {}, `${Math.round(row.share_ppm / 10_000)} % of its merges are for others`),
        ),
        el("td.num", {}, evidence(view, row)),
      ),
  );
};

const SEEN = /** @type {[string, string, string, string][]} */ ([
  ["overlap_settled", "superseded", "active", "overlaps of claims settled"],
  ["approval_withdrawn", "withdrawn", "odd", "approvals withdrawn"],
  ["recovery", "recovered", "good", "lost work recovered by a peer"],
  ["integrator", "integrator", "good", "times a worker became integrator"],
]);

/** @param {View} view */
export const showBehaviours = (view) => {
  const rows = view.fold.rows("behaviours");
  byId("behaviours").replaceChildren(
    ...SEEN.map(([name, mark, tint, text]) => {
      const row = rows.get(name);
      return el(
        `tr${row ? "" : ".done"}`,
        {},
        el("td", {}, el("span.st", {}, glyph(mark, row ? tint : "quiet"), text)),
        el("td.num", {}, row ? Number(row.count).toLocaleString("en") : "not yet"),
        el("td.num", {}, row ? evidence(view, row) : ""),
      );
    }),
  );
};
