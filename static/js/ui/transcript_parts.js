// @ts-check
/** What a step was given and gave back: arguments, terminal output, diffs, JSON, deliveries, long strings on demand. */

import { el, fill, said } from "../lib/dom.js";
import { lineDiff } from "../lib/line_diff.js";
import { runsOf } from "../lib/terminal.js";
import { pips } from "./pips.js";

/** @typedef {{ base: string, read: (path: string) => Promise<any> }} Doors `read` answers the JSON of a path below the run's API */

const TALL = 20; // lines of arguments shown at once

/** @param {string} text */
export const terminal = (text) =>
  el("pre.term", { tabindex: "0" }, runsOf(text).map(({ text: piece, classes }) => (classes.length ? el("span", { class: classes.join(" ") }, piece) : said(piece))));

/** @param {string} text */
export const code = (text) => el("pre.code", { tabindex: "0" }, said(text));

/** @param {string} before @param {string} after @param {string} path @param {boolean} made */
export const diff = (before, after, path, made) => {
  const lines = lineDiff(before, after);
  const [put, out] = ["+", "-"].map((sign) => lines.filter((line) => line.sign === sign).length);
  return el("div", {}, el("p.part-head", {}, el("code", {}, path || "a file"), el("span.muted", {}, made ? ` new, ${put} line${put === 1 ? "" : "s"}` : ` ${put} in, ${out} out`)), rows(lines));
};

/** A unified diff as it came. @param {string} text */
export const patch = (text) => {
  /** @type {import("../lib/line_diff.js").Line[]} */
  const lines = text.split("\n").filter((line) => !/^(diff --git|index |new file|create file|---|\+\+\+)/.test(line)).map((line) => {
    const sign = line[0] === "+" || line[0] === "-" ? /** @type {"+" | "-"} */ (line[0]) : line.startsWith("@@") ? "@" : " ";
    return { sign, text: sign === "@" ? line : line.slice(1), old: null, new: null };
  });
  return rows(lines);
};

const TONES = { "+": "d-in", "-": "d-out", "@": "d-gap", " ": "d-same" };

/** @param {import("../lib/line_diff.js").Line[]} lines */
const rows = (lines) =>
  el("pre.code.df", { tabindex: "0" }, lines.map((line) =>
    el(`div.${TONES[line.sign]}`, {}, el("i", {}, line.old ?? ""), el("i", {}, line.new ?? ""), el("b", {}, line.sign === "@" ? "⋯" : line.sign), el("span", {}, said(line.text)))));

/** Arguments: a command as code, the rest as names and values. @param {any} args */
export const argumentsOf = (args) => {
  if (args === null || args === undefined) return null;
  if (typeof args !== "object") return code(String(args));
  const command = typeof args.command === "string" ? "command" : typeof args.cmd === "string" ? "cmd" : "";
  const rest = Object.entries(args).filter(([name]) => name !== command);
  const list = el("dl.args", {}, rest.map(([name, value]) => [el("dt", {}, name), el("dd", {}, valueOf(value))]));
  return [command ? code(args[command]) : null, rest.length ? list : null];
};

/** @param {unknown} value */
const valueOf = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
  return text.includes("\n") || text.length > 160 ? long(text) : el("code", {}, said(text));
};

/** @param {string} text */
const long = (text) => {
  const lines = text.split("\n");
  if (lines.length <= TALL) return code(text);
  const box = el("div", {}, code(lines.slice(0, TALL).join("\n")));
  box.append(el("button.linklike", { type: "button", onclick: () => fill(box, code(text)) }, `${lines.length - TALL} more lines`));
  return box;
};

/** One part of an output. @param {any} part @param {Doors} doors */
export const partOf = (part, doors) => {
  if (part.type === "diff") return diff(part.old?.text ?? "", part.new?.text ?? "", part.path, part.made);
  if (part.type === "inbox") return handedOver(part.items, doors, "Handed over with this result");
  const shown = part.type === "patch" ? patch(part.text) : part.type === "terminal" ? terminal(part.text) : part.type === "json" ? code(pretty(part.text)) : terminal(part.text);
  return part.blob ? [shown, rest(part.blob, doors)] : shown;
};

/** @param {string} text */
const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
};

/** What the inbox handed over: who wrote, where, the words. @param {any[]} items @param {Doors} doors @param {string} title */
export const handedOver = (items, doors, title) =>
  el("div.handed", {}, el("p.part-head", {}, pips(3), ` ${title}: ${items.length}`),
    el("ul", {}, items.map((item) => el("li", {}, el("span.muted", {}, said(item.feed), " "), el("b", {}, said(item.from)), " ", said(item.text)))));

/** A string that was cut out of the stream: the rest of it, a stretch at a time. @param {{ sha256: string, bytes: number }} blob @param {Doors} doors */
const rest = (blob, doors) => {
  const box = el("div");
  let next = 0;
  const button = el("button.btn.btn-sm", { type: "button" }, `Load from the start, ${size(blob.bytes)}`);
  button.addEventListener("click", async () => {
    button.setAttribute("disabled", "");
    try {
      const piece = await doors.read(`blobs/${blob.sha256}/piece?after=${next}`);
      box.append(terminal(piece.text));
      next = piece.next;
      if (next === null) button.remove();
      else button.textContent = `Load on: ${size(next)} of ${size(piece.bytes)} read`;
    } catch (problem) {
      button.textContent = `Not read (${/** @type {Error} */ (problem).message}); try again`;
    }
    button.removeAttribute("disabled");
  });
  return el("div", {}, el("p.muted.sm", {}, `The first 32 KiB of ${size(blob.bytes)}. `), box, button);
};

/** @param {number} bytes */
export const size = (bytes) => (bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
