// @ts-check
/** What the lanes show of a State, the same for a run that lives and one that is over. Pure: tables in, lanes, spans and marks out. */

import { claimSpans } from "./claims.js";
import { lanesOf } from "./lanes.js";
import { since } from "../lib/format_time.js";
import { meaningMarks, takeOvers } from "./marks.js";
import { rowsOf } from "./tables.js";

/**
 * @typedef {{ lanes: import("./lanes.js").Lane[], spans: import("./claims.js").Span[], marks: import("./marks.js").Mark[],
 *   takeOvers: import("./marks.js").TakeOver[], scores: { t: number, text: string, share: number }[],
 *   gone: { node: string, t: number }[], end: number, live: boolean }} Meaning
 */

/**
 * @param {any} tables a fold's maps or the objects of `/state`
 * @param {number} zero ms of run.started
 * @param {number} end seconds after which nothing is known
 * @param {boolean} live
 * @returns {Meaning}
 */
export function meaningOf(tables, zero, end, live) {
  const scored = rowsOf(tables, "checkpoints").filter((row) => typeof row.rate_ppm === "number").sort((a, b) => a.at_s - b.at_s);
  return {
    lanes: lanesOf(tables, zero),
    spans: claimSpans(rowsOf(tables, "claims"), zero, end),
    marks: meaningMarks(tables, zero),
    takeOvers: takeOvers(tables, zero),
    gone: rowsOf(tables, "nodes").flatMap((row) => {
      const t = since(row.lost_at, zero);
      return t === null ? [] : [{ node: String(row.node), t }];
    }),
    scores: scored.map((row) => ({ t: row.at_s, text: `${(row.rate_ppm / 10_000).toFixed(1)} %`, share: row.rate_ppm / 1_000_000 })),
    end,
    live,
  };
}
