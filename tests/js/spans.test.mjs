// What lanes with room for labels say: nobody's claim is under another's without a word.
import assert from "node:assert/strict";
import test from "node:test";
import { TimeScale } from "../../static/js/lib/time_scale.js";
import { drawLane } from "../../static/js/ui/timeline_spans.js";

/** The words that a lane of these claims is drawn with. */
const wordsOf = (spans) => {
  const words = [];
  const context = new Proxy({}, { get: (_, name) => (name === "fillText" ? (text) => words.push(text) : () => {}), set: () => true });
  const claims = spans.map(([start, end, outcome = "live"], k) => ({ key: k, worker: 1, start, end, outcome, status: outcome, label: `part ${k + 1}` }));
  drawLane(context, { worker: 1, joined: 0, left: 100 }, claims, 0, 46, new TimeScale(0, 100, 0, 1000), {}, "11px sans");
  return words;
};

test("claims that lie on each other are counted in the label of the first", () => {
  assert.deepEqual(wordsOf(Array.from({ length: 75 }, () => [50, 100])), ["75 claims: part 1"]);
});

test("claims one after the other, and one that reaches beyond, have what they had", () => {
  assert.deepEqual(wordsOf([[0, 20], [20, 40], [60, 61]]), ["part 1", "part 2"]);
  assert.deepEqual(wordsOf([[0, 50], [40, 60]]), ["part 1"], "its own colour shows it");
  assert.deepEqual(wordsOf([[0, 50], [10, 40, "idle"]]), ["part 1"], "what was let go lies under what is held");
});
