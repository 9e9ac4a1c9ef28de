// @ts-check
/** Times as the pages write them. Seconds are seconds since run.started. */

/**
 * `02:08`, from an hour on `5:58:12`; with `tenths`, `02:08.4`. Unknown is three dashes.
 * @param {number | null | undefined} seconds
 * @param {{ tenths?: boolean }} [options]
 */
export function clock(seconds, { tenths = false } = {}) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "---";
  const sign = seconds < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(seconds) + (tenths ? 1e-6 : 1e-9));
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const text = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  const tail = tenths ? `.${Math.floor((Math.abs(seconds) - whole + 1e-6) * 10)}` : "";
  return `${sign}${hours ? `${hours}:` : ""}${text}${tail}`;
}

/**
 * A length in words: `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`.
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) return "unknown";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return whole % 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole / 60} min`;
  const minutes = Math.round((whole % 3600) / 60);
  return minutes ? `${Math.floor(whole / 3600)} h ${minutes} min` : `${Math.floor(whole / 3600)} h`;
}

/**
 * Seconds since `zero` of an ISO time; null where either is missing.
 * @param {unknown} iso
 * @param {number | null} zero ms since the epoch
 */
export function since(iso, zero) {
  return typeof iso === "string" && zero !== null ? (Date.parse(iso) - zero) / 1000 : null;
}
