// @ts-check
/** The reading thread: `{ base, manifest }` in; progress, then a packed timeline or `{ problem }` out. */

import { again } from "../lib/again.js";
import { TimelineSource } from "../trajectory/timeline_source.js";
import { packed } from "../trajectory/timeline_thread.js";

const here = /** @type {any} */ (globalThis);
/** @type {TimelineSource | null} */
let source = null;

here.onmessage = async (/** @type {MessageEvent} */ { data: { base, manifest } }) => {
  try {
    if (source?.base !== base) source = new TimelineSource(base, again(fetch.bind(here)));
    const timeline = await /** @type {TimelineSource} */ (source).read((done, of) => here.postMessage({ progress: [done, of] }), manifest);
    const { message, memory } = packed(timeline, source !== null && source.known.size > 0);
    here.postMessage(message, memory);
  } catch (problem) {
    here.postMessage({ problem: /** @type {Error} */ (problem).message });
  }
};
