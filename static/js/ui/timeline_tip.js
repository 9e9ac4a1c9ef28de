// @ts-check
/** A word beside the pointer: what lies under it on the lanes. The table view says the same to those without a pointer. */

import { el, fill } from "../lib/dom.js";
import { clock } from "../lib/format_time.js";

const AWAY = 14;

/** @param {import("./timeline.js").Timeline} timeline */
export function showTips(timeline) {
  const { canvas } = timeline;
  const tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  document.body.append(tip);
  canvas.addEventListener("pointermove", (event) => {
    const words = event.buttons ? null : wordsOf(timeline.hit(event));
    tip.hidden = !words;
    canvas.style.cursor = words?.press ? "pointer" : "";
    if (!words) return;
    fill(tip, el("b", null, words.head), words.text ? ` ${words.text}` : null);
    const { width, height } = tip.getBoundingClientRect();
    const left = event.clientX + AWAY + width > innerWidth ? event.clientX - AWAY - width : event.clientX + AWAY;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.min(event.clientY + AWAY, innerHeight - height - 4)}px`;
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
}

/** @param {ReturnType<import("./timeline.js").Timeline["hit"]>} hit */
function wordsOf({ mark, lane, group, inGutter, span, t }) {
  if (inGutter) {
    if (lane) return { head: lane.name, text: `${lane.status}, ${lane.steps.toLocaleString("en")} steps. Click to pin.`, press: true };
    return group ? { head: group.name, text: group.open ? "Click to fold." : "Click to open.", press: true } : null;
  }
  if (mark) return { head: clock(mark.t), text: `w${String(mark.worker).padStart(4, "0")}: ${mark.label}`.slice(0, 200), press: true };
  if (span) return { head: `n${span.key} ${span.status}`, text: `${span.label} (${clock(span.start)} to ${clock(span.end)})`.slice(0, 200), press: true };
  return lane ? { head: clock(t), text: lane.name, press: false } : null;
}
