// Finding one's way in a run: links to a moment, the next mark, words, highlights, folded groups.
import assert from "node:assert/strict";
import { test } from "node:test";

import { readMoment, writeMoment } from "../../static/js/lib/address.js";
import { activity, BINS } from "../../static/js/tracks/activity.js";
import { highlights } from "../../static/js/tracks/highlights.js";
import { foldedAtFirst } from "../../static/js/tracks/lanes.js";
import { markOf, neighbour, takeOvers } from "../../static/js/tracks/marks.js";
import { matching, textsOf } from "../../static/js/tracks/search.js";
import { TimelineRows } from "../../static/js/trajectory/timeline_rows.js";

const KINDS = ["step", "turn", "claim", "note", "message", "pull", "review", "merge", "failure", "recovery"];
/** Rows given as [seconds, length, worker, kind, n]. */
const rowsOf = (list) => {
  const column = (k, scale = 1) => list.map((row) => row[k] * scale);
  return new TimelineRows(KINDS, [{
    rows: list.length, time: Int32Array.from(column(0, 1000)), duration: Int32Array.from(column(1, 1000)), worker: Uint16Array.from(column(2)),
    kind: Uint8Array.from(list.map((row) => KINDS.indexOf(row[3]))), n: Int32Array.from(column(4)), flags: new Uint8Array(list.length),
  }], true);
};
const mark = (id, kind, t, worker = 1, label = kind) => ({ id, kind, t, worker, table: "pulls", key: 7, label });

test("a link names a second, lanes, an event and a zoom, and reads back as it was written", () => {
  for (const moment of [{ t: 13_632, w: [743, 118], ev: "withdrawn:7.2.1", span: 4800 }, { t: 0, w: [], ev: null, span: null }]) {
    assert.deepEqual(readMoment(writeMoment(moment)), moment);
  }
  assert.equal(writeMoment({ t: 12.34567, w: [], ev: "merge:7", span: null }), "?t=12.346&ev=merge:7");
});

test("a broken link opens the run instead of an error", () => {
  assert.deepEqual(readMoment("?t=abc&w=1,x,-3,1,70000&ev=&span=-1"), { t: null, w: [1], ev: null, span: null });
  assert.deepEqual(readMoment(""), { t: null, w: [], ev: null, span: null });
  assert.equal(readMoment(`?w=${Array.from({ length: 99 }, (_, k) => k + 1)}`).w.length, 12);
});

const marks = [mark("merge:1", "merge", 10), mark("failure:2", "failure", 20, 4), mark("merge:3", "merge", 30)];
const rows = rowsOf([[5, 0, 2, "note", 51], [15, 0, 3, "pull", 52], [25, 4, 3, "step", 53], [28, 0, 2, "note", 54]]);

test("the next mark is the nearest of the kinds that are drawn, be it a meaning or a row", () => {
  const all = new Set(["merge", "failure", "note", "pull"]);
  const walk = (kinds, from, by) => {
    const seen = [];
    for (let t = from, found; (found = neighbour(marks, rows, kinds, t, by)); t = found.t) seen.push(found.id);
    return seen;
  };
  assert.deepEqual(walk(all, 0, 1), ["n:51", "merge:1", "n:52", "failure:2", "n:54", "merge:3"]);
  assert.deepEqual(walk(all, 99, -1), ["merge:3", "n:54", "failure:2", "n:52", "merge:1", "n:51"]);
  assert.deepEqual(walk(new Set(["failure"]), 0, 1), ["failure:2"]);
  assert.deepEqual(walk(new Set(), 0, 1), []);
});

test("marks of one moment are stepped through one by one, the same ones forward and back", () => {
  const crowd = [mark("merge:1", "merge", 10), ...[4, 5, 6].map((worker) => mark(`failure:${worker}`, "failure", 20, worker)), mark("recovery:4", "recovery", 20.001), mark("merge:3", "merge", 30)];
  const busy = rowsOf([[20, 0, 2, "note", 51], [20, 0, 3, "pull", 52], [20.002, 0, 3, "note", 53]]);
  const walk = (kinds, from, by, worker = null) => {
    const seen = [];
    for (let t = from, at = null; (at = neighbour(crowd, busy, new Set(kinds), t, by, worker, at)); t = at.t) seen.push(at.id);
    return seen;
  };
  const all = ["merge", "failure", "recovery", "note", "pull"];
  const order = ["merge:1", "failure:4", "failure:5", "failure:6", "n:51", "n:52", "recovery:4", "n:53", "merge:3"];
  assert.deepEqual(walk(all, 0, 1), order);
  assert.deepEqual(walk(all, 99, -1), order.toReversed());
  assert.deepEqual(walk(["failure"], 0, 1), ["failure:4", "failure:5", "failure:6"]);
  assert.deepEqual(walk(["failure", "note"], 0, 1, 5), ["failure:5"]);
  assert.equal(neighbour(crowd, busy, new Set(["recovery"]), 20, 1, null, crowd[1]).id, "recovery:4", "another kind than what is selected");
});

test("a link's event is found again, and one that does not exist is none", () => {
  assert.equal(markOf(marks, rows, "failure:2"), marks[1]);
  assert.equal(markOf(marks, rows, "n:52").t, 15);
  assert.equal(markOf(marks, rows, "n:53").kind, "step", "a step stepped to is an event like others");
  for (const id of [null, "", "n:999", "merge:99", "n:1 or 1"]) assert.equal(markOf(marks, rows, id), null);
});

test("words find lanes by worker, claim, note, pull and mark; all words must be met", () => {
  const lanes = [{ worker: 1, name: "w0001", node: "node 01", role: "integrator", status: "working" }, { worker: 2, name: "w0002", node: "node 02", role: "no role", status: "dead" }];
  const tables = { notes: { 9: { worker: 2, type: "FAIL", text: "Empty last field lost" }, 10: { worker: 1, type: "INFO", text: "node 02 is slow" } }, pulls: { 7: { number: 7, author: 1, title: "join fields" } } };
  const texts = textsOf(lanes, [{ worker: 1, key: "5", label: "sort -k" }], [mark("x", "withdrawn", 3, 2, "Approval of #7 withdrawn")], tables);
  const found = (words) => lanes.filter(matching(texts, words)).map((lane) => lane.worker);
  assert.deepEqual(found("sort"), [1]);
  assert.deepEqual(found("fail FIELD"), [2]);
  assert.deepEqual(found("#7"), [1, 2]);
  assert.deepEqual(found("node 02 dead"), [2]);
  assert.deepEqual(found("Node 02"), [2], "a node's own lanes, not who speaks of it");
  assert.deepEqual(found("02 slow"), [1]);
  assert.deepEqual(found("  "), [1, 2]);
  assert.deepEqual(found("nobody"), []);
});

test("highlights are the first of each rarer kind, with how many there are", () => {
  assert.deepEqual(highlights(marks).map(({ mark: one, count }) => [one.id, count]), [["failure:2", 1], ["merge:1", 2]]);
  assert.deepEqual(highlights([]), []);
});

test("a take-over is drawn from the lost lane to the peer's, and only when both are workers", () => {
  const zero = Date.parse("2026-11-29T17:00:00Z");
  const at = (seconds) => new Date(zero + seconds * 1000).toISOString();
  const recoveries = [
    { from_worker: 4, to_worker: 7, lost_at: at(81), taken_over_at: at(97) },
    { from_worker: 4, to_worker: null, lost_at: at(90), taken_over_at: null },
  ];
  assert.deepEqual(takeOvers({ recoveries }, zero), [{ from: { t: 81, worker: 4 }, to: { t: 97, worker: 7 } }]);
});

test("a worker counts once in each part of the run it was at work in", () => {
  const counts = activity(rowsOf([[0, 50, 1, "turn", 1], [0, 10, 1, "step", 2], [25, 25, 2, "step", 3], [60, 0, 3, "note", 4]]), 100);
  assert.equal(counts.length, BINS);
  assert.equal(counts[0], 1);
  assert.equal(counts[Math.floor(BINS * 0.3)], 2);
  assert.equal(counts[Math.floor(BINS * 0.7)], 0);
});

test("a small team starts unfolded; of a large one the node with most integrators is open", () => {
  const team = (count, nodes) => Array.from({ length: count }, (_, k) => ({ worker: k + 1, node: `node ${(k % nodes) + 1}`, role: k % nodes === 6 ? "integrator" : "no role" }));
  assert.equal(foldedAtFirst(team(8, 2), 500).size, 0);
  assert.equal(foldedAtFirst(team(1024, 1), 500).size, 0, "one node cannot be folded away");
  const folded = foldedAtFirst(team(1024, 16), 500);
  assert.equal(folded.size, 15);
  assert.ok(!folded.has("node 7"));
});
