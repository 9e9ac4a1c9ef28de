// @ts-check
// Pass rates laid over each other, drawn by Plotly in the colours of the theme.

/** @typedef {{name: string, slug: string, baseline: boolean, x: number[], y: number[]}} Series */

const TONES = ["--st-active", "--st-good", "--st-odd", "--st-warn", "--st-bad", "--st-quiet"];
const DASHES = ["solid", "dash", "dot"];

/** @param {string} name a custom property of a colour; @returns its value in the present theme */
const colour = (name) => {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};

/** @param {number} seconds */
const clock = (seconds) => {
  const minutes = String(Math.floor(seconds / 60) % 60).padStart(2, "0");
  return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${minutes} h` : `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
};

/** Ticks at round times: at most eight. @param {number} end */
const ticks = (end) => {
  const steps = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];
  const step = steps.find((each) => end / each <= 8) ?? 86400;
  const at = Array.from({ length: Math.floor(end / step) + 1 }, (_, k) => k * step);
  return { tickvals: at, ticktext: at.map(clock) };
};

/**
 * @param {HTMLElement} box
 * @param {Series[]} series
 * @param {"seconds" | "share"} axis
 */
export const drawRates = (box, series, axis) => {
  const [ink, soft, grid, line] = ["--ink", "--ink-3", "--tl-grid", "--line-strong"].map(colour);
  const font = { family: getComputedStyle(document.body).fontFamily, size: 11, color: soft };
  const end = Math.max(1, ...series.flatMap((each) => each.x));
  const traces = series.map((each, k) => {
    const last = Math.max(1, ...each.x);
    const tone = each.baseline ? colour("--ink-3") : colour(TONES[k % TONES.length]);
    return {
      type: "scatter",
      mode: "lines+markers",
      name: each.name.length > 40 ? `${each.name.slice(0, 39)}…` : each.name,
      x: axis === "share" ? each.x.map((at) => (100 * at) / last) : each.x,
      y: each.y,
      customdata: each.x.map(clock),
      hovertemplate: "%{y:.1f} % at %{customdata}<extra>%{fullData.name}</extra>",
      marker: { size: 5, color: tone },
      line: { width: 2, color: tone, dash: each.baseline ? "dash" : DASHES[Math.floor(k / TONES.length) % DASHES.length] },
    };
  });
  const layout = {
    margin: { l: 40, r: 8, t: 8, b: 32 },
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    font,
    showlegend: true,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { ...font, size: 12, color: ink } },
    hoverlabel: { font: { family: font.family } },
    xaxis: {
      ...(axis === "share" ? { ticksuffix: " %", range: [0, 102] } : { ...ticks(end), range: [0, end * 1.02] }),
      gridcolor: grid,
      linecolor: line,
      zeroline: false,
      fixedrange: true,
    },
    yaxis: { rangemode: "tozero", ticksuffix: " %", gridcolor: grid, zeroline: false, fixedrange: true },
  };
  // @ts-ignore: a classic script, served beside this module
  window.Plotly.react(box, traces, layout, { displayModeBar: false, responsive: true });
};
