// @ts-check
/**
 * Terminal output as runs of text with a tone. Only colours, bold, dim, underline and reverse are obeyed, `\r` and `\b` as a terminal would;
 * every other sequence stays in the text, where `visible` shows it as a sign. Pure.
 */

/** @typedef {{ text: string, classes: string[] }} Run */

const SGR = /\x1b\[([0-9;:]*)m/g;
const MOST = 20_000; // runs: a page of output never makes more elements than this

/** @param {string} text @returns {Run[]} */
export function runsOf(text) {
  /** @type {Run[]} */
  const runs = [];
  const style = plain();
  let from = 0;
  const put = (/** @type {string} */ piece) => {
    if (!piece) return;
    const classes = classesOf(style);
    const last = runs[runs.length - 1];
    if (last && (runs.length >= MOST || last.classes.join() === classes.join())) last.text += piece;
    else runs.push({ text: piece, classes });
  };
  const clean = overwritten(text);
  for (const found of clean.matchAll(SGR)) {
    put(clean.slice(from, found.index));
    obey(style, found[1]);
    from = found.index + found[0].length;
  }
  put(clean.slice(from));
  return runs;
}

function plain() {
  return { fg: "", bg: "", bold: false, dim: false, under: false, reverse: false };
}

/** @param {ReturnType<typeof plain>} style @returns {string[]} */
function classesOf({ fg, bg, bold, dim, under, reverse }) {
  const [ink, paper] = reverse ? [bg || "paper", fg || "ink"] : [fg, bg];
  return [ink && `tf-${ink}`, paper && `tb-${paper}`, bold && "t-bold", dim && "t-dim", under && "t-under"].filter((name) => typeof name === "string" && name !== "");
}

/** @param {ReturnType<typeof plain>} style @param {string} codes */
function obey(style, codes) {
  const numbers = codes.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  for (let k = 0; k < numbers.length; k++) {
    const code = numbers[k];
    if (code === 0) Object.assign(style, plain());
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 4) style.under = true;
    else if (code === 7) style.reverse = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 24) style.under = false;
    else if (code === 27) style.reverse = false;
    else if (code >= 30 && code <= 37) style.fg = String(code - 30);
    else if (code >= 90 && code <= 97) style.fg = String(code - 90 + 8);
    else if (code >= 40 && code <= 47) style.bg = String(code - 40);
    else if (code >= 100 && code <= 107) style.bg = String(code - 100 + 8);
    else if (code === 39) style.fg = "";
    else if (code === 49) style.bg = "";
    else if (code === 38 || code === 48) {
      const [colour, used] = rich(numbers.slice(k + 1));
      if (code === 38) style.fg = colour;
      else style.bg = colour;
      k += used;
    }
  }
}

/** The nearest of the sixteen, so that text stays readable on both themes. @param {number[]} rest @returns {[string, number]} */
function rich(rest) {
  if (rest[0] === 5) return [nearest(indexed(rest[1] ?? 0)), 2];
  if (rest[0] === 2) return [nearest([rest[1] ?? 0, rest[2] ?? 0, rest[3] ?? 0]), 4];
  return ["", 0];
}

const BASE = [[0, 0, 0], [205, 49, 49], [13, 188, 121], [229, 229, 16], [36, 114, 200], [188, 63, 188], [17, 168, 205], [229, 229, 229],
  [102, 102, 102], [241, 76, 76], [35, 209, 139], [245, 245, 67], [59, 142, 234], [214, 112, 214], [41, 184, 219], [255, 255, 255]];

/** @param {number} n @returns {number[]} */
function indexed(n) {
  if (n < 16) return BASE[n] ?? BASE[7];
  if (n >= 232) return [8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10];
  const level = (/** @type {number} */ value) => (value ? 55 + value * 40 : 0);
  return [level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)];
}

/** @param {number[]} colour */
function nearest(colour) {
  const far = BASE.map((base) => base.reduce((sum, value, k) => sum + (value - colour[k]) ** 2, 0));
  return String(far.indexOf(Math.min(...far)));
}

/** What is left of lines that were written over by a carriage return or a backspace. @param {string} text */
function overwritten(text) {
  const lines = text.replaceAll("\r\n", "\n");
  if (!/[\r\x08]/.test(lines)) return lines;
  return lines.split("\n").map((line) => {
    let kept = line.includes("\r") ? line.split("\r").filter((part) => part !== "").at(-1) ?? "" : line;
    while (/[^\x08]\x08/.test(kept)) kept = kept.replace(/[^\x08]\x08/g, "");
    return kept.replaceAll("\x08", "");
  }).join("\n");
}
