// @ts-check
/**
 * The reading thread: `{ base, manifest }` in; progress, then a packed timeline with its pyramid or `{ problem }` out.
 * With `ahead` it begins and says nothing until the same is asked again; with `later` the pyramid comes when `{ finer }` is asked for.
 */

import { again } from "../lib/again.js";
import { TimelineSource } from "../trajectory/timeline_source.js";
import { packed, packedPyramid, pyramidOf } from "../trajectory/timeline_thread.js";

const here = /** @type {any} */ (globalThis);
/** @type {TimelineSource | null} */
let source = null;
/** @type {{ place: string, reading: Promise<import("../trajectory/timeline_source.js").Read> } | null} */
let begun = null;

/** @type {import("../trajectory/timeline_rows.js").TimelineRows | null} what a pyramid may still be asked of */
let many = null;

here.onmessage = async (/** @type {MessageEvent} */ { data: { base, manifest, later, ahead, finer } }) => {
  try {
    if (finer) {
      const { message, memory } = packedPyramid(many && pyramidOf(many));
      many = null;
      here.postMessage({ finer: message }, memory);
      return;
    }
    const place = JSON.stringify(manifest);
    const from = (source = source?.base === base ? source : new TimelineSource(base, again(fetch.bind(here))));
    const reading = begun?.place === place ? begun.reading : from.read((done, of) => here.postMessage({ progress: [done, of] }), manifest);
    begun = ahead ? { place, reading } : null;
    reading.catch(() => {}); // told to who asks for it
    if (ahead) return;
    const read = await reading;
    many = later ? read.rows : null;
    const { message, memory } = packed(read, later ? null : pyramidOf(read.rows), later || from.known.size > 0);
    here.postMessage(message, memory);
  } catch (problem) {
    here.postMessage({ problem: /** @type {Error} */ (problem).message });
  }
};
