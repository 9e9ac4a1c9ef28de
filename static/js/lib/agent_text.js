// @ts-check
/** Text that agents wrote, made safe to read. The twin of `runs/templatetags/agent_text.py`; one table of cases holds both. */

const ANSI = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[@-Z\\^_]/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
const HIDDEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
const SURROGATE = /\p{Surrogate}/gu;

/** @param {string} c */
const sign = (c) => `⟨U+${/** @type {number} */ (c.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** @param {string} c */
const control = (c) => {
  const code = c.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : sign(c);
};

/**
 * Nothing in the result can reorder, hide or recolour what is around it. Newlines and tabs stay.
 * @param {unknown} value
 * @returns {string}
 */
export const visible = (value) =>
  String(value ?? "")
    .replaceAll("\r\n", "\n")
    .replace(ANSI, (found) => found.replaceAll("\x1b", "␛").replaceAll("\x9b", "␛["))
    .replace(CONTROL, control)
    .replace(HIDDEN, sign)
    .replace(SURROGATE, "\ufffd");
