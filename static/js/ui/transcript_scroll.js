// @ts-check
/** The scrolled transcript: chunks near the window hold their entries, all others only their height. */

import { el } from "../lib/dom.js";
import { chunkAt, chunksOf } from "../trajectory/transcript.js";
import { rowOf } from "./transcript_entries.js";

/** @typedef {import("../trajectory/transcript.js").Chunk & { node: HTMLElement, state: "" | "reading" | "shown", near: boolean, stale: boolean }} Piece */

const NEAR = "1600px 0px"; // chunks this far outside the window are made ready
const A_FRAME = 12; // rows made in one frame

export class Scroll {
  /** @param {HTMLElement} box @param {import("./transcript_entries.js").View} view */
  constructor(box, view) {
    this.box = box;
    this.view = view;
    /** @type {Map<string, Piece>} */
    this.pieces = new Map();
    this.watch = new IntersectionObserver((seen) => seen.forEach((each) => this.moved(each)), { rootMargin: NEAR });
  }

  /** Make the chunks be those of these turns; one that grew is read again. @param {import("../trajectory/transcript.js").Turn[]} turns */
  take(turns) {
    for (const chunk of chunksOf(turns)) {
      const known = this.pieces.get(chunk.key);
      if (known) {
        if (known.last !== chunk.last) Object.assign(known, { last: chunk.last, stale: true });
        if (known.stale && known.near) this.show(known);
        continue;
      }
      const node = el("div.chunk", { "data-key": chunk.key, "--h": `${chunk.height}px` });
      this.box.append(node);
      this.pieces.set(chunk.key, { ...chunk, node, state: "", near: false, stale: false });
      this.watch.observe(node);
    }
  }

  /** @param {IntersectionObserverEntry} entry */
  moved(entry) {
    const piece = this.pieces.get(/** @type {HTMLElement} */ (entry.target).dataset.key ?? "");
    if (!piece) return;
    piece.near = entry.isIntersecting;
    if (piece.near && (piece.state === "" || piece.stale)) this.show(piece);
    if (!piece.near && piece.state === "shown") this.hide(piece);
  }

  /** @param {Piece} piece */
  async show(piece) {
    if (piece.state === "reading") return piece.work;
    const before = piece.state;
    piece.state = "reading";
    piece.work = this.fetched(piece, before);
    return piece.work;
  }

  /** @param {Piece} piece @param {"" | "shown" | "reading"} before */
  async fetched(piece, before) {
    const upto = piece.last;
    try {
      const { entries } = await this.view.read(`workers/${this.view.worker}/transcript/entries?life=${piece.life}&first=${piece.first}&last=${upto}`);
      piece.node.replaceChildren(...(await this.rows(entries, piece)));
      piece.node.classList.add("shown");
      piece.state = "shown";
      this.view.arrived();
      piece.stale = piece.last !== upto || entries.some((/** @type {any} */ entry) => entry.kind === "step" && entry.took_ms === null && this.view.live());
    } catch (problem) {
      piece.state = before === "shown" ? "shown" : "";
      if (before !== "shown") piece.node.replaceChildren(el("p.soft", {}, `These entries could not be read: ${/** @type {Error} */ (problem).message}. Scroll away and back to try again.`));
    }
    if (!piece.near && piece.state === "shown" && !piece.held) this.hide(piece);
  }

  /** The entries as rows, some in each frame, so that a scroll is not held up; at once where somebody waits for one. @param {any[]} entries @param {Piece} piece */
  async rows(entries, piece) {
    const made = [];
    for (const entry of entries) {
      made.push(rowOf(entry, this.view));
      if (made.length % A_FRAME === 0 && !piece.held) await new Promise(requestAnimationFrame);
    }
    return made;
  }

  /** @param {Piece} piece */
  hide(piece) {
    if (piece.held || piece.node.contains(document.activeElement)) return;
    piece.node.style.setProperty("--h", `${piece.node.offsetHeight}px`);
    piece.node.classList.remove("shown");
    piece.node.replaceChildren();
    piece.state = "";
  }

  /** Bring an entry into the window; the one that begins there or the last before it. @param {[number, number]} place @param {boolean} [open] @returns {Promise<HTMLElement | null>} */
  async go(place, open = true) {
    const list = [...this.pieces.values()];
    const piece = /** @type {Piece | undefined} */ (chunkAt(list, place));
    if (!piece) return null;
    piece.held = true;
    const k = list.indexOf(piece);
    await Promise.all([piece, list[k - 1], list[k + 1]].filter((each) => each && each.state !== "shown").map((each) => this.show(each)));
    let found = null;
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (piece.node.querySelectorAll("[data-id]"))) {
      if (Number(node.dataset.id?.split("-")[1]) <= place[1]) found = node;
    }
    found ??= /** @type {HTMLElement | null} */ (piece.node.querySelector("[data-id]"));
    const details = open ? found?.querySelector("details") : null;
    if (details) {
      details.open = true;
      details.dispatchEvent(new Event("toggle")); // its own comes later, and what follows needs the body now
    }
    for (const other of this.box.querySelectorAll(".en-here")) other.classList.remove("en-here");
    found?.classList.add("en-here");
    found?.scrollIntoView({ block: "center" });
    requestAnimationFrame(() => requestAnimationFrame(() => {
      found?.scrollIntoView({ block: "center" });
      piece.held = false;
    }));
    return found;
  }

  /** Where the reader is: the entry led to while it is in sight, else the one at the upper third of the window. @returns {HTMLElement | null} */
  here() {
    const chosen = /** @type {HTMLElement | null} */ (this.box.querySelector(".en-here"));
    const seen = chosen?.getBoundingClientRect();
    if (seen && seen.bottom > 0 && seen.top < innerHeight) return chosen;
    const line = this.box.getBoundingClientRect();
    const at = document.elementFromPoint(Math.min(line.left + 90, innerWidth - 20), innerHeight / 3);
    return /** @type {HTMLElement | null} */ (at?.closest("[data-id]") ?? null);
  }
}
