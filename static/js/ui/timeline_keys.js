// @ts-check
/** Mouse and keys of the lanes: wheel zooms at the pointer, Shift+wheel or drag pans, W S A D as in Perfetto, arrows scroll, Space plays. */

const DRAG = 4; // pixels before a press is a drag
const LINE = 48; // pixels an arrow scrolls
/** @type {Record<string, number>} with Shift on the common layouts too */
const STEPS = { ".": 1, ">": 1, ":": 1, ",": -1, "<": -1, ";": -1 };

/**
 * @param {import("./timeline.js").Timeline} timeline
 * @param {{ moved: () => void, clicked: (event: MouseEvent) => void, play: () => void, step: (by: number, every: boolean) => void }} wish
 */
export function listen(timeline, { moved, clicked, play, step }) {
  const { canvas } = timeline;
  const show = (/** @type {import("../lib/time_scale.js").TimeScale} */ scale) => {
    timeline.scale = scale;
    moved();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.altKey) timeline.scrollBy(event.deltaY);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) show(timeline.scale.panned((event.deltaX || event.deltaY) / 900));
    else show(timeline.scale.zoomed(Math.exp(event.deltaY / 600), timeline.hit(event).t));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (press) => {
    if (press.button !== 0) return;
    let [lastX, lastY] = [press.clientX, press.clientY];
    let dragged = false;
    const move = (/** @type {PointerEvent} */ event) => {
      dragged ||= Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) > DRAG;
      if (!dragged) return;
      timeline.scrollBy(lastY - event.clientY);
      show(timeline.scale.panned((lastX - event.clientX) / (timeline.scale.right - timeline.scale.left)));
      [lastX, lastY] = [event.clientX, event.clientY];
    };
    const up = (/** @type {PointerEvent} */ event) => {
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      if (!dragged) clicked(event);
    };
    canvas.setPointerCapture(press.pointerId);
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", up);
  });
  canvas.addEventListener("keydown", (event) => {
    const page = canvas.clientHeight - 120;
    const by = { ArrowDown: LINE, ArrowUp: -LINE, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined) return;
    timeline.scrollBy(by);
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
    const key = event.key.toLowerCase();
    if (key === "w") show(timeline.scale.zoomed(0.8, timeline.cursor));
    else if (key === "s") show(timeline.scale.zoomed(1.25, timeline.cursor));
    else if (key === "a") show(timeline.scale.panned(-0.15));
    else if (key === "d") show(timeline.scale.panned(0.15));
    else if (key === "0") show(timeline.scale.showing(0, timeline.picture.end));
    else if (key === "+" || key === "=") timeline.taller(1.5);
    else if (key === "-") timeline.taller(1 / 1.5);
    else if (key === " " && !/^(BUTTON|A|SUMMARY)$/.test(target.tagName)) play();
    else if (STEPS[key]) step(STEPS[key], event.shiftKey);
    else return;
    event.preventDefault();
  });
}
