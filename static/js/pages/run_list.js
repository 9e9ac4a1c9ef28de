// @ts-check
// The list of runs: the button that compares what is ticked, and a sort that acts at once.

const button = /** @type {HTMLButtonElement} */ (document.querySelector("[data-compare]"));
const hint = /** @type {HTMLElement} */ (document.querySelector(".hint"));
const picked = /** @type {HTMLElement} */ (document.querySelector("[data-picked]"));

const show = () => {
  const count = document.querySelectorAll("input[name=runs]:checked").length;
  button.hidden = count < 2;
  hint.hidden = count >= 2;
  picked.textContent = String(count);
};

document.addEventListener("change", (event) => {
  const field = /** @type {HTMLElement} */ (event.target);
  if (field.dataset.submit !== undefined) /** @type {HTMLSelectElement} */ (field).form?.requestSubmit();
  show();
});
addEventListener("pageshow", show);
show();
