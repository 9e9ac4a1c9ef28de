// @ts-check
/** The moment in the address: `?t=seconds&w=17,18&ev=merge:7&span=seconds`. Pure. */

/** @typedef {{ t: number | null, w: number[], ev: string | null, span: number | null }} Moment */

/**
 * @param {string} search
 * @returns {Moment}
 */
export function readMoment(search) {
  const asked = new URLSearchParams(search);
  return { t: number(asked.get("t")), w: workers(asked.get("w")), ev: asked.get("ev") || null, span: number(asked.get("span")) };
}

/**
 * @param {{ t: number, w: number[], ev: string | null, span: number | null }} moment
 * @returns {string} from `?` on
 */
export function writeMoment({ t, w, ev, span }) {
  const parts = [`t=${round(t)}`];
  if (w.length) parts.push(`w=${w.join(",")}`);
  if (ev) parts.push(`ev=${encodeURIComponent(ev).replaceAll("%3A", ":")}`);
  if (span !== null) parts.push(`span=${round(span)}`);
  return `?${parts.join("&")}`;
}

/** @param {string | null} text */
function number(text) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** @param {string | null} text */
function workers(text) {
  const found = (text ?? "").split(",").map(Number).filter((value) => Number.isInteger(value) && value > 0 && value < 65_536);
  return [...new Set(found)].slice(0, 12);
}

/** @param {number} value */
function round(value) {
  return String(Math.round(value * 1000) / 1000);
}
