// @ts-check
/** Strips that scroll sideways in a narrow window show that they do: the side beyond which there is more fades, and what is current is in view. */

const STRIPS = ".tabs, .feeds, .chips, .runhead-title .actions";
const WIDE = 1180; // from here on nothing of a page's frame scrolls sideways

/** Which sides have more, as words for the style sheet. @param {{ scrollLeft: number, clientWidth: number, scrollWidth: number }} strip */
export const sidesWithMore = ({ scrollLeft, clientWidth, scrollWidth }) =>
  [scrollLeft > 1 && "before", scrollLeft + clientWidth < scrollWidth - 1 && "after"].filter(Boolean).join(" ");

/** Keep the strips of a page marked, whatever is scrolled, resized or filled in later. */
export function fadeEdges() {
  for (const strip of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(STRIPS))) {
    let waiting = false;
    const mark = () => {
      waiting = false;
      const more = innerWidth > WIDE ? "" : sidesWithMore(strip);
      if (more) strip.dataset.more = more;
      else delete strip.dataset.more;
    };
    const soon = () => {
      if (waiting || (innerWidth > WIDE && !strip.dataset.more)) return;
      waiting = true;
      requestAnimationFrame(mark);
    };
    const current = /** @type {HTMLElement | null} */ (strip.querySelector("[aria-current]"));
    // By scrollLeft and not by scrollIntoView, which moves the page as well and loses the place a reader comes back to.
    if (current) strip.scrollLeft = current.offsetLeft - strip.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2;
    strip.addEventListener("scroll", soon, { passive: true });
    new ResizeObserver(soon).observe(strip);
    new MutationObserver(soon).observe(strip, { childList: true, subtree: true, characterData: true, attributes: true, attributeFilter: ["hidden"] });
    soon();
  }
}
