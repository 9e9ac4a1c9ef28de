// The timeline in the browser: the server's bytes come out as the server's rows, in order of time.
import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "../../static/js/trajectory/agtl.js";
import { readTimeline, TimelineRows } from "../../static/js/trajectory/timeline_rows.js";
import { told } from "./python.mjs";

const COLUMNS = ["time", "duration", "worker", "kind", "n", "flags"];
const KINDS = ["step", "turn", "claim", "note", "message", "pull", "review", "merge", "failure", "recovery"];

const segments = told("agtl_segments.py").map(({ rows, bytes }) => ({ rows, buffer: new Uint8Array(Buffer.from(bytes, "base64")).buffer }));
const rowsOf = (columns) => Array.from({ length: columns.rows }, (_, i) => COLUMNS.map((name) => columns[name][i]));

test("every row the server wrote is read, with each column's corners", () => {
  for (const { rows, buffer } of segments) assert.deepEqual(rowsOf(decode(buffer)), rows);
});

test("what is not a segment is refused in words, not drawn", () => {
  const good = segments[3].buffer;
  const changed = (place, value) => {
    const bytes = new Uint8Array(good.slice(0));
    bytes[place] = value;
    return bytes.buffer;
  };
  assert.throws(() => decode(new ArrayBuffer(0)), /not a timeline segment/);
  assert.throws(() => decode(changed(0, 66)), /not a timeline segment/);
  assert.throws(() => decode(changed(4, 9)), /version 9/);
  assert.throws(() => decode(changed(13, 77)), /unknown encoding 77/);
  assert.throws(() => decode(changed(12, 55)), /no column time/);
});

test("segments in order of arrival become one timeline in order of time", () => {
  const rows = new TimelineRows(KINDS, segments.map(({ buffer }) => decode(buffer)), false);
  assert.equal(rows.rows, segments.reduce((sum, segment) => sum + segment.rows.length, 0));
  for (let i = 1; i < rows.rows; i++) assert.ok(rows.time[i - 1] <= rows.time[i]);
  const sorted = (list) => list.map(String).sort();
  assert.deepEqual(sorted(rowsOf(rows)), sorted(segments.flatMap((segment) => segment.rows)), "no row is lost or mixed with another");
});

test("counts and the longest span of each kind are known without reading the rows again", () => {
  const all = segments.flatMap((segment) => segment.rows);
  const rows = new TimelineRows(KINDS, segments.map(({ buffer }) => decode(buffer)), false);
  KINDS.forEach((_, kind) => {
    const own = all.filter((row) => row[3] === kind);
    assert.equal(rows.counts[kind], own.length);
    assert.equal(rows.longest[kind], Math.max(0, ...own.map((row) => row[1])));
  });
});

test("the first row at or after a moment is found by halving", () => {
  const rows = new TimelineRows(KINDS, [decode(segments[6].buffer)], false);
  for (const ms of [-1e9, rows.time[0], rows.time[500], rows.time[500] + 1, 1e9]) {
    const first = [...rows.time].findIndex((at) => at >= ms);
    assert.equal(rows.from(ms), first === -1 ? rows.rows : first);
  }
});

test("a run without rows is a timeline without rows", () => {
  const rows = new TimelineRows(KINDS, [], true);
  assert.equal(rows.rows, 0);
  assert.equal(rows.from(0), 0);
});

test("a timeline is read by its manifest, segment by segment of one generation, and says how far it is", async () => {
  const asked = [];
  const get = async (url) => {
    asked.push(url);
    if (url === "/timeline") {
      const parts = segments.map((segment, k) => ({ k, rows: segment.rows.length }));
      return new Response(JSON.stringify({ version: 1, generation: 4, t0: 1000, sorted: false, kinds: KINDS, segments: parts }));
    }
    return new Response(segments[Number(/segment=(\d+)/.exec(url)[1])].buffer);
  };
  const progress = [];
  const { manifest, rows } = await readTimeline("/timeline", get, (done, of) => progress.push(`${done}/${of}`));
  assert.equal(manifest.t0, 1000);
  assert.equal(rows.rows, 1027);
  assert.ok(asked.slice(1).every((url) => url.includes("generation=4")));
  assert.equal(progress.at(-1), "7/7");
});

test("a server that fails is an error that says so", async () => {
  await assert.rejects(readTimeline("/timeline", async () => new Response("no", { status: 503 })), /503/);
});
