// @ts-check
// A classic script in the head of a replay: of a long run that has settled, another thread begins to read while the page's modules are still on their way.
(() => {
  const MANY = 150_000; // rows, as in trajectory/timeline_source.js
  const { base = "", thread = "" } = /** @type {HTMLScriptElement} */ (document.currentScript).dataset;
  const manifest = JSON.parse(document.getElementById("manifest")?.textContent ?? "null");
  if (manifest.segments.reduce((/** @type {number} */ sum, /** @type {{ rows: number }} */ { rows }) => sum + rows, 0) < MANY) return;
  const reading = new Worker(thread, { type: "module" });
  reading.postMessage({ base, manifest, ahead: true });
  /** @type {any} */ (globalThis).reading = reading;
})();
