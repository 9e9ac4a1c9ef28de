// @ts-check
/** Operator actions from a page that stays: the button says what became of it. */

/**
 * @param {{ base: string, token: string, send: typeof fetch }} view
 * @param {"nudge" | "stop-worker" | "cancel" | "end"} name
 * @param {HTMLElement} button
 * @param {Record<string, string>} [fields]
 */
export const act = async (view, name, button, fields = {}) => {
  button.setAttribute("disabled", "");
  try {
    const answer = await view.send(`${view.base}/actions/${name}`, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": view.token },
      body: new URLSearchParams(fields),
    });
    const told = await answer.json();
    button.textContent = told.ok ? "Asked" : "Refused";
    button.title = told.text;
  } catch {
    button.textContent = "Not sent";
    button.removeAttribute("disabled");
  }
};
