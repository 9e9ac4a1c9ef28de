// The timeline in the browser: the server's bytes come out as the server's rows, in order of time.
import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "../../static/js/trajectory/agtl.js";
import { readRecorded } from "../../static/js/trajectory/feed_recorded.js";
import { Pyramid } from "../../static/js/trajectory/pyramid.js";
import { TimelineRows } from "../../static/js/trajectory/timeline_rows.js";
import { MANY, TimelineSource } from "../../static/js/trajectory/timeline_source.js";
import { packed, packedPyramid, TimelineReader, unpacked } from "../../static/js/trajectory/timeline_thread.js";
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

/** A server of these segments; it remembers what was asked. */
const server = (parts, { sorted = false, generation = 4 } = {}) => {
  const asked = [];
  const get = async (url) => {
    asked.push(url);
    if (url === "/timeline") {
      const listed = parts().map(({ rows, etag }, k) => ({ k, rows: rows.length, etag: etag ?? `e${k}` }));
      return new Response(JSON.stringify({ version: 1, generation, t0: 1000, sorted, kinds: KINDS, segments: listed }));
    }
    return new Response(parts()[Number(/segment=(\d+)/.exec(url)[1])].buffer);
  };
  return { asked, get };
};

test("a timeline is read by its manifest, segment by segment of one generation, and says how far it is", async () => {
  const { asked, get } = server(() => segments);
  const progress = [];
  const { manifest, rows } = await new TimelineSource("/timeline", get).read((done, of) => progress.push(`${done}/${of}`));
  assert.equal(manifest.t0, 1000);
  assert.equal(rows.rows, 1027);
  assert.ok(asked.slice(1).every((url) => url.includes("generation=4")));
  assert.equal(progress.at(-1), "7/7");
});

test("of a run that lives only the segment that changed is read again", async () => {
  let parts = segments.slice(0, 5);
  const { asked, get } = server(() => parts);
  const source = new TimelineSource("/timeline", get);
  assert.equal((await source.read()).rows.rows, 1 + 2 + 7 + 8);
  asked.length = 0;
  parts = [...segments.slice(0, 4), { ...segments[6], etag: "grown" }];
  assert.equal((await source.read()).rows.rows, 1 + 2 + 7 + 1000);
  assert.deepEqual(asked, ["/timeline", "/timeline?segment=4&generation=4&etag=grown"]);
});

test("a run that went on between its manifest and a piece of it is read by its new manifest", async () => {
  const { asked, get } = server(() => segments);
  let moved = 2;
  const moving = async (url) => (url.includes("segment=6") && moved-- > 0 ? new Response("gone", { status: 404 }) : get(url));
  assert.equal((await new TimelineSource("/timeline", moving).read()).rows.rows, 1027);
  assert.equal(asked.filter((url) => url === "/timeline").length, 3);
  const gone = async (url) => (url === "/timeline" ? get(url) : new Response("gone", { status: 404 }));
  await assert.rejects(new TimelineSource("/timeline", gone).read(), /404/);
});

test("what another thread hands over is the same timeline, with its pyramid", async () => {
  const made = await new TimelineSource("/timeline", server(() => segments).get).read();
  const pyramid = Pyramid.of(made.rows, 256);
  const levels = pyramid.levels.map(({ data }) => [...data]);
  const { message, memory } = packed(made, pyramid, true);
  assert.ok(memory.length > COLUMNS.length);
  const given = unpacked(structuredClone(message, { transfer: memory }));
  assert.deepEqual(rowsOf(given.rows), rowsOf(made.rows));
  assert.deepEqual(given.pyramid.levels.map(({ data }) => [...data]), levels);
  assert.equal(made.rows.time.length, made.rows.rows, "what is kept here is still here");
});

test("a reader asks another thread from so many rows on, and says what went wrong there", async () => {
  const big = [{ rows: { length: MANY }, buffer: segments[3].buffer }];
  const told = [];
  const thread = { postMessage: (question) => (told.push(question), queueMicrotask(() => thread.onmessage({ data: { problem: "no room" } }))) };
  await assert.rejects(new TimelineReader("/timeline", server(() => big).get, () => thread).read(), /no room/);
  assert.deepEqual(told.map(({ base, manifest }) => [base, manifest.segments.length]), [["/timeline", 1]]);
  const small = new TimelineReader("/timeline", server(() => segments).get, () => assert.fail("a small one is read here"));
  assert.equal((await small.read()).rows.rows, 1027);
});

test("another thread hands over many rows at once and the pyramid after them, where the page has an overview meanwhile", async () => {
  const big = [{ rows: { length: MANY }, buffer: segments[3].buffer }];
  const made = await new TimelineSource("/timeline", server(() => segments).get).read();
  const finer = packedPyramid(Pyramid.of(made.rows, 256)).message;
  const asked = [];
  const thread = { postMessage: (question) => (asked.push(question), queueMicrotask(() => thread.onmessage({ data: question.finer ? { finer } : packed(made, null, true).message }))) };
  const read = await new TimelineReader("/timeline", server(() => big).get, () => thread).read(() => {}, undefined, true);
  assert.deepEqual([asked.length, asked[0].later, rowsOf(read.rows).length, read.pyramid], [1, true, made.rows.rows, null]);
  assert.deepEqual((await read.finer()).levels.map(({ bins }) => bins), [256]);
});

test("a server that fails is an error that says so", async () => {
  await assert.rejects(new TimelineSource("/timeline", async () => new Response("no", { status: 503 })).read(), /503/);
});

test("the rows of a kind are listed in order of time and found by halving", () => {
  const rows = new TimelineRows(KINDS, segments.map(({ buffer }) => decode(buffer)), false);
  for (const kind of KINDS) {
    const places = rows.ofKind(kind);
    assert.deepEqual([...places], [...rows.kind.keys()].filter((i) => rows.kinds[rows.kind[i]] === kind));
    const middle = rows.time[places[places.length >> 1]];
    const first = rows.fromOf(places, middle);
    assert.ok(rows.time[places[first]] >= middle && (first === 0 || rows.time[places[first - 1]] < middle));
  }
  assert.equal(rows.ofKind("no such kind").length, 0);
});

test("a million rows in order of arrival are sorted in a moment, equal times as they came", () => {
  const count = 1_000_000;
  const time = Int32Array.from({ length: count }, (_, i) => ((i * 48_271) % 21_600_000) - 5000);
  const columns = { rows: count, time, duration: new Int32Array(count), worker: new Uint16Array(count), kind: new Uint8Array(count), n: Int32Array.from({ length: count }, (_, i) => i), flags: new Uint8Array(count) };
  const rows = new TimelineRows(KINDS, [columns], false);
  for (let i = 1; i < count; i++) {
    if (rows.time[i] < rows.time[i - 1] || (rows.time[i] === rows.time[i - 1] && rows.n[i] < rows.n[i - 1])) assert.fail(`row ${i}`);
  }
});

test("a run is shown with its overview while its rows are still on the way, and not at all twice where they came first", async () => {
  const tile = told("overview_log.py")[2].tile;
  const lean = { t0: 1000, generation: 2, settled: true, counts: {}, c: 9, n: 9, tables: {} };
  const get = async (address) => {
    if (address.includes("tile=overview")) return { ok: true, arrayBuffer: async () => new Uint8Array(Buffer.from(tile, "base64")).buffer };
    return { ok: true, json: async () => lean };
  };
  const rows = new TimelineRows(KINDS, [], true);
  const manifest = { t0: 1000, generation: 2, sorted: true, segments: [{ t_max: 5000 }], tiles: [{ name: "statuses", etag: "s" }, { name: "overview", etag: "o" }] };
  const answer = { manifest, rows, pyramid: null, finer: null };
  for (const slow of [true, false]) {
    const early = [];
    let come;
    const reader = { manifest: async () => manifest, read: () => (slow ? new Promise((done) => (come = () => done(answer))) : Promise.resolve(answer)) };
    const found = await readRecorded("/api", get, reader, () => {}, ({ coming, end, pyramid }) => (early.push({ coming, end, alone: pyramid.alone, near: pyramid.level(1) === pyramid.levels[0] }), come()));
    assert.equal(early.length, Number(slow));
    assert.equal(found.coming, false);
    assert.equal(found.pyramid.alone, false, "where the overview is too coarse there are rows by now");
    assert.equal(found.pyramid.level(1), null);
    if (!slow) continue;
    const [{ coming, end, alone, near }] = early;
    assert.ok(coming && alone);
    assert.equal(end, 5, "as far as its rows will go");
    assert.ok(near, "however near one looks, it is all there is");
  }
});
