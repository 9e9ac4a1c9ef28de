import assert from "node:assert/strict";
import { test } from "node:test";

import { attention, helps, MOST, unfolded } from "../../static/js/trajectory/attention.js";

const row = (kind, about = {}) => ({
  ...{ kind, severity: "warn", since: "2026-01-01T00:00:00.000Z", cause: "", item: `${kind}:1` },
  ...{ worker: null, pull: null, claim: null, evidence: [], evidence_count: 0, ...about },
});

test("each cause has the action that helps an operator", () => {
  assert.equal(helps(row("worker_silent", { worker: 3 }), true), "nudge");
  assert.equal(helps(row("nudge_unanswered", { worker: 3 }), true), "stop");
  assert.equal(helps(row("worker_stuck", { worker: 3 }), true), "stop");
  assert.equal(helps(row("worker_looping", { worker: 3 }), true), "steps");
  assert.equal(helps(row("worker_dead", { worker: 3 }), true), "steps");
  assert.equal(helps(row("approval_withdrawn", { pull: 7, worker: 3 }), true), "pull");
  assert.equal(helps(row("pull_unreviewed", { pull: 7, worker: 3, claim: 9 }), true), "pull");
  assert.equal(helps(row("failure_open", { claim: 9, worker: 3 }), true), "claim");
  assert.equal(helps(row("node_lost"), true), "copy");
  assert.equal(helps(row("feed_lag"), true), "feeds");
});

test("a viewer is never offered what only an operator may do", () => {
  for (const kind of ["worker_silent", "worker_stuck", "nudge_unanswered"]) assert.equal(helps(row(kind, { worker: 3 }), false), "worker");
});

test("many of one kind are one line, worst kinds first", () => {
  const rows = [1, 2, 3, 4].map((worker) => ({ ...row("worker_looping", { worker }), item: `worker_looping:${worker}` }));
  const { items, total } = attention([...rows, { ...row("worker_dead", { worker: 9 }), severity: "bad" }]);
  assert.deepEqual(
    items.map((item) => [item.kind, item.rows.length]),
    [
      ["worker_dead", 1],
      ["worker_looping", 4],
    ],
  );
  assert.equal(total, 5);
});

test("an open group is followed by each of its rows, and an open kind that is no group any more by none", () => {
  const rows = [1, 2, 3, 4].map((worker) => ({ ...row("worker_dead", { worker }), item: `worker_dead:${worker}` }));
  const { items } = attention([...rows, row("node_lost")]);
  assert.deepEqual(
    unfolded(items, new Set(["worker_dead", "node_lost"])).map((item) => [item.rows.length, Boolean(item.within), item.rows[0].worker]),
    [
      [4, false, 1],
      [1, true, 1],
      [1, true, 2],
      [1, true, 3],
      [1, true, 4],
      [1, false, null],
    ],
  );
  const keys = unfolded(items, new Set(["worker_dead"])).map((item) => item.key);
  assert.equal(new Set(keys).size, keys.length);
  const many = Array.from({ length: MOST + 5 }, (_, k) => ({ ...row("worker_dead", { worker: k }), item: `worker_dead:${k}` }));
  assert.equal(unfolded(attention(many).items, new Set(["worker_dead"])).length, MOST + 1);
});
