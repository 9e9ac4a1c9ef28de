// @ts-check
/** Pass rate over time as a small SVG: the team, and one agent dashed where a baseline is known. */

import { svg } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";
import { scored } from "../trajectory/glance.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 396, 22, 126];

/**
 * @param {HTMLElement} box
 * @param {import("./words.js").View} view
 * @param {[number, number][]} baseline seconds, parts per million
 */
export const showPassRate = (box, view, baseline) => {
  const rows = scored(view.fold);
  const last = rows.at(-1);
  const now = view.live && view.t0 !== null ? (view.now() - view.t0) / 1000 : 0;
  const end = Math.max(60, view.duration ?? 0, last?.at_s ?? 0, now);
  const x = (/** @type {number} */ at) => LEFT + ((RIGHT - LEFT) * Math.min(at, end)) / end;
  const y = (/** @type {number} */ ppm) => BOTTOM - ((BOTTOM - TOP) * ppm) / 1e6;
  const line = (/** @type {[number, number][]} */ points) =>
    `M${points.map(([at, ppm]) => `${x(at).toFixed(1)} ${y(ppm).toFixed(1)}`).join("L")}`;
  const told = last ? `${last.passed.toLocaleString("en")} of ${last.total.toLocaleString("en")}` : "";
  const label = last
    ? `Pass rate over time: ${told} tests at ${clock(last.at_s)}`
    : "Pass rate over time: no checkpoint yet";
  const chart = svg("svg.chart", { viewBox: "0 0 408 152", role: "img", "aria-label": label });
  for (const part of [0, 50, 100]) {
    chart.append(
      svg("line.grid", { x1: LEFT, x2: RIGHT, y1: y(part * 1e4), y2: y(part * 1e4) }),
      svg("text", { x: LEFT - 6, y: y(part * 1e4) + 4, "text-anchor": "end" }, part),
    );
  }
  for (const part of [0, 1 / 3, 2 / 3, 1])
    chart.append(
      svg("text", { x: x(end * part), y: 144, "text-anchor": part === 1 ? "end" : part ? "middle" : "start" }, clock(end * part)),
    );
  if (baseline.length) chart.append(svg("path.base", { d: line([[0, 0], ...baseline]) }));
  if (last) {
    /** @type {[number, number][]} */
    const points = [[0, 0], ...rows.map((row) => /** @type {[number, number]} */ ([row.at_s, row.rate_ppm]))];
    const path = line(points);
    chart.append(svg("path.area", { d: `${path}L${x(last.at_s)} ${BOTTOM}L${LEFT} ${BOTTOM}z` }), svg("path.team", { d: path }));
    for (const [at, ppm] of points.slice(1)) chart.append(svg("circle.dotp", { cx: x(at), cy: y(ppm), r: points.length > 40 ? 1.5 : 3 }));
    chart.append(
      svg(
        "text.lab",
        { x: x(last.at_s) - 6, y: y(last.rate_ppm) - 8, "text-anchor": "end" },
        told,
      ),
    );
  }
  if (now) chart.append(svg("line.axis", { x1: x(now), x2: x(now), y1: TOP - 4, y2: BOTTOM }));
  box.replaceChildren(chart);
};
