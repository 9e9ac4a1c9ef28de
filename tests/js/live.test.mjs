// The live page's feed: whatever the network does, the State in the browser becomes the server's.
import assert from "node:assert/strict";
import { test } from "node:test";

import { again } from "../../static/js/lib/again.js";
import { Arrivals } from "../../static/js/trajectory/arrivals.js";
import { attention, laggingFeeds } from "../../static/js/trajectory/attention.js";
import { LiveFeed } from "../../static/js/trajectory/feed_live.js";
import { Fold, hashLines } from "../../static/js/trajectory/fold.js";
import { glance, listCost, money, perCent, shortNumber } from "../../static/js/trajectory/glance.js";
import { told } from "./python.mjs";

const { changes } = told("fold_log.py", "21")[0];
const seen = (fold) => hashLines(fold.tables).join("");
/** Rows as the lean State has them. */
const columns = (rows) => {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return { columns: names, rows: rows.map((row) => names.map((name) => row[name])) };
};
const stateAt = (c, generation = 1) => {
  const fold = new Fold();
  fold.apply(changes.slice(0, c));
  const tables = Object.fromEntries([...fold.tables].map(([name, rows]) => [name, columns([...rows.values()])]));
  return { tables, counts: {}, generation, c, n: c, t0: 1000, settled: generation > 1 };
};

/** A server and a socket that a test can break. */
class World {
  constructor(c) {
    this.c = c;
    this.generation = 1;
    this.down = false;
    this.reads = [];
    this.statuses = [];
    this.sockets = [];
    this.waiting = [];
    this.moved = 0;
    this.feed = new LiveFeed({
      api: "/api",
      socket: "ws://here/ws/runs/demo/",
      read: async (url) => this.answer(url),
      open: () => {
        const socket = { onmessage: null, onclose: null, closed: false, close: () => (socket.closed = true) };
        this.sockets.push(socket);
        return socket;
      },
      later: (run) => this.waiting.push(run),
      changed: () => (this.moved += 1),
      arrived: (n) => (this.n = n),
      status: (word) => this.statuses.push(word),
    });
  }

  answer(url) {
    this.reads.push(url);
    if (this.down) throw new Error("no network");
    if (url.endsWith("/state?lean=true")) return stateAt(this.c, this.generation);
    const after = Number(/after=(\d+)/.exec(url)[1]);
    return { generation: this.generation, last: this.c, n: this.c, changes: changes.slice(after, Math.min(this.c, after + 50)) };
  }

  /** The server moves on and tells the socket, in full or by the bell alone. */
  tell(c, { bell = false, from = this.c + 1 } = {}) {
    this.c = c;
    const message = bell ? { to: c } : { from, to: c, changes: changes.slice(from - 1, c) };
    this.say({ generation: this.generation, n: c, ...message });
  }

  say(message) {
    this.sockets.at(-1).onmessage({ data: JSON.stringify(message) });
  }

  async drop(code = 1006) {
    this.sockets.at(-1).onclose({ code });
    await this.quiet();
  }

  /** Everything that waited for a while has waited. */
  async wait() {
    for (const run of this.waiting.splice(0)) await run();
    await this.quiet();
  }

  async quiet() {
    for (let k = 0; k < 20; k++) await this.feed.work;
    await new Promise((done) => setImmediate(done));
    await this.feed.work;
  }

  same() {
    const fold = new Fold();
    fold.apply(changes.slice(0, this.c));
    assert.equal(seen(this.feed.fold), seen(fold));
  }
}

const started = async (c = 20) => {
  const world = new World(c);
  await world.feed.start();
  await world.quiet();
  return world;
};

test("a page that follows has the server's State after every message", async () => {
  const world = await started();
  for (const c of [21, 30, 31, 90]) {
    world.tell(c);
    await world.quiet();
    world.same();
  }
  assert.equal(world.statuses.at(-1), "live");
  assert.ok(!world.reads.some((url) => url.includes("/changes")), "what the socket brought is not read again");
});

test("a bell alone makes the page read what is new", async () => {
  const world = await started();
  world.tell(150, { bell: true });
  await world.quiet();
  world.same();
});

test("a lost message is filled from where the page stands, a doubled one changes nothing", async () => {
  const world = await started();
  world.c = 40; // nobody told
  world.tell(60);
  await world.quiet();
  world.same();
  world.tell(60, { from: 10 });
  await world.quiet();
  world.same();
});

test("a page that lost its connection says so, comes back by itself, and has missed nothing", async () => {
  const world = await started();
  world.tell(30);
  await world.quiet();
  await world.drop();
  assert.equal(world.statuses.at(-1), "reconnecting");
  world.c = 120;
  await world.wait();
  assert.equal(world.sockets.length, 2);
  world.say({ generation: 1, to: 120, n: 120 });
  await world.quiet();
  assert.equal(world.statuses.at(-1), "live");
  world.same();
});

test("a socket that died without a word is given up once news came without it", async () => {
  const world = await started();
  world.tell(30);
  await world.quiet();
  await world.feed.check();
  world.c = 55; // the run goes on, the socket says nothing
  await world.feed.check();
  await world.quiet();
  world.same();
  assert.equal(world.sockets.length, 2, "another is opened");
  assert.equal(world.sockets[0].closed, true);
  world.sockets[0].onmessage({ data: JSON.stringify({ generation: 1, to: 55, n: 55 }) });
  world.tell(70);
  await world.quiet();
  world.same();
  await world.feed.check();
  assert.equal(world.sockets.length, 2, "one that speaks is kept");
});

test("a tab that was frozen for ten minutes has no gap and no doubles, whether its socket kept the messages or lost them", async () => {
  for (const kept of [true, false]) {
    const world = await started();
    const missed = [];
    for (const c of [40, 80, 130, 160]) {
      missed.push({ generation: 1, n: c, from: world.c + 1, to: c, changes: changes.slice(world.c, c) });
      world.c = c;
    }
    if (kept) for (const message of missed) world.say(message);
    else await world.drop();
    await Promise.all([world.feed.check(), world.wait()]);
    if (!kept) world.say({ generation: 1, to: world.c, n: world.c });
    for (const message of missed) world.say(message); // and told once more
    await world.quiet();
    world.same();
  }
});

test("a session that ended is not knocked at again", async () => {
  const world = await started();
  await world.drop(4401);
  assert.equal(world.statuses.at(-1), "signed out");
  assert.equal(world.waiting.length, 0);
});

test("the settled run is another generation: the page takes its State whole", async () => {
  const world = await started();
  world.generation = 2;
  world.c = 70;
  world.say({ generation: 2, to: 70, n: 70 });
  await world.quiet();
  assert.equal(world.feed.generation, 2);
  assert.equal(world.feed.settled, true);
  world.same();
});

test("a page opened while the server is down finds it when it is back", async () => {
  const world = new World(25);
  world.down = true;
  await world.feed.start().catch(() => {});
  await world.quiet();
  world.down = false;
  for (let k = 0; k < 3; k++) await world.wait();
  world.same();
  assert.equal(world.sockets.length, 1);
});

test("a read that failed is made good by the next check", async () => {
  const world = await started();
  world.down = true;
  world.tell(80, { bell: true });
  await world.quiet();
  world.down = false;
  await world.feed.check();
  world.same();
});

const event = (n, seconds, kind = "note.posted") => ({ n, at: new Date(seconds * 1000).toISOString(), kind, worker: 1, actor: null, ref: `board:${n}`, fields: {} });

test("a stream keeps the order of arrival, passes over what it has, and a late row says by how much", () => {
  const stream = new Arrivals(5);
  stream.take([event(1, 100), event(2, 110)]);
  const fresh = stream.take([event(2, 110), event(3, 70), event(4, 109)]);
  assert.deepEqual(fresh.map((row) => [row.event.n, row.late]), [[3, 40], [4, 0]]);
  assert.deepEqual(stream.rows.map((row) => row.event.n), [1, 2, 3, 4]);
  stream.take([event(5, 120), event(6, 121), event(7, 122)]);
  assert.deepEqual(stream.rows.map((row) => row.event.n), [3, 4, 5, 6, 7]);
  assert.equal(stream.count, 7);
});

const need = (kind, severity, since, k) => ({ kind, severity, since, cause: "", worker: k, pull: null, claim: null, evidence: [], evidence_count: 0, item: `${kind}:${k}` });

test("the worst comes first, the longest waiting before the others, and many of one kind are one line", () => {
  const rows = [need("unreviewed", "note", "2026-01-01T00:00:01Z", 1), need("dead", "bad", "2026-01-01T00:00:09Z", 2), need("dead", "bad", "2026-01-01T00:00:03Z", 3)];
  assert.deepEqual(attention(rows).items.map((item) => item.key), ["dead:3", "dead:2", "unreviewed:1"]);
  const many = Array.from({ length: 64 }, (_, k) => need("dead", "bad", null, k));
  const { items, total } = attention([...many, ...rows.slice(0, 1)]);
  assert.deepEqual([items.length, total, items[0].rows.length], [2, 65, 64]);
});

test("a feed that failed or fell behind needs attention, one that never spoke is unknown", () => {
  const feed = (source, more) => ({ source, lag_ms: null, error: null, error_since: null, polled_at: null, ...more });
  assert.deepEqual(laggingFeeds([feed("board", {}), feed("acp", { lag_ms: 1e6 })]), []);
  const rows = laggingFeeds([feed("gitea", { error: "refused", error_since: "2026-01-01T00:00:00Z" }), feed("board", { lag_ms: 14_000, polled_at: "x" })]);
  assert.deepEqual(rows.map((row) => row.item), ["feed_lag:gitea", "feed_lag:board"]);
});

test("a run nobody measured is unknown, not zero", () => {
  const empty = glance(new Fold());
  assert.deepEqual([empty.tokensIn, empty.tokensOut, empty.cost, empty.last], [null, null, null, null]);
  assert.equal(shortNumber(null), "unknown");
  assert.equal(money(null), "unknown");
});

test("the census counts every worker once and names the lost", () => {
  const fold = new Fold();
  fold.load({
    workers: Object.fromEntries(["working", "dead", "stalled", "idle", "working"].map((status, k) => [k + 1, { worker: k + 1, status, input_tokens: 10, cost_microusd: k ? null : 5 }])),
    checkpoints: { 1: { checkpoint: 1, at_s: 20, rate_ppm: 500_000 }, 2: { checkpoint: 2, at_s: 40, rate_ppm: null }, 3: { checkpoint: 3, at_s: 60, rate_ppm: 718_750 } },
    pulls: { 1: { number: 1, status: "open", conflict: "true" }, 2: { number: 2, status: "merged", conflict: "true" }, 3: { number: 3, status: "open", conflict: "unknown" } },
  });
  const told = glance(fold);
  assert.equal([...told.census.values()].flat().length, 5);
  assert.deepEqual(told.lost.map((row) => row.worker), [2, 3]);
  assert.deepEqual([told.pulls.open, told.pulls.merged, told.pulls.conflict], [2, 1, 1]);
  assert.deepEqual([perCent(told.last.rate_ppm), told.skipped, told.cost, told.tokensIn], ["71.9 %", 1, 5, 50]);
  assert.deepEqual([shortNumber(420_000), shortNumber(1_250_000), shortNumber(999), money(1_234_567)], ["420 k", "1.3 M", "999", "$1.23"]);
});

test("a cost that nobody said is worked out from tokens at list price, as the summary does", () => {
  const fold = new Fold();
  fold.load({ workers: { 1: { worker: 1, input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 50_000, cost_microusd: null } } });
  assert.equal(listCost(fold, { input: 5_000_000, cached: 500_000, output: 30_000_000 }), 4_700_000);
  assert.equal(listCost(fold, null), null);
  assert.equal(listCost(new Fold(), { input: 1, cached: 1, output: 1 }), null);
});

test("a question that the network swallowed is asked again, an answer never", async () => {
  const waits = [];
  let asked = 0;
  const failing = (times) => again(async () => {
    asked += 1;
    if (asked <= times) throw new TypeError("Failed to fetch");
    return { ok: false, status: 503 };
  }, (run, ms) => (waits.push(ms), run()));
  assert.equal((await failing(2)("/x")).status, 503);
  assert.deepEqual([asked, waits.length], [3, 2]);
  asked = 0;
  await assert.rejects(failing(9)("/x"), /Failed to fetch/);
  assert.equal(asked, 4);
});
