// Seconds and pixels, times in words, and the cursor of a replay.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, duration, since } from "../../static/js/lib/format_time.js";
import { TimeScale } from "../../static/js/lib/time_scale.js";
import { Player, SPEEDS } from "../../static/js/trajectory/player.js";

test("a second keeps its pixel while one zooms at it", () => {
  let scale = new TimeScale(0, 21_600, 132, 1050);
  for (const factor of [0.8, 0.8, 0.5, 1.25, 0.3]) {
    const before = scale.x(9000);
    scale = scale.zoomed(factor, 9000);
    assert.ok(Math.abs(scale.x(9000) - before) < 1e-6);
  }
});

test("no zoom or pan leaves the run, or shows less than half a second", () => {
  const whole = new TimeScale(0, 240, 0, 800);
  for (const moved of [whole.zoomed(50, 10), whole.panned(3), whole.panned(-3), whole.showing(-100, 900)]) {
    assert.ok(moved.a >= 0 && moved.b <= 240 + 1e-9);
  }
  let near = whole;
  for (let k = 0; k < 60; k++) near = near.zoomed(0.5, 240);
  assert.ok(near.span >= 0.5 && near.b <= 240 + 1e-9);
});

test("pixels and seconds are each other's inverse", () => {
  const scale = new TimeScale(30, 90, 132, 900);
  for (const t of [30, 31.5, 60, 90]) assert.ok(Math.abs(scale.t(scale.x(t)) - t) < 1e-9);
});

test("ticks are round and never closer than asked", () => {
  for (const span of [1, 17, 240, 3600, 21_600, 90_000]) {
    const scale = new TimeScale(0, span, 0, 900);
    const ticks = scale.ticks(62);
    assert.ok(ticks.length >= 1 && ticks.length <= 16, `${span}: ${ticks.length}`);
    for (let k = 1; k < ticks.length; k++) assert.ok(scale.x(ticks[k]) - scale.x(ticks[k - 1]) >= 61.999);
  }
});

test("times read as people write them, and the unknown is never zero", () => {
  assert.equal(clock(128), "02:08");
  assert.equal(clock(21_492), "5:58:12");
  assert.equal(clock(128.46, { tenths: true }), "02:08.4");
  assert.equal(clock(-3), "-00:03");
  assert.equal(clock(null), "---");
  assert.equal(clock(NaN), "---");
  assert.equal(duration(0.85), "850 ms");
  assert.equal(duration(200), "3 min 20 s");
  assert.equal(duration(7500), "2 h 5 min");
  assert.equal(duration(undefined), "unknown");
  assert.equal(since("2026-11-29T17:00:04.000Z", Date.parse("2026-11-29T17:00:00Z")), 4);
  assert.equal(since(null, 0), null);
  assert.equal(since("2026-11-29T17:00:04.000Z", null), null);
});

test("a replay plays at its speed, ends at the end, and starts again from there", () => {
  for (const speed of SPEEDS) {
    const player = new Player(21_600);
    player.speed = speed;
    player.toggle();
    player.tick(5000);
    assert.equal(player.at, 0, "the first tick only starts the watch");
    player.tick(5100);
    assert.ok(Math.abs(player.at - speed * 0.1) < 1e-9);
  }
  const player = new Player(10, 9.9);
  player.speed = 600;
  player.toggle();
  player.tick(0);
  player.tick(1000);
  assert.equal(player.at, 10);
  assert.equal(player.playing, false);
  player.toggle();
  assert.equal(player.at, 0);
  assert.equal(player.playing, true);
});

test("a paused replay does not move, and the pause is not made up for", () => {
  const player = new Player(100);
  assert.equal(player.tick(1), false);
  player.toggle();
  player.tick(0);
  player.toggle();
  player.toggle();
  player.tick(60_000);
  player.tick(60_100);
  assert.ok(player.at <= 1 + 1e-9);
  player.seek(-4);
  assert.equal(player.at, 0);
  player.seek(1e9);
  assert.equal(player.at, 100);
});
