// How busy a worker was: the same bytes on the server and in the browser, from the pyramid and from the rows, and as pixels.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Heat } from "../../static/js/tracks/heat.js";
import { CODES, Raster, shadesOf, tickShades } from "../../static/js/tracks/raster.js";
import { Pyramid } from "../../static/js/trajectory/pyramid.js";
import { tileOf } from "../../static/js/trajectory/statuses.js";
import { TimelineRows } from "../../static/js/trajectory/timeline_rows.js";
import { told } from "./python.mjs";

const KINDS = ["step", "turn", "claim", "note"];
const TYPES = { time: Int32Array, duration: Int32Array, worker: Uint16Array, kind: Uint8Array, n: Int32Array, flags: Uint8Array };
const rowsOf = (columns) => new TimelineRows(KINDS, [{ rows: columns.time.length, ...Object.fromEntries(Object.entries(TYPES).map(([name, Type]) => [name, Type.from(columns[name])])) }], true);
const runs = told("overview_log.py").map(({ columns, tile }) => ({ rows: rowsOf(columns), tile: tileOf(new Uint8Array(Buffer.from(tile, "base64")).buffer) }));

test("the overview that the server makes is the pyramid that the browser builds", () => {
  for (const { rows, tile: { head, body } } of runs) {
    const pyramid = Pyramid.of(rows, 256);
    const [finest] = pyramid.levels;
    assert.equal(head.workers.length * head.bins, body.length);
    let apart = 0;
    head.workers.forEach((worker, lane) => {
      const own = pyramid.lane(worker) * 256;
      for (let bin = 0; bin < 256; bin++) {
        const [a, b] = [body[lane * 256 + bin], finest.data[own + bin]];
        assert.equal(a & 1, b & 1, `a failed step of worker ${worker} in part ${bin}`);
        assert.ok(Math.abs(a - b) <= 2, `${a} ${b}`);
        apart += Number(a !== b);
      }
    });
    assert.ok(apart <= body.length / 100, "halves may be rounded the other way, and nothing else");
  }
});

const { rows } = runs[2];
const busy = (worker, from, to) => {
  let sum = 0;
  for (const i of rows.ofKind("step")) if (rows.worker[i] === worker) sum += Math.max(0, Math.min(to, rows.time[i] + Math.max(1, rows.duration[i])) - Math.max(from, rows.time[i]));
  return sum;
};

test("a view takes the coarsest level that has a part a pixel, and rows where even the finest is too coarse", () => {
  const pyramid = Pyramid.of(rows, 4096);
  const { width } = pyramid.levels[0];
  assert.equal(pyramid.level(width - 1), null);
  for (const ms of [width, width * 1.9, width * 2, width * 7, width * 1e6]) {
    const found = pyramid.level(ms);
    assert.ok(found.width <= ms && (found.width * 2 > ms || found === pyramid.levels.at(-1)));
  }
  assert.deepEqual(pyramid.levels.map(({ bins }) => bins), [4096, 2048, 1024, 512, 256]);
});

test("heat from the pyramid and heat from the rows are the share of a pixel spent in steps", () => {
  const width = 300;
  for (const pyramid of [Pyramid.of(rows, 4096), null]) {
    for (const view of [{ a: 0, b: 3600 }, { a: 600, b: 900 }]) {
      const heat = Heat.of(rows, pyramid, view, width);
      const out = new Uint8Array(width);
      assert.ok(heat.row(40, out));
      const ms = ((view.b - view.a) * 1000) / width;
      const sum = out.reduce((total, byte) => total + (byte >> 1) / 127, 0);
      let real = 0;
      for (let x = 0; x < width; x++) real += Math.min(1, busy(40, view.a * 1000 + x * ms, view.a * 1000 + (x + 1) * ms) / ms);
      assert.ok(Math.abs(sum - real) <= 0.06 * width, `${sum} ${real}`);
      assert.equal(heat.row(9999, out), false, "a worker that took no step has no heat");
    }
  }
});

const COLOURS = Object.fromEntries(Object.values(CODES).map((code) => [code, [code * 10, code, 0]]));
const shades = shadesOf(COLOURS, [255, 255, 255], false);
const drawn = (width, height, paint) => {
  const pixels = new Uint32Array(width * height);
  paint(new Raster(pixels, width, { a: 0, b: width }, shades));
  const codes = new Map([[0, 0], ...Object.values(CODES).slice(1).map((code) => [shades[code * 256], code])]);
  return Array.from({ length: height }, (_, y) => [...pixels.subarray(y * width, (y + 1) * width)].map((pixel) => codes.get(pixel)).join(""));
};
const span = (start, end, outcome) => ({ start, end, outcome });

test("a thin lane is pixels: there from when it joined, spans by outcome, an end cap where it failed, a gap where it landed", () => {
  const [line] = drawn(20, 1, (raster) => raster.lane(0, 1, { joined: 2, left: 18 }, [span(3, 7, "landed"), span(8, 12, "failed"), span(13, 14, "idle")], null));
  assert.equal(line, "00133311555712111100");
});

test("lanes that share a row of pixels show the rarest outcome there, and none is dropped", () => {
  const lanes = [[{ joined: 0, left: 10 }, [span(0, 10, "landed")]], [{ joined: 0, left: 10 }, [span(4, 5, "failed")]], [{ joined: 0, left: 10 }, []]];
  const [line] = drawn(10, 1, (raster) => lanes.forEach(([lane, spans], k) => raster.lane(k / 3, (k + 1) / 3, lane, spans, null)));
  assert.equal(line, "3333533331");
});

test("a folded group is as high as its lanes that held what, and empty where nobody had joined", () => {
  const lanes = Array.from({ length: 4 }, (_, k) => ({ worker: k, joined: k * 2, left: null }));
  const spans = (worker) => (worker < 2 ? [span(4, 10, "landed")] : worker === 2 ? [span(6, 10, "failed")] : []);
  const lines = drawn(10, 4, (raster) => raster.group(0, 4, lanes, spans, () => false));
  assert.deepEqual(lines, ["0000001111", "0000115555", "0011333333", "1111333333"]);
});

test("ticks are darker where more of the time went into steps, red where one failed, nothing where none was taken", () => {
  const ticks = tickShades([0, 0, 0], [200, 0, 0]);
  assert.equal(ticks[0], 0);
  assert.ok(ticks[254] >>> 24 > ticks[2] >>> 24);
  assert.equal(ticks[255] & 255, 200);
});

const made = (count, row) => {
  const columns = Object.fromEntries(Object.keys(TYPES).map((name) => [name, []]));
  for (let i = 0; i < count; i++) for (const [name, value] of Object.entries({ time: 0, duration: 0, worker: 1, kind: 0, n: i, flags: 0, ...row(i) })) columns[name].push(value);
  return rowsOf(columns);
};

test("one worker with a million steps, all events in one second and 65,535 workers have heat like others", () => {
  const long = made(1_000_000, (i) => ({ time: i * 20, duration: 10 }));
  const out = new Uint8Array(100);
  const heat = Heat.of(long, Pyramid.of(long), { a: 0, b: 20_000 }, 100);
  assert.ok(heat.row(1, out) && out.every((byte) => Math.abs((byte >> 1) / 127 - 0.5) < 0.05), "half of every pixel is work");
  const burst = made(5_000, (i) => ({ time: 700 + (i % 900), worker: 1 + (i % 50) }));
  assert.ok(Heat.of(burst, Pyramid.of(burst), { a: 0, b: 2 }, 100).row(50, out) && out.slice(36, 79).some((byte) => byte > 0));
  const crowd = made(65_535, (i) => ({ time: i, duration: 5, worker: i + 1 }));
  const pyramid = Pyramid.of(crowd, 16);
  assert.ok(pyramid.lane(1) >= 0 && pyramid.lane(65_535) >= 0);
});
