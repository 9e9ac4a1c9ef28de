// The State at any second of a recorded run is what the server folded up to then, however one came there.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Fold, hashLines } from "../../static/js/trajectory/fold.js";
import { readHistory, readRecorded } from "../../static/js/trajectory/feed_recorded.js";
import { History } from "../../static/js/trajectory/history.js";
import { told } from "./python.mjs";

const logs = told("fold_log.py", "11", "12").map(({ changes, hash }) => ({ changes, hash, zero: changes[0][1] }));
// The same log many times over, a minute apart: long enough for several keyframes.
const long = Array.from({ length: 12 }, (_, k) => logs[0].changes.map(([, at, ...rest]) => [0, at + k * 3_600_000, ...rest])).flat();
long.forEach((change, place) => (change[0] = place + 1));

const folded = (changes) => {
  const fold = new Fold();
  fold.apply(changes);
  return hashLines(fold.tables).join("");
};
const seen = (tables) => hashLines(tables).join("");

test("any second shows the fold of the changes up to it, in any order of asking", () => {
  const zero = long[0][1];
  const history = new History(long, zero);
  const end = (long.at(-1)[1] - zero) / 1000;
  for (const share of [0, 0.5, 0.51, 0.52, 0.1, 1, 0.999, 0.3, 0.3, 0.0001]) {
    const at = end * share;
    assert.equal(seen(history.at(at)), folded(long.filter((change) => change[1] <= zero + at * 1000)), `at ${share}`);
  }
});

test("before the start there is nothing, after the end there is the final State", () => {
  for (const { changes, zero } of logs) {
    const history = new History(changes, zero);
    assert.equal(seen(history.at(-1)), "");
    assert.equal(seen(history.at(1e9)), folded(changes));
    assert.equal(seen(history.final), folded(changes));
  }
});

test("a State once given out does not change under its reader", () => {
  const { changes, zero } = logs[1];
  const history = new History(changes, zero);
  const end = (changes.at(-1)[1] - zero) / 1000;
  const early = history.at(end * 0.4);
  const before = seen(early);
  history.at(end * 0.41);
  history.at(end);
  history.at(0);
  assert.equal(seen(early), before);
});

test("while nothing changes the very same tables come back, so a panel need not be drawn again", () => {
  const { changes, zero } = logs[0];
  const history = new History(changes, zero);
  assert.equal(history.at(1e6), history.at(1e6 + 1));
});

/** A server of one settled run, with small pages. */
const server = ({ changes, zero }, { settled = true, failing = "" } = {}) => async (url) => {
  if (failing && url.includes(failing)) return new Response(JSON.stringify({ detail: "the run is being settled" }), { status: 503 });
  if (url.endsWith("/state")) {
    const fold = new Fold();
    fold.apply(changes);
    const tables = Object.fromEntries([...fold.tables].map(([name, rows]) => [name, Object.fromEntries(rows)]));
    return new Response(JSON.stringify({ tables, generation: 2, c: changes.length, n: 9, t0: zero, settled }));
  }
  if (url.includes("/changes")) {
    const after = Number(/after=(\d+)/.exec(url)[1]);
    return new Response(JSON.stringify({ generation: 2, last: changes.length, changes: changes.slice(after, after + 40) }));
  }
  return new Response(JSON.stringify({ version: 1, generation: 2, t0: zero, sorted: true, kinds: ["step"], segments: [] }));
};

test("a recorded run is read page by page until the log is whole", async () => {
  const words = [];
  const run = await readRecorded("/api/v1/runs/demo", server(logs[0]));
  const history = await readHistory("/api/v1/runs/demo", server(logs[0]), run, (word) => words.push(word));
  assert.equal(history.changes.length, logs[0].changes.length);
  assert.equal(seen(history.final), folded(logs[0].changes));
  assert.ok(run.end >= 1);
  assert.ok(words.some((word) => /Reading changes, 40 of/.test(word)));
});

test("a run that still moves has no history to scrub in the browser", async () => {
  const run = await readRecorded("/api/v1/runs/demo", server(logs[0], { settled: false }));
  assert.equal(run.settled, false);
  assert.equal(await readHistory("/api/v1/runs/demo", server(logs[0]), run), null);
});

test("what the server says is wrong is what the page can say", async () => {
  await assert.rejects(readRecorded("/api/v1/runs/demo", server(logs[0], { failing: "/state" })), /being settled/);
});
