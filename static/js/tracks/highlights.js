// @ts-check
/** Where to look first in a run: the first of each rarer kind, with how many there are. Pure. */

const KINDS = ["withdrawn", "failure", "recovery", "integrator", "merge"];

/**
 * @param {import("./marks.js").Mark[]} marks in order of time
 * @returns {{ mark: import("./marks.js").Mark, count: number }[]}
 */
export function highlights(marks) {
  return KINDS.flatMap((kind) => {
    const own = marks.filter((mark) => mark.kind === kind);
    return own.length ? [{ mark: own[0], count: own.length }] : [];
  });
}
