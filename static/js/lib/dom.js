// @ts-check
/** Elements without markup: text goes in as text, so nothing an agent wrote is ever parsed. */

import { visible } from "./agent_text.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * `el("a.w", { href }, "w0001")`. Attributes that are null or false are left out; functions named `on…` are listeners,
 * names that begin with `--` are custom properties. Children may be nested; text is text.
 * @param {string} spec tag and classes
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...any} children
 * @returns {HTMLElement}
 */
export const el = (spec, attributes = {}, ...children) => {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  return filled(node, attributes, children);
};

/**
 * The same for SVG.
 * @param {string} spec
 * @param {Record<string, unknown> | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export const svg = (spec, attributes = {}, ...children) => {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElementNS(SVG, tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  return filled(node, attributes, children);
};

/**
 * @template {HTMLElement | SVGElement} T
 * @param {T} node
 * @param {Record<string, unknown> | null} attributes
 * @param {Child[]} children
 */
const filled = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.replace(/^on/, ""), /** @type {EventListener} */ (value));
    else if (name.startsWith("--")) node.style.setProperty(name, String(value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  append(node, children);
  return node;
};

/** Children in, nested or not; every text is made visible on the way. @param {Element} node @param {Child[]} children */
const append = (node, children) => {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(node, child);
    else node.append(child instanceof Node ? child : visible(child));
  }
};

/** Put these children in place of those there. @param {Element} node @param {...Child} children */
export const fill = (node, ...children) => {
  node.replaceChildren();
  append(node, children);
};

/**
 * A decoration beside a word.
 * @param {string} name
 * @param {string} tone
 */
export const glyph = (name, tone = "quiet") => svg(`svg.g.c-${tone}`, { "aria-hidden": "true" }, svg("use", { href: `#g-${name}` }));

export const icon = glyph;

/** What an agent wrote, as a text node. @param {unknown} value */
export const said = (value) => document.createTextNode(visible(value));

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
};

/**
 * Make the children of `parent` be the rows, in order, touching only what changed: a node is kept while its `sign` is the same.
 * @template T
 * @param {Element} parent
 * @param {{ key: string, sign: unknown[], row: T }[]} rows
 * @param {(row: T) => Element} render
 */
export const sync = (parent, rows, render) => {
  /** @type {Map<string, { node: Element, sign: unknown[] }>} */
  const kept = /** @type {any} */ (parent).keptRows ?? new Map();
  const next = new Map();
  let place = parent.firstElementChild;
  for (const { key, sign, row } of rows) {
    let found = kept.get(key);
    if (!found || found.sign.length !== sign.length || found.sign.some((value, k) => value !== sign[k])) {
      const node = render(row);
      if (found) {
        if (place === found.node) place = node;
        found.node.replaceWith(node);
      }
      found = { node, sign };
    }
    next.set(key, found);
    if (place === found.node) place = place.nextElementSibling;
    else parent.insertBefore(found.node, place);
  }
  const mine = new Set([...next.values()].map((each) => each.node));
  for (const child of [...parent.children]) if (!mine.has(child)) child.remove();
  /** @type {any} */ (parent).keptRows = next;
};
