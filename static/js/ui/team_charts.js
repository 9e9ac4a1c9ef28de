// @ts-check
// The charts of the Team view: who merges, what became of pulls, claims held, collisions. Counts come from the server.

import { clock, colour, draw, ticks } from "./plot.js";

/** @typedef {{ step_s: number, at_s: number[] }} Axis */
/** @typedef {Axis & { merges: number[], series: { name: string, worker: number | string | null, merges: number[] }[] }} Shares */
/** @typedef {Axis & { fates: Record<string, number[]>, merged_ppm: (number | null)[] }} Fates */
/** @typedef {Axis & { live: number[], opened: number[], landed: number[], lost: number[] }} Ledger */

const ROOM = 480; // pixels from which the share of merged pulls finds room above each bar
const NAMED = ["--st-good", "--tl-work", "--tl-landed", "--st-active", "--st-odd-soft"]; // neighbours in a stack differ in lightness
const FATES = /** @type {Record<string, [string, string]>} */ ({
  merged: ["--tl-landed", ""],
  closed: ["--tl-idle", ""],
  superseded: ["--st-quiet", ""],
  conflict: ["--tl-failed", "/"],
  open: ["--tl-work", ""],
  "never landed": ["--st-bad", ""],
});

/** @param {Axis} axis */
const across = (axis) => {
  const end = axis.at_s.length * axis.step_s;
  return { ...ticks(end), range: [0, end] };
};
/** The middle of each step, so that a bar fills it. @param {Axis} axis */
const middles = (axis) => axis.at_s.map((at) => at + axis.step_s / 2);
/** @param {Axis} axis */
const spans = (axis) => axis.at_s.map((at) => `${clock(at)} to ${clock(at + axis.step_s)}`);

/** Per cent of the merges of each step; a step without one is left out. @param {HTMLElement} box @param {Shares} data */
const integrators = (box, data) => {
  const traces = data.series.map((each, k) => {
    const own = k === data.series.length - 1;
    const more = each.name.includes("integrator");
    const other = each.worker === null && !own && !more;
    const tone = colour(own ? "--st-quiet-soft" : other ? "--tl-idle" : more ? "--st-good-soft" : NAMED[k % NAMED.length]);
    return {
      type: "bar",
      name: each.name,
      x: middles(data),
      width: data.step_s,
      y: each.merges.map((count, at) => (data.merges[at] ? (100 * count) / data.merges[at] : null)),
      customdata: each.merges.map((count, at) => [count, data.merges[at], spans(data)[at]]),
      hovertemplate: "%{y:.0f} %, %{customdata[0]} of %{customdata[1]}, %{customdata[2]}<extra>%{fullData.name}</extra>",
      marker: { color: tone, line: { width: 0.5, color: colour("--bg") } },
    };
  });
  draw(box, traces, { barmode: "stack", bargap: 0, xaxis: across(data), yaxis: { ticksuffix: " %", range: [0, 100] } });
};

/** @param {HTMLElement} box @param {Fates} data */
const fates = (box, data) => {
  const traces = Object.entries(data.fates).map(([name, counts]) => {
    const [tone, shape] = FATES[name] ?? ["--st-quiet", ""];
    return {
      type: "bar",
      name,
      x: middles(data),
      width: data.step_s * 0.8,
      y: counts,
      customdata: spans(data),
      hovertemplate: "%{y}, opened %{customdata}<extra>%{fullData.name}</extra>",
      marker: { color: colour(tone), pattern: { shape, fgcolor: colour("--st-bad"), size: 5 } },
    };
  });
  const opened = data.at_s.map((_, at) => Object.values(data.fates).reduce((sum, counts) => sum + counts[at], 0));
  const merged = {
    type: "scatter",
    mode: "text",
    x: middles(data),
    y: opened,
    text: data.merged_ppm.map((ppm) => (ppm === null || box.clientWidth < ROOM ? "" : `${Math.round(ppm / 10_000)} %`)),
    textposition: "top center",
    textfont: { size: 11, color: colour("--ink-2") },
    hoverinfo: "skip",
    showlegend: false,
    cliponaxis: false,
  };
  draw(box, [...traces, merged], { barmode: "stack", xaxis: across(data), yaxis: { tickformat: ",d" } });
};

/** @param {HTMLElement} box @param {Ledger} data */
const ledger = (box, data) => {
  const line = (/** @type {string} */ name, /** @type {number[]} */ y, /** @type {string} */ tone, /** @type {string} */ dash) => ({
    type: "scatter",
    mode: "lines",
    name,
    x: middles(data),
    y,
    customdata: spans(data),
    hovertemplate: "%{y}, %{customdata}<extra>%{fullData.name}</extra>",
    line: { width: 1.5, color: colour(tone), dash, shape: "hvh" },
  });
  const held = { ...line("held", data.live, "--st-active", "solid"), fill: "tozeroy", fillcolor: colour("--st-active-soft") };
  const traces = [
    held,
    line("opened", data.opened, "--ink-3", "dot"),
    line("landed or recovered", data.landed, "--st-good", "solid"),
    line("lost", data.lost, "--st-bad", "dash"),
  ];
  draw(box, traces, { xaxis: across(data), yaxis: { tickformat: ",d" } });
};

/** @param {HTMLElement} box @param {Axis & { overlaps: number[], conflicts: number[] }} data */
const collisions = (box, data) => {
  const bars = (/** @type {string} */ name, /** @type {number[]} */ y, /** @type {string} */ tone) => ({
    type: "bar",
    name,
    x: middles(data),
    width: data.step_s * 0.8,
    y,
    customdata: spans(data),
    hovertemplate: "%{y}, %{customdata}<extra>%{fullData.name}</extra>",
    marker: { color: colour(tone) },
  });
  const traces = [bars("overlaps begun", data.overlaps, "--tl-work"), bars("pulls in conflict", data.conflicts, "--tl-failed")];
  draw(box, traces, { barmode: "stack", xaxis: across(data), yaxis: { tickformat: ",d" } });
};

/** By the name in `data-chart`. */
export const CHARTS = /** @type {Record<string, (box: HTMLElement, data: any) => void>} */ ({
  integrators,
  fates,
  ledger,
  collisions,
});
