// @ts-check
/** A stream in the order of arrival: nothing is ever put in between; what happened earlier says so. Pure. */

const LATE_MS = 5000;

/** @typedef {{ n: number, at: string, kind: string, worker: number | null, actor: string | null, ref: string, fields: any }} Event */
/** @typedef {{ event: Event, at: number, late: number }} Arrival `late` = seconds it happened before the newest shown; 0 = in time */

export class Arrivals {
  /** @param {number} most rows kept */
  constructor(most) {
    this.most = most;
    /** @type {Arrival[]} newest last */
    this.rows = [];
    this.count = 0;
    this.last = 0;
    this.newest = -Infinity;
  }

  /**
   * Take events in rising order of `n`; one already taken is passed over.
   * @param {Event[]} events
   * @returns {Arrival[]} the new rows
   */
  take(events) {
    const fresh = [];
    for (const event of events) {
      if (event.n <= this.last) continue;
      this.last = event.n;
      const at = Date.parse(event.at);
      const behind = this.newest - at;
      this.newest = Math.max(this.newest, at);
      fresh.push({ event, at, late: behind > LATE_MS ? Math.round(behind / 1000) : 0 });
    }
    this.count += fresh.length;
    this.rows.push(...fresh);
    if (this.rows.length > this.most) this.rows.splice(0, this.rows.length - this.most);
    return fresh;
  }
}
