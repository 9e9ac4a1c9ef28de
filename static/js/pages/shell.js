// @ts-check
// What every page shares: the theme button, menus that close, the key that leads to search, strips that show what they hide.

import { readMoment } from "../lib/address.js";
import { fadeEdges } from "../ui/edges.js";

const root = document.documentElement;

/** @returns {"dark" | "light"} the theme on the screen now */
const shown = () =>
  root.dataset.theme === "dark" || root.dataset.theme === "light"
    ? root.dataset.theme
    : matchMedia("(prefers-color-scheme: dark)").matches
      ? "dark"
      : "light";

for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  button.addEventListener("click", () => {
    root.dataset.theme = shown() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // Not kept; it still holds for this page.
    }
    dispatchEvent(new Event("themechange"));
  });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("themechange")));

addEventListener("keydown", (event) => {
  const there = /** @type {HTMLElement} */ (event.target);
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || there.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  const field = [...document.querySelectorAll("#search-q, [data-find]")].find((each) => each.checkVisibility());
  if (field) /** @type {HTMLInputElement} */ (field).select();
  else location.assign("/search");
});

const keys = /** @type {HTMLDialogElement | null} */ (document.getElementById("keys"));
for (const button of document.querySelectorAll("[data-keys]")) button.addEventListener("click", () => keys?.showModal());
addEventListener("keydown", (event) => {
  const there = /** @type {HTMLElement} */ (event.target);
  if (event.key === "?" && keys && !there.closest("input, textarea, select, dialog")) keys.showModal();
});

// The replay tells its worker and its stretch of time as people pick them: the export follows.
const exporting = /** @type {HTMLAnchorElement | null} */ (document.querySelector("[data-export]"));
for (const kind of ["pointerenter", "focus", "click"])
  exporting?.addEventListener(kind, () => {
    if (!location.pathname.endsWith("/replay")) return;
    const { w } = readMoment(location.search);
    const [since, until] = (document.body.dataset.shown ?? "").split(" ");
    const asked = { worker: w.length === 1 ? String(w[0]) : "", since, until: until ?? "" };
    exporting.search = new URLSearchParams(Object.entries(asked).filter(([, value]) => value)).toString();
  });

// Coming back, a browser puts into a form what a person last chose there: the page shows something else by then.
addEventListener("pageshow", () => {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.filters"))) form.reset();
});

const menus = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.menu"));
addEventListener("click", (event) => {
  for (const menu of menus) if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) {
    if (menu.open && menu.contains(document.activeElement)) menu.querySelector("summary")?.focus();
    menu.open = false;
  }
});

fadeEdges();
