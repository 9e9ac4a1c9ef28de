// Runs a Python file of the tests and reads the JSON it prints.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const names = [process.env.PYTHON, `${root}.venv/bin/python`, "python3"];
const python = /** @type {string} */ (names.find((path) => path && (path === "python3" || existsSync(path))));

/** @param {string} file under tests/js @param {...string} words */
export const told = (file, ...words) =>
  JSON.parse(execFileSync(python, [`${root}tests/js/${file}`, ...words], { cwd: root, maxBuffer: 1 << 28 }).toString());
