// The order of static/js: lib <- trajectory <- tracks <- ui <- pages, and who may touch the page, the network and the clock.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

import { root } from "./python.mjs";

const ORDER = ["lib", "trajectory", "tracks", "ui", "pages"];
const LONGEST = 250;
const CLASSIC = "pages/theme.js"; // runs before the first paint, so it cannot be a module
const home = join(root, "static/js");

const files = readdirSync(home, { recursive: true }).map(String).filter((name) => name.endsWith(".js")).sort();
const modules = files.map((name) => {
  const text = readFileSync(join(home, name), "utf8");
  return { name, room: ORDER.indexOf(name.split("/")[0]), text, code: bare(text) };
});

/** The code without comments and texts, so that words about the page are not taken for the page. */
function bare(text) {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|[^:"'`\\])\/\/[^\n]*/g, "$1")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

const imports = (text) => [...text.matchAll(/^\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|^\s*import\s+"([^"]+)"/gms)].map((m) => m[1] ?? m[2]);
const exportsOf = (text) =>
  new Set([
    ...[...text.matchAll(/^export\s+(?:async\s+)?(?:const|let|function\*?|class)\s+([\w$]+)/gm)].map((m) => m[1]),
    ...[...text.matchAll(/^export\s+\{([^}]*)\}/gm)].flatMap((m) => m[1].split(",").map((each) => each.trim().split(/\s+as\s+/).at(-1))),
  ]);
const offenders = (list, pattern) => list.filter(({ code }) => pattern.test(code)).map(({ name }) => name);

test("every module lives in one of the five rooms", () => {
  assert.deepEqual(modules.filter(({ room }) => room < 0).map(({ name }) => name), []);
});

test("a module imports from its own room or one before it, and only files that exist", () => {
  for (const { name, room, text } of modules) {
    for (const target of imports(text)) {
      assert.ok(target.startsWith("."), `${name} imports ${target}: no package, no address`);
      const path = relative(home, resolve(home, dirname(name), target));
      assert.ok(existsSync(join(home, path)), `${name} imports ${target}, which does not exist`);
      assert.ok(ORDER.indexOf(path.split("/")[0]) <= room, `${name} imports ${path}, which is above it`);
    }
  }
});

test("every name imported is a name exported", () => {
  const given = new Map(modules.map(({ name, text }) => [name, exportsOf(text)]));
  for (const { name, text } of modules) {
    for (const [, words, target] of text.matchAll(/^import\s+\{([^}]*)\}\s+from\s+"([^"]+)"/gms)) {
      const path = relative(home, resolve(home, dirname(name), target));
      for (const word of words.split(",").map((each) => each.trim().split(/\s+as\s+/)[0]).filter(Boolean)) {
        assert.ok(given.get(path)?.has(word), `${name} imports ${word} from ${path}, which does not export it`);
      }
    }
  }
});

test("no page is imported by another module", () => {
  for (const { name, text } of modules) {
    for (const target of imports(text)) assert.ok(!/(^|\/)pages\//.test(join(dirname(name), target)), `${name} imports ${target}`);
  }
});

test("only lib/dom, ui and pages know the page", () => {
  const pure = modules.filter(({ name, room }) => room < ORDER.indexOf("ui") && name !== "lib/dom.js");
  assert.deepEqual(offenders(pure, /\b(document|window|localStorage|navigator|HTMLElement|requestAnimationFrame)\s*[.(]/), []);
});

test("the network and the clock are passed in from the pages", () => {
  const below = modules.filter(({ name }) => !name.startsWith("pages/"));
  assert.deepEqual(offenders(below, /(?<![.\w])fetch\s*\(|new\s+(WebSocket|EventSource|XMLHttpRequest)\b/), []);
  const pure = modules.filter(({ room }) => room < ORDER.indexOf("ui"));
  assert.deepEqual(offenders(pure, /\bDate\.now\s*\(|\bperformance\.now\s*\(|(?<![.\w])set(Timeout|Interval)\s*\(|Math\.random\s*\(/), []);
});

test("text never becomes markup or code", () => {
  assert.deepEqual(offenders(modules, /\.(innerHTML|outerHTML|srcdoc)\b\s*\+?=|insertAdjacentHTML|document\.write|\beval\s*\(|new\s+Function\b/), []);
});

test("types are checked in every module, and a module is one idea long", () => {
  assert.deepEqual(modules.filter(({ name, text }) => name !== CLASSIC && !text.startsWith("// @ts-check\n")).map(({ name }) => name), []);
  assert.deepEqual(modules.filter(({ text }) => text.split("\n").length > LONGEST).map(({ name }) => name), []);
});
