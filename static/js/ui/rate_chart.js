// @ts-check
// Pass rates laid over each other, drawn by Plotly in the colours of the theme.

import { clock, colour, draw, ticks } from "./plot.js";

/** @typedef {{name: string, slug: string, baseline: boolean, x: number[], y: number[], cost: number[] | null}} Series */

const TONES = ["--st-active", "--st-good", "--st-odd", "--st-warn", "--st-bad", "--st-quiet"];
const DASHES = ["solid", "dash", "dot"];

/**
 * @param {HTMLElement} box
 * @param {Series[]} series
 * @param {"seconds" | "share" | "cost"} axis
 */
export const drawRates = (box, series, axis) => {
  const end = Math.max(1, ...series.flatMap((each) => each.x));
  const traces = series.map((each, k) => {
    const last = Math.max(1, ...each.x);
    const tone = each.baseline ? colour("--ink-3") : colour(TONES[k % TONES.length]);
    return {
      type: "scatter",
      mode: "lines+markers",
      name: each.name.length > 40 ? `${each.name.slice(0, 39)}…` : each.name,
      x: axis === "cost" ? (each.cost ?? []) : axis === "share" ? each.x.map((at) => (100 * at) / last) : each.x,
      y: each.y,
      customdata: each.x.map(clock),
      hovertemplate: "%{y:.1f} % at %{customdata}<extra>%{fullData.name}</extra>",
      marker: { size: 5, color: tone },
      line: { width: 2, color: tone, dash: each.baseline ? "dash" : DASHES[Math.floor(k / TONES.length) % DASHES.length] },
    };
  });
  const dollars = { tickprefix: "$", rangemode: "tozero" };
  const across = axis === "cost" ? dollars : axis === "share" ? { ticksuffix: " %", range: [0, 102] } : { ...ticks(end), range: [0, end * 1.02] };
  draw(box, traces, { xaxis: across, yaxis: { ticksuffix: " %" } });
};
