// @ts-check
/** Mouse and keys of the lanes: wheel zooms at the pointer, Shift+wheel or drag pans, W S A D as in Perfetto, Space plays. */

const DRAG = 4; // pixels before a press is a drag

/**
 * @param {import("./timeline.js").Timeline} timeline
 * @param {{ moved: () => void, clicked: (event: MouseEvent) => void, play: () => void, step: (by: number) => void }} wish
 */
export function listen(timeline, { moved, clicked, play, step }) {
  const { canvas } = timeline;
  const show = (/** @type {import("../lib/time_scale.js").TimeScale} */ scale) => {
    timeline.scale = scale;
    moved();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) show(timeline.scale.panned((event.deltaX || event.deltaY) / 900));
    else show(timeline.scale.zoomed(Math.exp(event.deltaY / 600), timeline.hit(event).t));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (press) => {
    if (press.button !== 0) return;
    let last = press.clientX;
    let dragged = false;
    const move = (/** @type {PointerEvent} */ event) => {
      dragged ||= Math.abs(event.clientX - press.clientX) > DRAG;
      if (!dragged) return;
      show(timeline.scale.panned((last - event.clientX) / (timeline.scale.right - timeline.scale.left)));
      last = event.clientX;
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
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    const key = event.key.toLowerCase();
    if (key === "w") show(timeline.scale.zoomed(0.8, timeline.cursor));
    else if (key === "s") show(timeline.scale.zoomed(1.25, timeline.cursor));
    else if (key === "a") show(timeline.scale.panned(-0.15));
    else if (key === "d") show(timeline.scale.panned(0.15));
    else if (key === "0") show(timeline.scale.showing(0, timeline.picture.end));
    else if (key === " " && !/^(BUTTON|A|SUMMARY)$/.test(target.tagName)) play();
    else if (key === "." || key === ",") step(key === "." ? 1 : -1);
    else return;
    event.preventDefault();
  });
}
