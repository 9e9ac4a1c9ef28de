// @ts-check
/** Operator actions from a page that stays: the button says what became of it, and a screen reader is told why. */

/**
 * @param {import("./words.js").View} view
 * @param {"nudge" | "stop-worker" | "cancel" | "end"} name
 * @param {HTMLElement} button
 * @param {Record<string, string>} [fields]
 */
export const act = async (view, name, button, fields = {}) => {
  button.setAttribute("disabled", "");
  try {
    const told = await view.post(`${view.base}/actions/${name}`, fields);
    button.textContent = told.ok ? "Asked" : "Refused";
    button.title = told.text;
    const aloud = document.getElementById("said");
    if (aloud) aloud.textContent = told.text;
  } catch {
    button.textContent = "Not sent";
    button.removeAttribute("disabled");
  }
};
