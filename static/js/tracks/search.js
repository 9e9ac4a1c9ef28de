// @ts-check
/** Which lanes a filter means: every word is found in the worker, its claims, notes, pulls or marks. Pure. */

import { rowsOf } from "./tables.js";

/**
 * @param {import("./lanes.js").Lane[]} lanes
 * @param {import("./claims.js").Span[]} spans
 * @param {import("./marks.js").Mark[]} marks
 * @param {any} tables
 * @returns {Map<number, string>} lower-case text by worker
 */
export function textsOf(lanes, spans, marks, tables) {
  /** @type {Map<number, string[]>} */
  const texts = new Map(lanes.map((lane) => [lane.worker, [lane.name, lane.node, lane.role, lane.status]]));
  const add = (/** @type {any} */ worker, /** @type {unknown} */ text) => texts.get(worker)?.push(String(text ?? ""));
  for (const span of spans) add(span.worker, `n${span.key} ${span.label}`);
  for (const mark of marks) add(mark.worker, `${mark.kind} ${mark.label}`);
  for (const row of rowsOf(tables, "notes")) if (row.text !== undefined) add(row.worker, `${row.type} ${row.text}`);
  for (const row of rowsOf(tables, "pulls")) add(row.author, `#${row.number} ${row.title}`);
  return new Map([...texts].map(([worker, parts]) => [worker, parts.join("\n").toLowerCase()]));
}

/**
 * The name of a node means its lanes, however often others speak of it.
 * @param {Map<number, string>} texts
 * @param {string} asked
 * @param {Record<string, { workers: number[] }>} [said] who said each word, as far as the server was asked
 * @returns {(lane: { worker: number }) => boolean}
 */
export function matching(texts, asked, said = {}) {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const speakers = words.map((word) => new Set(said[word]?.workers ?? []));
  const name = words.join(" ");
  const named = new Set([...texts].filter(([, text]) => text.split("\n", 2)[1] === name).map(([worker]) => worker));
  if (named.size) return (lane) => named.has(lane.worker);
  return (lane) => words.every((word, k) => texts.get(lane.worker)?.includes(word) || speakers[k].has(lane.worker));
}
