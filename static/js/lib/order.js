// @ts-check

/** Rows by a field of texts or numbers, the missing first. Pure. @param {string} field */
export const by = (field) => (/** @type {any} */ a, /** @type {any} */ b) =>
  (a[field] ?? "") < (b[field] ?? "") ? -1 : (a[field] ?? "") > (b[field] ?? "") ? 1 : 0;
