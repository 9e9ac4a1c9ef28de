// The browser folds what Python folded: equal tables and an equal hash, from the start, from a keyframe, with repeats.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { canonical, Fold, hashLines } from "../../static/js/trajectory/fold.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const python = [process.env.PYTHON, `${root}.venv/bin/python`, "python3"].find((path) => path && (path === "python3" || existsSync(path)));
const logs = JSON.parse(
  execFileSync(python, [`${root}tests/js/fold_log.py`, "1", "2", "3", "4", "5"], { cwd: root, maxBuffer: 1 << 28 }).toString(),
);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

test("a run folded from its first change gives the State of the server", async () => {
  for (const log of logs) {
    const fold = new Fold();
    assert.equal(fold.apply(log.changes).missing, null);
    assert.equal(await fold.hash(sha256), log.hash);
    assert.equal(await fold.hash(), log.hash, "WebCrypto agrees");
  }
});

test("a browser that starts at a keyframe ends where the others do", async () => {
  for (const { changes, keyframe, hash } of logs) {
    const fold = new Fold();
    fold.load(keyframe.tables, keyframe.c);
    fold.apply(changes);
    assert.equal(await fold.hash(sha256), hash);
  }
});

test("a browser that was told of late events ends where the others do", async () => {
  for (const { late, hash } of logs) {
    const fold = new Fold();
    fold.apply(late);
    assert.equal(await fold.hash(sha256), hash);
  }
});

test("changes told twice change nothing", async () => {
  const { changes, hash } = logs[0];
  const fold = new Fold();
  for (let start = 0; start < changes.length; start += 7) {
    fold.apply(changes.slice(Math.max(0, start - 20), start + 7));
    fold.apply(changes.slice(start, start + 7));
  }
  assert.equal(await fold.hash(sha256), hash);
});

test("a gap stops the fold and says where to read on", () => {
  const { changes } = logs[0];
  const fold = new Fold();
  fold.apply(changes.slice(0, 5));
  const { missing, touched } = fold.apply(changes.slice(7, 9));
  assert.equal(missing, 6);
  assert.equal(touched.size, 0);
  assert.equal(fold.c, 5);
});

test("a reset is handed to the caller", () => {
  const fold = new Fold();
  const { reset } = fold.apply([[1, 0, "", "reset", "", "", { keyframe: 3, generation: 2 }]]);
  assert.deepEqual(reset, { keyframe: 3, generation: 2 });
});

test("rows touched are named, and a put makes a new row object", () => {
  const fold = new Fold();
  fold.apply([[1, 0, "a", "put", "pulls", 7, { number: 7, title: "x" }]]);
  const before = fold.rows("pulls").get(7);
  const { touched } = fold.apply([[2, 0, "b", "put", "pulls", 7, { title: "y" }]]);
  assert.deepEqual([...touched.get("pulls")], [7]);
  assert.notEqual(fold.rows("pulls").get(7), before);
  assert.deepEqual(fold.rows("pulls").get(7), { number: 7, title: "y" });
});

test("hash lines sort integers by value and strings by code point, and are ASCII", () => {
  const rows = new Map([[10, { b: 1, a: "é\u007f" }], [9, {}], ["\u{1F680}", {}], ["\uFFFD", {}], ["a", {}]]);
  const keys = hashLines(new Map([["t", rows]])).map((line) => JSON.parse(line)[1]);
  assert.deepEqual(keys, [9, 10, "a", "\uFFFD", "\u{1F680}"]);
  assert.equal(canonical({ b: 1, a: "é\u007f\ud800" }), '{"a":"\\u00e9\\u007f\\ud800","b":1}');
});
