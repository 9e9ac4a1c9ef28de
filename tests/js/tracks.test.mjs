// What a State looks like on the timeline: claims as spans, moments as marks, workers as lanes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { claimSpans } from "../../static/js/tracks/claims.js";
import { claimed, lanesOf, layOut } from "../../static/js/tracks/lanes.js";
import { MARK_KINDS, MEANT, meaningMarks } from "../../static/js/tracks/marks.js";

const ZERO = Date.parse("2026-11-29T17:00:00Z");
const at = (seconds) => new Date(ZERO + seconds * 1000).toISOString();

test("a claim is a span from opening until it was held no more, a live one up to now, and its end has a shape", () => {
  const rows = [
    { claim: 9, worker: 4, status: "recovered", opened_at: at(38), held_until: at(81), closed_at: at(119), text: "fold: wrap at width" },
    { claim: 5, worker: 3, status: "landed", opened_at: at(16), held_until: at(74), closed_at: at(74), text: "Claiming: sort -k, -n" },
    { claim: 14, worker: 7, status: "live", opened_at: at(97), closed_at: null, text: "taking over fold" },
    { claim: 6, worker: 6, status: "released", opened_at: at(21), held_until: at(29), closed_at: at(29), text: "sort" },
    { claim: 11, worker: 8, status: "landed", opened_at: at(40), held_until: at(60), closed_at: at(99), text: "join" },
    { claim: 2, worker: null, status: "live", opened_at: at(3), closed_at: null, text: "by an outsider" },
  ];
  const spans = claimSpans(rows, ZERO, 128);
  assert.deepEqual(spans.map(({ key, start, end, outcome, label }) => [key, start, end, outcome, label]), [
    ["5", 16, 74, "landed", "sort -k, -n"],
    ["6", 21, 29, "idle", "sort"],
    ["9", 38, 81, "failed", "fold: wrap at width"],
    ["11", 40, 60, "failed", "join"],
    ["14", 97, 128, "live", "fold"],
  ]);
});

test("merges, lost claims, recoveries, withdrawn approvals, deaths and roles are marks, in order of time", () => {
  const marks = meaningMarks(
    {
      pulls: { 7: { number: 7, title: "join", author: 5, merged_by: 1, merged_at: at(110) }, 8: { number: 8, title: "open", author: 2, merged_at: null } },
      reviews: {
        "7.2.1": { review: "7.2.1", pull: 7, reviewer: 2, verdict: "approved", status: "withdrawn", withdrawn_at: at(109) },
        "7.3.1": { review: "7.3.1", pull: 7, reviewer: 3, verdict: "changes_requested", status: "withdrawn", withdrawn_at: at(60) },
      },
      recoveries: { 9: { recovery: 9, from_claim: 9, from_worker: 4, to_worker: 7, cause: "crashed", lost_at: at(81), taken_over_at: at(97) } },
      workers: { 4: { worker: 4, status: "dead", ended_at: at(80), end_reason: "exit 137" }, 5: { worker: 5, status: "ended", ended_at: at(200) } },
      roles: { "1:integrator:x": { span: "1:integrator:x", worker: 1, role: "integrator", since: at(74) } },
    },
    ZERO,
  );
  assert.deepEqual(marks.map(({ kind, t, worker }) => [kind, t, worker]), [
    ["integrator", 74, 1],
    ["failure", 80, 4],
    ["failure", 81, 4],
    ["recovery", 97, 7],
    ["withdrawn", 109, 2],
    ["merge", 110, 1],
  ]);
  assert.equal(new Set(marks.map(({ id }) => id)).size, marks.length, "a link can name each of them");
  for (const { kind } of marks) assert.ok(kind in MARK_KINDS && MEANT.includes(kind));
});

test("an empty State draws nothing and fails nowhere", () => {
  assert.deepEqual(meaningMarks({}, ZERO), []);
  assert.deepEqual(lanesOf({}, ZERO), []);
  assert.deepEqual(claimSpans([], ZERO, 0), []);
});

const team = (count, nodes) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, k) => [
      k + 1,
      { worker: k + 1, name: `w${String(k + 1).padStart(4, "0")}`, node: `node${String((k % nodes) + 1).padStart(2, "0")}`, steps: (k * 7) % 13, joined_at: at(count - k), status: "working" },
    ]),
  );
const wish = (more = {}) => ({ grouping: "node", order: "number", pinned: [], closed: new Set(), room: 600, filter: () => true, ...more });

test("eight workers of one node are one open group without a heading", () => {
  const lanes = lanesOf({ workers: team(8, 1) }, ZERO);
  const { groups, place } = layOut(lanes, wish());
  assert.equal(groups.length, 1);
  assert.equal(place.size, 8);
  const tops = lanes.map((lane) => place.get(lane.worker).y);
  for (let k = 1; k < 8; k++) assert.ok(tops[k] - tops[k - 1] >= 10, "lanes do not overlap");
});

test("1,024 lanes of 16 nodes fit a window with one node open, and every lane has its place", () => {
  const lanes = lanesOf({ workers: team(1024, 16) }, ZERO);
  const names = [...new Set(lanes.map((lane) => lane.node))];
  const { groups, place, height } = layOut(lanes, wish({ closed: new Set(names.filter((name) => name !== "node07")), room: 700 }));
  assert.equal(groups.length, 16);
  assert.equal(groups.filter((group) => group.open).length, 1);
  assert.equal(place.size, 1024);
  assert.ok(height <= 720, String(height));
  for (let k = 1; k < groups.length; k++) assert.ok(groups[k].y >= groups[k - 1].y + groups[k - 1].height);
});

test("the height of lanes is asked for no further than it changes anything", () => {
  const lanes = lanesOf({ workers: team(8, 1) }, ZERO);
  const height = (zoom) => layOut(lanes, wish({ zoom })).groups[0].laneHeight;
  const [least, most] = layOut(lanes, wish()).zooms;
  assert.equal(height(most), height(most * 2));
  assert.ok(height(most / 1.5) < height(most));
  assert.ok(height(least) < height(1));
});

test("pinned lanes stand on top, and orders order", () => {
  const lanes = lanesOf({ workers: team(8, 2) }, ZERO);
  const { pinned, place } = layOut(lanes, wish({ pinned: [5, 99] }));
  assert.deepEqual(pinned.map(({ lane }) => lane.worker), [5]);
  assert.equal(place.get(5).y, pinned[0].y);
  const first = (order) => layOut(lanes, wish({ grouping: "none", order })).groups[0].lanes.map((lane) => lane.worker);
  assert.deepEqual(first("number"), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(first("join"), [8, 7, 6, 5, 4, 3, 2, 1]);
  const steps = first("activity").map((worker) => lanes[worker - 1].steps);
  assert.deepEqual(steps, [...steps].sort((a, b) => b - a));
});

test("a filter leaves only the lanes asked for, and none is no error", () => {
  const lanes = lanesOf({ workers: team(8, 2) }, ZERO);
  assert.deepEqual(layOut(lanes, wish({ filter: (lane) => lane.worker === 3 })).groups.map((group) => group.lanes.length), [1]);
  assert.deepEqual(layOut(lanes, wish({ filter: () => false })).groups, []);
});

test("1,025 lanes in one group are all there: what does not fit is scrolled to, the last as well as the first", () => {
  const lanes = lanesOf({ workers: team(1025, 1) }, ZERO);
  const first = layOut(lanes, wish({ grouping: "none", room: 600 }));
  assert.equal(first.place.size, 1025);
  assert.ok(first.height > 600 && first.scroll === 0);
  const last = layOut(lanes, wish({ grouping: "none", room: 600, scroll: 1e9 }));
  const { y, height } = last.place.get(1025);
  assert.ok(y + height <= 601 && y > 500, `${y}`);
  const low = layOut(lanes, wish({ grouping: "none", room: 600, zoom: 0.2 }));
  assert.ok(low.height <= 600, "made lower, every lane is seen at once");
});

test("lanes are grouped by what their workers hold at a second", () => {
  const lanes = lanesOf({ workers: team(3, 1) }, ZERO);
  const spans = new Map([[1, [{ start: 0, end: 50, label: "lexer: numbers" }]], [2, [{ start: 10, end: 90, label: "lexer: names" }, { start: 90, end: 99, label: "parser: calls" }]]]);
  const at = (t) => layOut(claimed(lanes, (worker) => spans.get(worker) ?? [], t), wish({ grouping: "claim" })).groups.map(({ name, lanes: own }) => [name, own.length]);
  assert.deepEqual(at(20), [["lexer", 2], ["no claim", 1]]);
  assert.deepEqual(at(95), [["no claim", 2], ["parser", 1]]);
});
