// @ts-check
// The form of /runs/new: a preset refills it, every change checks it again, a fix can be copied.

const form = /** @type {HTMLFormElement} */ (document.getElementById("new-run"));

let timer = 0;
const recheck = () => {
  clearTimeout(timer);
  timer = setTimeout(() => document.body.dispatchEvent(new Event("recheck")), 250);
};

form.addEventListener("change", (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  if (field.dataset.preset !== undefined) location.assign(`/runs/new?preset=${encodeURIComponent(field.value)}`);
  else recheck();
});
form.addEventListener("input", recheck);
form.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement} */ (event.target).closest("button");
  if (button?.dataset.recheck !== undefined) recheck();
  const source = button?.dataset.copy ? document.getElementById(button.dataset.copy) : null;
  if (!button || !source) return;
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(source);
    button.textContent = "Selected";
  }
});
// Twice pressed is once launched (the key sees to it); the button says so.
form.addEventListener("submit", () => {
  const button = form.querySelector("button[type=submit]");
  if (button) button.textContent = "Launching";
});
