// @ts-check
/** Lines taken out, put in and kept between two texts, with a little around each change. Pure. */

/** @typedef {{ sign: " " | "+" | "-" | "@", text: string, old: number | null, new: number | null }} Line */

const AROUND = 3;
const MOST = 1500; // lines of the differing middle that are compared exactly; beyond, all old then all new

/**
 * @param {string} before
 * @param {string} after
 * @returns {Line[]} `@` stands for kept lines left out, its text says how many
 */
export function lineDiff(before, after) {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const middle = compared(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  /** @type {["=" | "-" | "+", string][]} */
  const all = [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
  return numbered(all);
}

const same = (/** @type {string} */ text) => /** @type {["=", string]} */ (["=", text]);

/** @param {string} text */
function linesOf(text) {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

/** The longest common lines, by a table. @param {string[]} a @param {string[]} b @returns {["=" | "-" | "+", string][]} */
function compared(a, b) {
  if (!a.length || !b.length || a.length > MOST || b.length > MOST || a.length * b.length > 1_000_000) {
    return [...a.map((text) => /** @type {["-", string]} */ (["-", text])), ...b.map((text) => /** @type {["+", string]} */ (["+", text]))];
  }
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  /** @type {["=" | "-" | "+", string][]} */
  const found = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push(["=", a[i++]]);
      j++;
    } else if (i < a.length && (j === b.length || length[(i + 1) * width + j] >= length[i * width + j + 1])) found.push(["-", a[i++]]);
    else found.push(["+", b[j++]]);
  }
  return found;
}

/** @param {["=" | "-" | "+", string][]} all @returns {Line[]} */
function numbered(all) {
  const near = new Uint8Array(all.length);
  all.forEach(([sign], k) => {
    if (sign !== "=") near.fill(1, Math.max(0, k - AROUND), Math.min(all.length, k + AROUND + 1));
  });
  /** @type {Line[]} */
  const lines = [];
  let [old, fresh, left] = [1, 1, 0];
  const gap = () => {
    if (left) lines.push({ sign: "@", text: `${left} line${left === 1 ? "" : "s"} unchanged`, old: null, new: null });
    left = 0;
  };
  all.forEach(([sign, text], k) => {
    if (near[k]) {
      gap();
      lines.push({ sign: sign === "=" ? " " : sign, text, old: sign === "+" ? null : old, new: sign === "-" ? null : fresh });
    } else left++;
    if (sign !== "+") old++;
    if (sign !== "-") fresh++;
  });
  gap();
  return lines;
}
