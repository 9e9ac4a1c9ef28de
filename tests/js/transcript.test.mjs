// A transcript in the browser: terminal colours without their dangers, diffs, chunks to scroll by, the next failure.
import assert from "node:assert/strict";
import { test } from "node:test";

import { lineDiff } from "../../static/js/lib/line_diff.js";
import { runsOf } from "../../static/js/lib/terminal.js";
import { chunkAt, chunksOf, failuresOf, ITEMS, lineOf, movesOf, nextPlace, placeOf } from "../../static/js/trajectory/transcript.js";

const turn = (life, number, first, last, failed = []) => ({ life, turn: number, first, last, failed, steps: 10, chars: 0, moves: 0 });

test("colours become classes, and text stays text", () => {
  assert.deepEqual(runsOf("\x1b[1;31mFAIL\x1b[0m ok"), [{ text: "FAIL", classes: ["tf-1", "t-bold"] }, { text: " ok", classes: [] }]);
  assert.deepEqual(runsOf("<b>\x1b[32mx"), [{ text: "<b>", classes: [] }, { text: "x", classes: ["tf-2"] }]);
});

test("any of 256 or of 16 million colours becomes one of sixteen", () => {
  assert.deepEqual(runsOf("\x1b[38;5;196mx")[0].classes, ["tf-1"]);
  assert.deepEqual(runsOf("\x1b[38;2;255;255;255;48;5;21mx")[0].classes, ["tf-15", "tb-4"]);
  assert.match(runsOf("\x1b[38;5;99999mx")[0].classes[0], /^tf-\d+$/);
});

test("what is not colour stays to be shown as a sign", () => {
  for (const bad of ["\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07", "\x1b[2J\x1b[H", "\x1b]0;title\x07"]) {
    assert.equal(runsOf(bad).map((run) => run.text).join(""), bad);
  }
});

test("a line written over shows what a terminal would show last", () => {
  assert.equal(runsOf("10%\r50%\r100%\ndone\r\n").map((run) => run.text).join(""), "100%\ndone\n");
  assert.equal(runsOf("abc\b\bd").map((run) => run.text).join(""), "ad");
});

test("a change has the lines around it and says how many it leaves out", () => {
  const before = Array.from({ length: 20 }, (_, k) => `line ${k + 1}`).join("\n") + "\n";
  const lines = lineDiff(before, before.replace("line 10\n", "line ten\nand more\n"));
  assert.deepEqual(lines.map((line) => line.sign).join(""), "@   -++   @");
  assert.deepEqual(lines.filter((line) => line.sign === "+").map((line) => [line.new, line.text]), [[10, "line ten"], [11, "and more"]]);
  assert.equal(lines[0].text, "6 lines unchanged");
});

test("what is put in and taken out gives one text from the other", () => {
  for (const [a, b] of [["", "x\n"], ["x\n", ""], ["a\nb\nc", "c\nb\na"], ["same\n", "same\n"], ["a\n".repeat(3000), "b\n".repeat(3000)]]) {
    const lines = lineDiff(a, b);
    const side = (sign) => lines.filter((line) => line.sign === " " || line.sign === sign).map((line) => line.text);
    if (lines.some((line) => line.sign === "@")) continue;
    const strip = (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
    assert.deepEqual(side("-"), strip(a));
    assert.deepEqual(side("+"), strip(b));
  }
});

test("chunks hold every item of every turn once, in order", () => {
  const turns = [turn(1, 0, 1, 5), turn(1, 1, 6, 1000), turn(2, 1, 1, 130)];
  const chunks = chunksOf(turns);
  const items = chunks.flatMap((chunk) => Array.from({ length: chunk.last - chunk.first + 1 }, (_, k) => `${chunk.life}-${chunk.first + k}`));
  assert.equal(items.length, 1130);
  assert.equal(new Set(items).size, 1130);
  assert.ok(chunks.every((chunk) => chunk.last - chunk.first < ITEMS && chunk.height > 0));
  assert.equal(chunkAt(chunks, [1, 700]).first, 606);
  assert.equal(chunkAt(chunks, [2, 9999]).life, 2);
});

test("the next failure comes after the reader, and after the last the first again", () => {
  const failures = failuresOf([turn(2, 1, 1, 90, [40, 7]), turn(1, 1, 1, 90, [60])]);
  assert.deepEqual(failures, [[1, 60], [2, 7], [2, 40]]);
  assert.deepEqual(nextPlace(failures, [1, 60], 1), [2, 7]);
  assert.deepEqual(nextPlace(failures, [2, 40], 1), [1, 60]);
  assert.deepEqual(nextPlace(failures, [1, 60], -1), [2, 40]);
  assert.equal(nextPlace([], [0, 0], 1), null);
});

test("a place is life and item, and nothing else", () => {
  assert.deepEqual(placeOf("2-1201"), [2, 1201]);
  for (const bad of [null, "", "2", "2-", "-1", "2-x", "2-1-1"]) assert.equal(placeOf(bad), null);
});

test("a step in one line says its command, its title or its arguments", () => {
  assert.equal(lineOf({ tool: "shell", title: "(", args: { command: "(\nset -e\ncd rill\nmake test\n) 2>&1\ncode=$?" } }), "make test");
  assert.equal(lineOf({ tool: "Edit", title: "Edit a.py", args: {} }), "Edit a.py");
  assert.equal(lineOf({ tool: "board_write", title: "board_write", args: { type: "CLAIM", text: "paste" } }), "type CLAIM · text paste");
});

test("moves of one feed to one state are told together", () => {
  const moves = [1, 2, 3].map((n) => ({ feed: "board", state: "stored", from: n, upto: n, count: 1, via: "feed" }));
  const [one, other] = movesOf([...moves, { feed: "board", state: "shown", from: 1, upto: 3, via: "turn" }]);
  assert.deepEqual([one.from, one.upto, one.count], [1, 3, 3]);
  assert.deepEqual([other.state, other.count], ["shown", 3]);
});
