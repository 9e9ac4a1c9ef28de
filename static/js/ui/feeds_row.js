// @ts-check
/** How fresh each source is, in two figures: when it last answered, and how old its newest event is. Unknown is said. */

import { byId, el, glyph, said } from "../lib/dom.js";
import { duration } from "../lib/format_time.js";
import { LAG_MS } from "../trajectory/attention.js";

const WORDS = /** @type {Record<string, string>} */ ({ mattermost: "chat", gitea: "forge", gateway: "cost", acp: "workers" });

/**
 * @param {any[]} feeds
 * @param {{ now: () => number, standins: string[], live: boolean, behind: string }} about
 */
export const showFeeds = (feeds, { now, standins, live, behind }) => {
  const items = feeds.map((feed) => {
    const name = WORDS[feed.source] ?? feed.source;
    const tag = standins.includes(name) ? " stand-in" : "";
    const polled = feed.lag_ms === null ? null : feed.lag_ms / 1000;
    const newest = feed.newest_at === null ? null : Math.max(0, (now() - Date.parse(feed.newest_at)) / 1000);
    const bad =
      (live && Boolean(feed.error)) || (live && polled !== null && feed.lag_ms > LAG_MS && !["acp", "gateway"].includes(feed.source));
    const mark =
      !live && feed.deliveries
        ? glyph("approved", "good")
        : polled === null
          ? glyph("gap")
          : bad
            ? glyph("stalled", "warn")
            : glyph("approved", "good");
    const figures = !live
      ? [" ", el("b", {}, feed.deliveries ? feed.deliveries.toLocaleString("en") : "no"), " deliveries"]
      : polled === null && newest === null
        ? [" ", el("b", {}, "not heard yet")]
        : [" ", el("b", {}, polled === null ? "unknown" : duration(polled)), ", newest ", el("b", {}, newest === null ? "unknown" : duration(newest))];
    const late = feed.late ? `, late: ${feed.late}` : "";
    return el(
      "li",
      { title: feed.error ?? `${feed.deliveries} deliveries, ${feed.skipped} skipped` },
      mark,
      el("span", {}, name, tag, ...figures, late, live && feed.error ? said(`, ${feed.error}`) : ""),
    );
  });
  byId("feeds").replaceChildren(
    el("li.lead", {}, live ? "Last answer, newest event" : "Read to the end"),
    ...items,
    el("li.lead.end", {}, behind),
  );
};
