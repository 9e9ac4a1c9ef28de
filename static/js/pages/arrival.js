// @ts-check
// A classic script in the head: says so when a page's modules do not arrive, so that nothing stays at "reading" without a word.
(() => {
  const LONG_MS = 20_000;
  const root = document.documentElement;
  /** @type {HTMLElement | null} */
  let told = null;
  root.dataset.scripts = "";

  /** @param {string} words */
  const tell = (words) => {
    told?.remove();
    const bar = (told = document.createElement("p"));
    bar.className = "standstill";
    bar.setAttribute("role", "alert");
    const button = document.createElement("button");
    button.className = "btn btn-sm";
    button.type = "button";
    button.textContent = "Try again";
    button.addEventListener("click", () => location.reload());
    bar.append(words, " ", button);
    const main = document.getElementById("main");
    if (main) main.before(bar);
    else document.body.prepend(bar);
  };
  const ready = (/** @type {() => void} */ run) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", run) : run());

  // Of a module, and of anything it imports, that cannot be fetched; and of a browser that cannot read one.
  const failed = (/** @type {Event} */ event) => {
    const script = event.target instanceof HTMLScriptElement;
    const before = event instanceof ErrorEvent && event.error instanceof Error && document.readyState !== "complete";
    if (!script && !before) return;
    broken = true;
    ready(() => {
      tell("Part of this page did not arrive: what you see stands still.");
      for (const place of document.querySelectorAll("[data-reading]")) place.textContent = "not read";
    });
  };
  let broken = false;
  addEventListener("error", failed, true);
  const long = setTimeout(() => ready(() => tell("This page is taking long to arrive.")), LONG_MS);
  addEventListener("load", () => {
    clearTimeout(long);
    if (!broken) told?.remove();
  });
})();
