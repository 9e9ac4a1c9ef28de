// @ts-check
/** Entries of a transcript as rows: prompts, texts, steps, plans, deliveries, ends. A step's body is made when it is opened. */

import { el, fill, glyph, said } from "../lib/dom.js";
import { clock, duration } from "../lib/format_time.js";
import { lineOf, movesOf } from "../trajectory/transcript.js";
import { pipsOf } from "./pips.js";
import { argumentsOf, handedOver, partOf, terminal } from "./transcript_parts.js";

/** @typedef {import("./transcript_parts.js").Doors & { slug: string, worker: number, opened: Set<string>, open: () => boolean, live: () => boolean, arrived: () => void }} View `arrived` is told when entries were put in place */

const STATUS = /** @type {Record<string, [string, string, string]>} */ ({
  completed: ["approved", "good", "done"], failed: ["dead", "bad", "failed"], cancelled: ["released", "quiet", "cancelled"],
  pending: ["working", "active", "running"], in_progress: ["working", "active", "running"],
});
const FEEDS = /** @type {Record<string, string>} */ ({ board: "board note", direct: "direct message", channel: "channel post", repo: "repository notice" });
const TRIGGERS = /** @type {Record<string, string>} */ ({ first: "first prompt", inbox: "news in the inbox", nudge: "nudged after idling", reminder: "reminder of the time left", recap: "told again after a restart" });
const LONG = 700; // characters of a text shown before it is folded

/** @param {any} entry @param {View} view */
export const rowOf = (entry, view) => (KINDS[entry.kind] ?? KINDS.loop)(entry, view);

/** @param {any} entry @param {string} name @param {[string, string]} mark @param {...any} body */
const row = (entry, name, mark, ...body) =>
  el(`article.en.en-${name}${entry.agent ? ".en-sub" : ""}${entry.again ? ".en-again" : ""}`, { id: `e${entry.id}`, "data-id": entry.id, "data-t": entry.t, tabindex: "-1" },
    el("a.en-t", { href: `?at=${entry.id}`, title: "Link to this place", "data-link": entry.id }, clock(entry.t, { tenths: true })), el("span.en-k", {}, glyph(...mark)), el("div.en-b", {}, body));

/** @param {any} entry @param {View} view */
const step = (entry, view) => {
  const [mark, tone, word] = entry.failed && entry.status === "completed" ? STATUS.failed : STATUS[entry.status] ?? STATUS.pending;
  const code = entry.exit ? `exit ${entry.exit}` : "";
  const head = el("summary", {}, el("code.en-tool", {}, said(entry.tool)), el("span.en-line", {}, said(lineOf(entry))),
    entry.agent && el("span.tag", {}, "sub-agent"), entry.permission && el("span.tag", {}, entry.permission.answer ? "permitted" : "asked"),
    el("span.en-st", {}, glyph(mark, tone), el("span", {}, code || word), el("span.muted", {}, entry.took_ms === null ? "no end" : duration(entry.took_ms / 1000))));
  const details = /** @type {HTMLDetailsElement} */ (el("details", {}, head));
  const body = el("div.en-body");
  details.append(body);
  details.addEventListener("toggle", () => {
    if (details.open) view.opened.add(entry.id);
    else view.opened.delete(entry.id);
    if (details.open && !body.firstChild) fill(body, bodyOf(entry, view));
  });
  details.open = view.opened.has(entry.id) || view.open();
  return row(entry, entry.failed ? "step.en-failed" : "step", [glyphOf(entry), "ink"], details);
};

/** @param {any} entry */
const glyphOf = (entry) => /** @type {Record<string, string>} */ ({ edit: "changes", read: "search", search: "search", execute: "play", think: "note" })[entry.what] ?? "implementer";

/** @param {any} entry @param {View} view @returns {any[]} */
const bodyOf = (entry, view) => {
  const { permission, parts, places } = entry;
  const clipped = parts.some((/** @type {any} */ part) => part.chars || part.old?.chars || part.new?.chars) || JSON.stringify(entry.args ?? "").includes(" characters)");
  const hasDiff = parts.some((/** @type {any} */ part) => part.type === "diff");
  const asked = entry.args === null ? null : hasDiff ? el("details.sub", {}, el("summary", {}, "Arguments"), argumentsOf(entry.args)) : argumentsOf(entry.args);
  const proof = `/runs/${view.slug}/evidence/acp/${view.worker}-${entry.id}`;
  return [
    places.length > 0 && el("p.part-head", {}, places.map((/** @type {string} */ place) => el("code", {}, place, " "))),
    asked,
    permission && el("p.part-head", {}, glyph("key", "ink"), ` Asked for permission: ${permission.options.join(", ") || "no options"}. `, permission.answer ? `Answered ${permission.answer} after ${permission.after_ms} ms.` : "No answer was heard."),
    parts.length ? parts.map((/** @type {any} */ part) => partOf(part, view)) : el("p.muted.sm", {}, entry.took_ms === null ? "No output yet." : "No output."),
    el("p.en-foot", {}, clipped && wholeButton(entry, view), el("a", { href: proof }, glyph("ev"), " raw items"), el("a", { href: replayOf(entry, view) }, glyph("play"), " in the timeline"),
      el("a", { href: `?at=${entry.id}`, "data-link": entry.id }, glyph("link"), " link"), el("span.muted", {}, said(entry.title !== entry.tool && entry.title !== lineOf(entry) ? entry.title : ""))),
  ];
};

/** @param {any} entry @param {View} view */
export const replayOf = (entry, view) => `/runs/${view.slug}/replay?t=${Math.max(0, entry.t).toFixed(3)}&w=${view.worker}`;

/** @param {any} entry @param {View} view */
const wholeButton = (entry, view) => {
  const button = el("button.btn.btn-sm", { type: "button" }, "Show all of it");
  button.addEventListener("click", async () => {
    button.setAttribute("disabled", "");
    const [life, item] = entry.id.split("-");
    try {
      const whole = await view.read(`workers/${view.worker}/transcript/entry?life=${life}&item=${item}`);
      const body = button.closest(".en-body");
      if (body) fill(body, bodyOf(whole, view));
    } catch (problem) {
      button.textContent = `Not read (${/** @type {Error} */ (problem).message}); try again`;
      button.removeAttribute("disabled");
    }
  });
  return button;
};

/** A text, folded where it is long; a clipped one is read whole when it is opened. @param {any} entry @param {View} view */
const words = (entry, view) => {
  const text = String(entry.text ?? "");
  const cut = entry.chars > text.length;
  if (text.length <= LONG && !cut && !entry.blob) return el("div.en-text", {}, text.includes("\x1b") ? terminal(text) : said(text));
  const short = el("div.en-text", {}, said(text.slice(0, LONG)), "…");
  const box = el("div", {}, short);
  const total = entry.blob ? `${entry.blob.bytes.toLocaleString("en")} bytes` : `${(entry.chars ?? text.length).toLocaleString("en")} characters`;
  const button = el("button.linklike", { type: "button" }, `Show all ${total}`);
  button.addEventListener("click", async () => {
    const [life, item] = entry.id.split("-");
    const whole = cut ? await view.read(`workers/${view.worker}/transcript/entry?life=${life}&item=${item}`) : entry;
    fill(box, el("div.en-text", {}, said(whole.text)), entry.blob && partOf({ type: "text", text: "", blob: entry.blob }, view));
  });
  box.append(button);
  return box;
};

/** @type {Record<string, (entry: any, view: View) => HTMLElement>} */
const KINDS = {
  step,
  prompt: (entry, view) => row(entry, "prompt", ["person", "ink"], el("p.en-name", {}, "Prompt"), words(entry, view), entry.items.length > 0 && handedOver(entry.items, view, "Handed over with this prompt")),
  answer: (entry, view) => row(entry, "answer", ["message", "ink"], words(entry, view)),
  thought: (entry, view) => row(entry, "thought", ["note", "quiet"], el("p.en-name", {}, "Thought"), words(entry, view)),
  plan: (entry) => row(entry, "plan", ["score", "ink"], el("p.en-name", {}, `Plan${entry.agent ? " of a sub-agent" : ""}`), entry.entries.length ? el("ul.plan", {}, entry.entries.map((/** @type {any} */ each) =>
    el(`li.plan-${each.status === "completed" ? "done" : each.status === "in_progress" ? "now" : "next"}`, {}, glyph(...(each.status === "completed" ? ["approved", "good"] : each.status === "in_progress" ? ["working", "active"] : ["waiting", "quiet"])), " ", said(each.content), el("span.muted", {}, ` ${each.status.replace("_", " ")}`)))) : el("p.muted.sm", {}, "The plan came without entries.")),
  inbox: (entry) => row(entry, "inbox", ["message", "quiet"], movesOf(entry.moves).map((move) => el("p.move", {}, pipsOf(move.state), ` ${move.count} ${FEEDS[move.feed] ?? move.feed}${move.count === 1 ? "" : "s"}`, el("span.muted", {}, said(rangeOf(move)))))),
  turn_started: (entry) => row(entry, "turn", ["play", "active"], el("h3", {}, `Turn ${entry.turn}`), el("span.muted", {}, said(TRIGGERS[entry.trigger] ?? entry.trigger ?? ""))),
  turn_finished: (entry) => row(entry, "end", entry.error ? ["dead", "bad"] : ["ended", "quiet"], el("p.en-name", {}, said(entry.error ? `Turn failed: ${entry.error}` : `Turn ended: ${String(entry.stop_reason ?? "no reason said").replaceAll("_", " ")}`))),
  session_opened: (entry) => row(entry, "wire", ["key", "quiet"], el("p.en-name", {}, `Session ${entry.session} ${entry.resumed ? "resumed" : "opened"}, life ${entry.id.split("-")[0]}`, el("span.muted", {}, " ", said(entry.harness)))),
  nudge_sent: (entry) => row(entry, "wire", ["nudged", "warn"], el("p.en-name", {}, "Nudged after idling")),
  reminder_sent: (entry) => row(entry, "wire", ["lag", "warn"], el("p.en-name", {}, `Reminded: ${entry.minutes_left} min left`)),
  error: (entry, view) => row(entry, "error", ["dead", "bad"], el("p.en-name", {}, "Error ", el("code", {}, said(entry.what))), words(entry, view)),
  noise: (entry, view) => row(entry, "noise", ["gap", "quiet"], el("p.en-name", {}, "Not a message"), words(entry, view)),
  wire: (entry) => row(entry, "wire", ["link", "quiet"], el("p.en-name", {}, el("code", {}, said(entry.what)))),
  loop: (entry, view) => row(entry, "wire", ["link", "quiet"], el("p.en-name", {}, said(entry.what)), words(entry, view)),
};

/** @param {any} move */
const rangeOf = (move) => {
  const name = (/** @type {unknown} */ item) => (typeof item === "number" ? `n${item}` : String(item).slice(0, 24));
  const via = move.via ? ` by ${move.via}` : "";
  return move.from === null || move.from === undefined ? via : ` ${name(move.from)}${move.from === move.upto ? "" : ` to ${name(move.upto)}`}${via}`;
};
