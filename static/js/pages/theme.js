// A classic script in the head, so that the chosen theme is set before the first paint.
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search).get("theme");
  let kept = null;
  try {
    kept = localStorage.getItem("theme");
  } catch {
    // Storage may be refused; the system's choice then holds.
  }
  const chosen = asked === "dark" || asked === "light" ? asked : kept;
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
})();
