// @ts-check
// Buttons that copy the text of another element: `data-copy` holds its id.

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-copy]"))) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy ?? "");
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent ?? "");
      button.textContent = "Copied";
    } catch {
      // No clipboard here (plain http): select it, so that the keyboard can.
      getSelection()?.selectAllChildren(source);
      button.textContent = "Selected";
    }
  });
}
