// @ts-check
// What every Plotly chart shares: the theme's colours, a time axis with round ticks, a quiet layout.

/** @param {string} name a custom property of a colour; @returns its value in the present theme */
export const colour = (name) => {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};

/** @param {number} seconds */
export const clock = (seconds) => {
  const minutes = String(Math.floor(seconds / 60) % 60).padStart(2, "0");
  return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${minutes} h` : `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
};

/** Ticks at round times: at most eight. @param {number} end */
export const ticks = (end) => {
  const steps = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];
  const step = steps.find((each) => end / each <= 8) ?? 86400;
  const at = Array.from({ length: Math.floor(end / step) + 1 }, (_, k) => k * step);
  return { tickvals: at, ticktext: at.map(clock) };
};

/** The layout in the colours of the theme; axes and margins of a chart win. @param {Record<string, any>} own */
export const layout = (own) => {
  const [ink, soft, grid, line] = ["--ink", "--ink-3", "--tl-grid", "--line-strong"].map(colour);
  const font = { family: getComputedStyle(document.body).fontFamily, size: 11, color: soft };
  return {
    margin: { l: 40, r: 8, t: 8, b: 32 },
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    font,
    showlegend: true,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", traceorder: "normal", font: { ...font, size: 12, color: ink } },
    hoverlabel: { font: { family: font.family } },
    ...own,
    xaxis: { gridcolor: grid, linecolor: line, zeroline: false, fixedrange: true, ticks: "outside", ticklen: 5, tickcolor: line, ...own.xaxis },
    yaxis: { rangemode: "tozero", gridcolor: grid, zeroline: false, fixedrange: true, ...own.yaxis },
  };
};

const [NARROW, SHORT] = [480, 20]; // pixels below which names of so many letters stand in two columns: as wide as the longest they would stand in one

/** @param {HTMLElement} box @param {any[]} traces @param {Record<string, any>} own */
export const draw = (box, traces, own) => {
  const asked = layout(own);
  const short = traces.every((trace) => (trace.name ?? "").length <= SHORT);
  if (short && box.clientWidth < NARROW) Object.assign(asked.legend, { entrywidth: 0.49, entrywidthmode: "fraction", font: { ...asked.legend.font, size: 11 } });
  // @ts-ignore: a classic script, served beside this module
  window.Plotly.react(box, traces, asked, { displayModeBar: false, responsive: true });
};
