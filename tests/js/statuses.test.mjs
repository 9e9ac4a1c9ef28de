// What the panels tell of any second from the tile of statuses is what the whole State of that second tells.
import assert from "node:assert/strict";
import { test } from "node:test";

import { figuresAt, figuresOf, total } from "../../static/js/tracks/figures.js";
import { rowsOf } from "../../static/js/tracks/tables.js";
import { foldRecord, hashLines } from "../../static/js/trajectory/fold.js";
import { tablesOf } from "../../static/js/trajectory/lean.js";
import { Statuses, tileOf } from "../../static/js/trajectory/statuses.js";
import { told } from "./python.mjs";

const logs = told("statuses_log.py", "11", "12").filter(({ changes }) => changes.length);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64")).buffer;
const folded = (changes) => {
  const tables = new Map();
  for (const [, , , op, table, key, fields] of changes) foldRecord(tables, op, table, key, fields);
  return tables;
};
const lanes = (tables) => new Map(rowsOf(tables, "workers").map((row) => [row.worker, { name: row.name, node: row.node ?? "no node" }]));
const plain = (figures) => JSON.parse(JSON.stringify({ ...figures, roles: figures.roles.map((row) => `${row.worker} ${row.name} ${row.role} ${row.share}`).sort() }));

test("at every change of every story and run, in any order of asking, the figures are those of the whole State", () => {
  let asked = 0;
  for (const { changes, tile } of logs) {
    const statuses = new Statuses(bytes(tile));
    const times = [...new Set(changes.map(([, at]) => at))];
    const order = times.map((at, k) => [((k * 7919) % times.length) / times.length, at]).sort((a, b) => a[0] - b[0]).map(([, at]) => at);
    const last = folded(changes);
    for (const at of [...order.slice(0, 120), ...times.slice(-3)]) {
      const tables = folded(changes.filter((change) => change[1] <= at));
      statuses.seek(at);
      assert.deepEqual(plain(figuresAt(statuses, lanes(last), rowsOf(last, "checkpoints"))), plain(figuresOf(tables)), `at ${at}`);
      asked += 1;
    }
  }
  assert.ok(asked > 300, "enough moments were compared to mean something");
});

test("before the first change there is nothing, after the last the final State", () => {
  const { changes, tile } = logs[0];
  const statuses = new Statuses(bytes(tile));
  statuses.seek(0);
  assert.equal(total(figuresAt(statuses, new Map(), []).claims), 0);
  statuses.seek(1e15);
  const final = folded(changes);
  assert.deepEqual(figuresAt(statuses, lanes(final), rowsOf(final, "checkpoints")).claims, figuresOf(final).claims);
});

test("a tile of another version is refused in words", () => {
  const { head, body } = tileOf(bytes(logs[0].tile));
  const text = new TextEncoder().encode(JSON.stringify({ ...head, version: 7 }));
  const place = Math.ceil((4 + text.length) / 8) * 8;
  const other = new Uint8Array(place + body.length);
  new DataView(other.buffer).setUint32(0, text.length, true);
  other.set(text, 4);
  other.set(body, place);
  assert.throws(() => new Statuses(other.buffer), /version 7/);
});

test("the lean State is the State but for bodies, long lists and what it says it leaves out", () => {
  for (const { lean, tables } of logs) {
    const found = tablesOf(lean);
    for (const [name, rows] of Object.entries(tables)) assert.equal(lean.counts[name], Object.keys(rows).length, name);
    for (const [name, rows] of found) {
      if (name === "notes") continue;
      const whole = new Map([...rows.keys()].map((key) => [key, { ...tables[name][String(key)] }]));
      const short = (row) => (Array.isArray(row.evidence) ? { ...row, evidence: row.evidence.slice(-1) } : row);
      const cut = new Map([...whole].map(([key, row]) => [key, short(row)]));
      assert.equal(hashLines(new Map([[name, rows]])).join(""), hashLines(new Map([[name, cut]])).join(""), name);
    }
    assert.ok(found.has("claims") && found.has("pulls") && !found.has("branches"));
  }
});
