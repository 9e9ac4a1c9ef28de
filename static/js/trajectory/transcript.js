// @ts-check
/** What a transcript's page scrolls by: turns cut into chunks of items, failures in order, a step in one line. Pure. */

/** @typedef {{ life: number, turn: number, first: number, last: number, t: number, ended_t: number | null, trigger: string, stop_reason: string | null, error: string | null,
 steps: number, failed: number[], chars: number, moves: number, harness: string, usage: Record<string, number | null>, sum: Record<string, number | null> }} Turn */
/** @typedef {{ key: string, life: number, first: number, last: number, turn: number, height: number }} Chunk */

export const ITEMS = 120;
const ROW = 34;

/** Chunks of at most ITEMS items, never across a turn, with the height they will take by the figures. @param {Turn[]} turns @returns {Chunk[]} */
export function chunksOf(turns) {
  const chunks = [];
  for (const turn of turns) {
    const items = turn.last - turn.first + 1;
    const tall = 60 + ROW * turn.steps + Math.min(turn.chars / 4, 40_000) + 8 * Math.min(turn.moves, turn.steps);
    for (let first = turn.first; first <= turn.last; first += ITEMS) {
      const last = Math.min(turn.last, first + ITEMS - 1);
      chunks.push({ key: `${turn.life}-${first}`, life: turn.life, first, last, turn: turn.turn, height: Math.round((tall * (last - first + 1)) / items) });
    }
  }
  return chunks;
}

/** `life-item` as numbers; null if it is none. @param {string | null} id @returns {[number, number] | null} */
export function placeOf(id) {
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(id ?? "");
  return found ? [Number(found[1]), Number(found[2])] : null;
}

/** @param {[number, number]} a @param {[number, number]} b */
export const before = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** The chunk that holds an item, or the last one before it. @param {Chunk[]} chunks @param {[number, number]} place */
export function chunkAt(chunks, place) {
  let found = chunks[0];
  for (const chunk of chunks) if (!before(place, [chunk.life, chunk.first])) found = chunk;
  return found;
}

/** Every failed step in order. @param {Turn[]} turns @returns {[number, number][]} */
export function failuresOf(turns) {
  /** @type {[number, number][]} */
  const places = turns.flatMap((turn) => turn.failed.map((item) => /** @type {[number, number]} */ ([turn.life, item])));
  return places.sort((a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : 0));
}

/**
 * The next place after, or before, where the reader is; round the end it begins again.
 * @param {[number, number][]} places in order
 * @param {[number, number]} here
 * @param {1 | -1} way
 */
export function nextPlace(places, here, way) {
  if (!places.length) return null;
  const found = way === 1 ? places.find((place) => before(here, place)) : places.findLast((place) => before(place, here));
  return found ?? (way === 1 ? places[0] : places[places.length - 1]);
}

/** What a call does, in one line: its title, its command, or its arguments. @param {any} step @returns {string} */
export function lineOf(step) {
  const command = typeof step.args?.command === "string" ? step.args.command : typeof step.args?.cmd === "string" ? step.args.cmd : null;
  if (command !== null) return commandLine(command);
  const title = String(step.title ?? "");
  if (title.length > 2 && title !== step.tool) return title;
  const told = Object.entries(step.args ?? {}).filter(([, value]) => value !== null && value !== "");
  return told.map(([name, value]) => `${name} ${typeof value === "string" ? value.replace(/\s+/g, " ") : JSON.stringify(value)}`).join(" · ").slice(0, 300);
}

const DULL = /^(?:[({})]|set -[a-z]+|cd \S+|code=\$\?|printf .*|\) 2>&1)$/;

/** The lines of a script that say something. @param {string} command */
function commandLine(command) {
  const lines = command.split("\n").map((line) => line.trim()).filter(Boolean);
  const telling = lines.filter((line) => !DULL.test(line));
  return (telling.length ? telling : lines).join(" ⏎ ").slice(0, 300);
}

/** Moves of the inbox in words: `2 board notes stored`. @param {any[]} moves @returns {{ feed: string, state: string, count: number, from: unknown, upto: unknown, via: string }[]} */
export function movesOf(moves) {
  /** @type {any[]} */
  const told = [];
  for (const move of moves) {
    const count = Number.isInteger(move.count) ? move.count : Number.isInteger(move.from) && Number.isInteger(move.upto) ? move.upto - move.from + 1 : 1;
    const last = told.find((each) => each.feed === move.feed && each.state === move.state && each.via === move.via);
    if (last) Object.assign(last, { upto: move.upto, count: last.count + count });
    else told.push({ ...move, count });
  }
  return told;
}
