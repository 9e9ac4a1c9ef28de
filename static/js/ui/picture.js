// @ts-check
/** A picture of the view to paste: the lanes as they are, with a line that says of which run and time they are. */

import { clock } from "../lib/format_time.js";

const FOOT = 24;

/**
 * Onto the clipboard, or as a file where a page may not put pictures there.
 * @param {import("./timeline.js").Timeline} timeline
 * @param {string} title
 * @param {string} filename
 * @returns {Promise<string>} what happened, in words
 */
export async function copyPicture(timeline, title, filename) {
  const picture = captioned(timeline, title);
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => picture.toBlob(done, "image/png"));
  if (!blob) return "The picture could not be made.";
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return "A picture of the view is copied.";
  } catch {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return "A picture of the view is saved as a file.";
  }
}

/** @param {import("./timeline.js").Timeline} timeline @param {string} title */
function captioned({ canvas, colours, scale, cursor, drawn, picture }, title) {
  const ratio = canvas.width / canvas.clientWidth;
  const sheet = document.createElement("canvas");
  sheet.width = canvas.width;
  sheet.height = canvas.height + Math.round(FOOT * ratio);
  const context = /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d"));
  context.fillStyle = colours["tl-bg"];
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.drawImage(canvas, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours["ink-2"];
  context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = "middle";
  const marks = `${drawn.marks.toLocaleString("en")} of ${drawn.of.toLocaleString("en")} marks, ${drawn.lanes.toLocaleString("en")} of ${picture.lanes.length.toLocaleString("en")} lanes`;
  context.fillText(`${title} · ${clock(scale.a)} to ${clock(scale.b)}, cursor at ${clock(cursor)} · ${marks}`, 4, canvas.clientHeight + FOOT / 2);
  return sheet;
}
