// @ts-check
/** The band of facts: clock, census, score, pulls, tokens, cost. */

import { byId, el, glyph, said, svg } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { glance, LOST, listCost, money, perCent, shortNumber } from "../trajectory/glance.js";
import { MARKS, nameOf } from "./words.js";

const NAMED = 5; // lost workers named; past a handful the count is

/** @param {import("./words.js").View} view */
export const showGlance = (view) => {
  const seen = glance(view.fold);
  byId("census").replaceChildren(...census(view, seen));
  byId("score").replaceChildren(...score(seen));
  byId("fact-pulls").replaceChildren(
    el("span.v", {}, seen.pulls.merged.toLocaleString("en"), el("small", {}, " merged")),
    el(
      "span.n",
      { title: `${seen.pulls.closed.toLocaleString("en")} closed` },
      `${seen.pulls.open.toLocaleString("en")} open, ${seen.pulls.conflict} conflict${seen.pulls.conflict === 1 ? "" : "s"}`,
    ),
  );
  byId("fact-tokens").replaceChildren(
    el(
      "span.v",
      {},
      seen.tokensIn ? shortNumber(seen.tokensIn) : seen.tokensIn === 0 ? "none yet" : "unknown",
      seen.tokensIn ? el("small", {}, " in") : "",
    ),
    el("span.n", {}, seen.tokensOut === null ? "no worker yet" : `${shortNumber(seen.tokensOut)} out`),
  );
  const free = view.scripted && seen.cost === null;
  const listed = seen.cost === null ? listCost(view.fold, view.price) : null;
  byId("fact-cost").replaceChildren(
    el("span.v", {}, free ? "$0.00" : money(seen.cost ?? listed)),
    el("span.n", {}, free ? "scripted model" : listed !== null ? "at list price" : seen.cost === null ? "no price known" : "all workers"),
  );
};

/** @param {import("./words.js").View} view @param {ReturnType<typeof glance>} seen */
const census = (view, seen) => {
  const lost = seen.lost.length;
  const present = [...seen.census].filter(([, rows]) => rows.length);
  const label = present.map(([status, rows]) => `${rows.length.toLocaleString("en")} ${status}`).join(", ") || "no worker has joined";
  const strip = el("div.census", { role: "img", "aria-label": label });
  const legend = el("div.legend");
  for (const [status, rows] of present) {
    const [name, tone] = MARKS[status];
    const text = rows.length / seen.workers > 0.06 || rows.length < 10 ? rows.length.toLocaleString("en") : "";
    strip.append(el(`span.sg-${tone}`, { "--n": rows.length }, glyph(name, tone), text));
    legend.append(LOST.has(status) ? lostWords(view, status, rows) : el("span", {}, `${rows.length.toLocaleString("en")} ${status}`));
  }
  if (!present.length) strip.append(el("span.sg-quiet", { "--n": 1 }));
  const workers = `${seen.workers.toLocaleString("en")} worker${seen.workers === 1 ? "" : "s"}`;
  return [
    el("span.k", {}, seen.workers ? `${workers}${lost ? `, ${lost.toLocaleString("en")} lost` : ", none lost"}` : "Workers"),
    strip,
    present.length ? legend : el("span.n", {}, label),
  ];
};

/** @param {import("./words.js").View} view @param {string} status @param {any[]} rows */
const lostWords = (view, status, rows) => {
  const [name, tone] = MARKS[status];
  const words = el("span.lost", {}, glyph(name, tone), ` ${rows.length > NAMED ? `${rows.length.toLocaleString("en")} ` : ""}${status} `);
  if (rows.length <= NAMED) {
    rows.forEach((row, k) =>
      words.append(k ? ", " : "", el("a", { href: `${view.base}/workers/${row.worker}` }, el("b", {}, said(nameOf(view, row.worker))))),
    );
  }
  return words;
};

/** @param {ReturnType<typeof glance>} seen */
const score = (seen) => {
  const { last, before } = seen;
  if (!last)
    return [
      el("span.k", {}, "Tests passed"),
      el("span.v", {}, "unknown"),
      el("span.n", {}, seen.skipped ? `${seen.skipped} skipped` : "no checkpoint yet"),
    ];
  const points = before ? (last.rate_ppm - before.rate_ppm) / 10_000 : null;
  const change =
    points === null ? "first checkpoint" : `${points >= 0 ? "+" : ""}${points.toFixed(1)} points in ${clock(last.at_s - before.at_s)}`;
  return [
    el("span.k", {}, `Tests passed, checkpoint ${clock(last.at_s)}`),
    el(
      "div.pair",
      {},
      el(
        "span",
        {},
        el("span.v", {}, perCent(last.rate_ppm), el("small", {}, ` ${last.passed.toLocaleString("en")} of ${last.total.toLocaleString("en")}`)),
        el("span.n", {}, change),
      ),
      spark(seen.scores),
    ),
  ];
};

/** @param {any[]} scores */
const spark = (scores) => {
  const end = Math.max(1, scores.at(-1).at_s);
  const points = [[0, 31], ...scores.map((row) => [(84 * row.at_s) / end, 31 - (29 * row.rate_ppm) / 1e6])].map(([x, y]) => [
    x.toFixed(1),
    y.toFixed(1),
  ]);
  const path = `M${points.map((point) => point.join(" ")).join("L")}`;
  const [x, y] = /** @type {string[]} */ (points.at(-1));
  return svg(
    "svg.spark",
    { viewBox: "0 0 84 32", width: 84, height: 32, "aria-hidden": "true" },
    svg("path.area", { d: `${path}L84 32L0 32z` }),
    svg("path.team", { d: path }),
    svg("circle.dotp", { cx: x, cy: y, r: 2.5 }),
  );
};
