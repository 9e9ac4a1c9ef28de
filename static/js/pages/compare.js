// @ts-check
import { drawRates } from "../ui/rate_chart.js";

const box = /** @type {HTMLElement} */ (document.getElementById("chart"));
const { series } = JSON.parse(document.getElementById("series")?.textContent ?? '{"series": []}');
const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-axis]"));

const draw = () => {
  const pressed = [...buttons].find((button) => button.getAttribute("aria-pressed") === "true");
  const axis = pressed?.dataset.axis;
  drawRates(box, series, axis === "share" || axis === "cost" ? axis : "seconds");
};

for (const button of buttons) {
  button.addEventListener("click", () => {
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
    draw();
  });
}
addEventListener("themechange", draw);
draw();
