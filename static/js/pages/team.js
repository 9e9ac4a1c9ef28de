// @ts-check
// Team and Claims: draws the charts of the page, again when the theme changes; a choice of the filter acts at once.

import { CHARTS } from "../ui/team_charts.js";

const data = JSON.parse(document.getElementById("charts")?.textContent ?? "{}");
const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-chart]"));

const draw = () => {
  for (const box of boxes) {
    const name = box.dataset.chart ?? "";
    if (data[name]) CHARTS[name](box, data[name]);
  }
};

document.addEventListener("change", (event) => {
  const field = /** @type {HTMLElement} */ (event.target);
  if (field.dataset.submit !== undefined) /** @type {HTMLSelectElement} */ (field).form?.requestSubmit();
});
addEventListener("themechange", draw);
draw();
