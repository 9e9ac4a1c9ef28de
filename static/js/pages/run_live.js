// @ts-check
/** The live page of a run: wiring of the feed, the parts and the clock. */

import { again } from "../lib/again.js";
import { byId } from "../lib/dom.js";
import { laggingFeeds } from "../trajectory/attention.js";
import { LiveFeed } from "../trajectory/feed_live.js";
import { TimelineReader } from "../trajectory/timeline_thread.js";
import { showAttention } from "../ui/attention_list.js";
import { showFeeds } from "../ui/feeds_row.js";
import { follow } from "../ui/follow.js";
import { showGlance } from "../ui/glance_band.js";
import { showClaims, showPulls, stretch } from "../ui/ledgers.js";
import { LiveLanes } from "../ui/live_lanes.js";
import { showPassRate } from "../ui/pass_chart.js";
import { markDelivered } from "../ui/pips.js";
import { showPulse } from "../ui/pulse.js";
import { showBehaviours, showRecoveries, showRoles } from "../ui/side_tables.js";
import { Stream } from "../ui/stream.js";
import { markNotes, messageRow, noteRow } from "../ui/talk.js";
import { tick } from "../ui/words.js";

const page = JSON.parse(byId("page").textContent ?? "{}");
const skew = Date.parse(page.now) - Date.now();
const api = `/api/v1/runs/${page.slug}`;
const DRAW_MS = 250; // at least so long between two drawings, however much happens
const REST = 7; // and so many times as long as a drawing took
const TALK = "note.posted,note.refused,message.posted,message.edited,message.deleted";
const TALK_FIRST = 200; // notes and messages read when the page opens; how many there are is said
const STEPS_MS = 4000; // how often steps, notes and messages of the lanes are read again

/** @param {string} url */
const read = async (url) => {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.json();
};

const feed = new LiveFeed({
  api,
  socket: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/runs/${page.slug}/`,
  read,
  open: (url) => new WebSocket(url),
  later: (run, ms) => setTimeout(run, ms),
  changed: (touched) => draw(touched),
  arrived: (n) => hear(n),
  status: (status) => {
    byId("connection").textContent =
      /** @type {Record<string, string>} */ ({
        live: "",
        loading: "reading the State",
        reconnecting: "connection lost, trying again",
        "signed out": "signed out: reload to sign in",
        gone: "this run was removed",
      })[status] ?? status;
  },
});

/** @type {import("../ui/words.js").View} */
const view = {
  base: `/runs/${page.slug}`,
  fold: feed.fold,
  get t0() {
    return feed.t0;
  },
  duration: page.duration_s,
  operator: page.operator,
  post: async (url, fields) => {
    const headers = { Accept: "application/json", "X-CSRFToken": page.token };
    return (await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields) })).json();
  },
  send: fetch.bind(window),
  scripted: page.scripted,
  price: page.price,
  live: page.live,
  now: () => (view.live || !page.ended_at ? Date.now() + skew : Date.parse(page.ended_at)),
};

const filters = { claims: false, pulls: false };
/** @type {any[]} */
let feeds = [];
/** @type {Set<string> | null} tables to draw; null = all */
let due = new Set();
let timer = 0;
let rest = DRAW_MS;

/** Draw what moved, a few times a second at most. @param {Map<string, Set<any>> | null} touched */
const draw = (touched) => {
  if (touched === null) due = null;
  else if (due) for (const table of touched.keys()) due.add(table);
  timer ||= window.setTimeout(() => {
    timer = 0;
    const moved = due;
    due = new Set();
    const began = performance.now();
    parts(moved);
    rest = Math.max(DRAW_MS, (performance.now() - began) * REST); // a page of 1,024 workers takes its time, and gives it back
  }, rest);
};

/** @param {Set<string> | null} moved */
const parts = (moved) => {
  const any = (/** @type {string[]} */ ...tables) => moved === null || tables.some((table) => moved.has(table));
  if (any("workers", "checkpoints", "pulls")) showGlance(view);
  if (any("attention", "pulls", "claims")) showAttention(view, laggingFeeds(view.live ? feeds : []));
  if (any("claims", "pulls", "recoveries", "workers")) showClaims(view, filters.claims);
  if (any("pulls", "reviews", "workers")) showPulls(view, filters.pulls);
  if (any("recoveries", "claims")) showRecoveries(view);
  if (any("roles")) showRoles(view);
  if (any("behaviours")) showBehaviours(view);
  if (any("checkpoints")) showPassRate(byId("pass-rate"), view, page.baseline);
  if (any("claims", "pulls", "reviews", "recoveries", "workers", "roles", "checkpoints")) lanes.show();
  if (any("notes", "workers")) markNotes(view, byId("board"));
  byId("behind").textContent = `${feed.n.toLocaleString("en")} events`;
};

const lanes = new LiveLanes(view, follow, (words) => read(`${api}/speakers?q=${encodeURIComponent(words)}`));
const board = new Stream(byId("board-box"), noteRow(view), follow);
const chat = new Stream(byId("chat-box"), messageRow(view), follow);
follow.onChange = () => {
  board.show();
  chat.show();
  markNotes(view, byId("board"));
};

let talked = -1;
let asking = false;
/** Read the talk up to event number `n`: at first the newest of it, then all that comes. @param {number} n */
const hear = async (n) => {
  if (asking || n <= talked) return;
  asking = true;
  try {
    while (talked < feed.n) {
      const from = talked < 0 ? `newest=true&limit=${TALK_FIRST}` : `after=${talked}&limit=500`;
      const { last, events } = await read(`${api}/events?${from}&kind=${TALK}`);
      const notes = events.filter((/** @type {any} */ event) => event.kind.startsWith("note."));
      board.take(notes);
      chat.take(events.filter((/** @type {any} */ event) => !event.kind.startsWith("note.")));
      if (last <= talked) break;
      talked = last;
    }
    counted();
  } catch {
    // The next event or check asks again.
    for (const name of talked < 0 ? ["board-reading", "chat-reading"] : []) byId(name).textContent = "Not read yet; asking again.";
  } finally {
    asking = false;
  }
};

/** How much of the talk is on the page, of what there is. */
const counted = () => {
  const notes = Math.max(feed.counts.notes ?? 0, board.arrivals.rows.length);
  byId("board-count").textContent = notes ? `newest ${board.arrivals.rows.length.toLocaleString("en")} of ${notes.toLocaleString("en")} notes` : "";
  byId("chat-count").textContent = chat.arrivals.count ? `newest ${chat.arrivals.rows.length.toLocaleString("en")}` : "";
  for (const name of ["board-reading", "chat-reading"]) byId(name).hidden = true;
  byId("board-none").hidden = board.arrivals.count > 0;
  byId("chat-none").hidden = chat.arrivals.count > 0;
  markNotes(view, byId("board"));
};

/** What the run's row and its feeds say, every two seconds while it lives. */
const pulse = async () => {
  try {
    const [run, health] = await Promise.all([read(api), read(`${api}/feeds`)]);
    const was = view.live;
    Object.assign(page, { started_at: run.started_at, ended_at: run.ended_at });
    view.live = !["ended", "failed", "cancelled", "importing"].includes(run.status);
    feeds = health.feeds;
    showPulse(view, run);
    for (const box of [byId("board"), byId("chat")]) markDelivered(box, read, api).catch(() => {}); // the next pulse asks again
    showFeeds(feeds, { now: () => Date.now() + skew, standins: page.standins, live: view.live, behind: "" });
    if (was && !view.live) draw(null);
    if (view.live) draw(new Map([["attention", new Set()]]));
  } catch {
    // The connection's own words say it.
  }
  setTimeout(pulse, view.live ? 2000 : 20_000);
};

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-only]"))) {
  button.addEventListener("click", () => {
    const name = /** @type {"claims" | "pulls"} */ (button.dataset.only);
    filters[name] = !filters[name];
    button.setAttribute("aria-pressed", String(filters[name]));
    draw(null);
  });
}

setInterval(() => {
  if (!view.live) return;
  tick(view.now);
  for (const bar of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".life"))) stretch(view, bar);
}, 1000);
setInterval(() => {
  if (view.live) showPassRate(byId("pass-rate"), view, page.baseline);
}, 5000);
setInterval(() => {
  if (view.live && follow.follows() && !document.hidden) lanes.show();
}, 1000);
setInterval(() => feed.check(), 10_000);
addEventListener("online", () => feed.reconnect());
document.addEventListener("visibilitychange", () => document.hidden || feed.check());

const reader = new TimelineReader(`${api}/timeline`, again(fetch.bind(window)), () => new Worker(document.body.dataset.thread ?? "", { type: "module" }));
/** Steps, notes and messages for the lanes, while anybody looks and the run goes on. */
const steps = async () => {
  try {
    if (!document.hidden && feed.t0 !== null) lanes.give(await reader.read());
  } catch {
    // The connection's own words say it.
  }
  if (view.live || !lanes.timeline?.manifest.sorted) setTimeout(steps, STEPS_MS);
};
pulse();
feed.start().then(steps);
Object.assign(globalThis, { agensh: { feed } }); // for a console, and for the test that compares the State here with the server's
