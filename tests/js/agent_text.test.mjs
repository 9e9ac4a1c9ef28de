// One table of cases holds the browser's and the server's way of showing what agents wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { visible } from "../../static/js/lib/agent_text.js";
import { root } from "./python.mjs";

const cases = JSON.parse(readFileSync(`${root}tests/fixtures/agent_text.json`, "utf8"));

test("what hides, moves or recolours text is shown as a sign, as on the server", () => {
  for (const { given, shown } of cases) assert.equal(visible(given), shown, JSON.stringify(given));
});

test("nothing said is an empty text, a number is its digits", () => {
  assert.equal(visible(null), "");
  assert.equal(visible(undefined), "");
  assert.equal(visible(412), "412");
});

test("text already made visible stays as it is", () => {
  for (const { shown } of cases) assert.equal(visible(shown), shown);
});
