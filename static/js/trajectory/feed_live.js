// @ts-check
/**
 * The live State of a run: loads it, follows the socket, fills every gap over HTTP, reconnects by itself.
 * A socket message may be lost, doubled or late: the cursor `c` decides what is taken.
 */

import { Fold } from "./fold.js";
import { tablesOf } from "./lean.js";

const GONE = { 4401: "signed out", 4404: "gone" };
const LIMIT = 5000;

/**
 * @typedef {object} Doors what the feed needs from outside
 * @property {string} api `/api/v1/runs/demo-1`
 * @property {string} socket `ws://../ws/runs/demo-1/`
 * @property {(url: string) => Promise<any>} read JSON of a GET; rejects on failure
 * @property {(url: string) => WebSocket} open
 * @property {(run: () => void, ms: number) => any} later
 * @property {(touched: Map<string, Set<any>> | null) => void} changed rows that moved; null = everything
 * @property {(n: number) => void} arrived the newest event number
 * @property {(status: string) => void} status loading | live | reconnecting | signed out | gone
 */

export class LiveFeed {
  /** @param {Doors} doors */
  constructor(doors) {
    this.doors = doors;
    this.fold = new Fold();
    this.generation = 0;
    this.n = 0;
    /** @type {Record<string, number>} rows of each table, also of those the page does not hold */
    this.counts = {};
    /** @type {number | null} ms of run.started */
    this.t0 = null;
    this.settled = false;
    this.tries = 0;
    this.over = false;
    this.open = false;
    this.work = Promise.resolve();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.told = 0; // messages of the socket since the last check
  }

  /** Load the State and follow it. */
  async start() {
    this.doors.status("loading");
    try {
      await this.reload();
      this.connect();
    } catch {
      this.doors.status("reconnecting");
      this.doors.later(() => this.start(), this.pause());
    }
  }

  /** How long to wait before the next try: twice as long each time, ten seconds at most. */
  pause() {
    return Math.min(10_000, 500 * 2 ** this.tries++);
  }

  /** Do one thing after the other; after a failure the gap is filled as soon as the server answers again. */
  then(/** @type {() => Promise<void>} */ step) {
    this.work = this.work.then(step).catch(() => {
      this.doors.status("reconnecting");
      this.doors.later(() => this.check(), this.pause());
    });
    return this.work;
  }

  async reload() {
    const state = await this.doors.read(`${this.doors.api}/state?lean=true`);
    this.fold.tables = tablesOf(state);
    this.fold.c = state.c;
    this.counts = { ...state.counts };
    this.generation = state.generation;
    this.t0 = state.t0;
    this.settled = state.settled;
    this.doors.changed(null);
    this.hear(state.n);
  }

  connect() {
    const socket = (this.socket = this.doors.open(this.doors.socket));
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      this.told += 1;
      this.open = true;
      this.tries = 0;
      this.doors.status("live");
      this.then(() => this.take(JSON.parse(event.data)));
    };
    socket.onclose = (event) => {
      if (socket !== this.socket) return;
      this.open = false;
      const why = /** @type {Record<number, string>} */ (GONE)[event.code];
      if (why) this.over = true;
      this.doors.status(why ?? "reconnecting");
      if (!this.over) this.doors.later(() => this.connect(), this.pause());
    };
  }

  /** @param {{ generation: number, from?: number, to: number, n: number, changes?: any[] }} message */
  async take(message) {
    if (message.generation !== this.generation) await this.reload();
    else if (message.changes) await this.apply(message.changes, message.from ?? 0);
    else if (message.to > this.fold.c) await this.catchUp();
    if (this.t0 === null && message.n > 0) await this.reload();
    this.hear(message.n);
  }

  /** @param {any[]} changes @param {number} from */
  async apply(changes, from) {
    if (from > this.fold.c + 1) return this.catchUp();
    const { touched, missing, reset } = this.fold.apply(changes);
    if (touched.size) this.moved(touched);
    if (reset) return this.reload();
    if (missing !== null) return this.catchUp();
  }

  /** Read what is missing, page by page. */
  async catchUp() {
    for (;;) {
      const page = await this.doors.read(`${this.doors.api}/changes?after=${this.fold.c}&limit=${LIMIT}`);
      if (page.generation !== this.generation) return this.reload();
      if (!page.changes.length) return this.hear(page.n);
      const { touched, reset } = this.fold.apply(page.changes);
      this.moved(touched);
      if (reset) return this.reload();
      this.hear(page.n);
      if (this.fold.c >= page.last) return;
    }
  }

  /**
   * Ask now and then, so that a bell nobody rang costs a delay and nothing else. News that the socket did not tell of since
   * the last time mean that it is dead, which a browser may not notice for minutes.
   */
  check() {
    return this.then(async () => {
      const [before, told] = [this.fold.c, this.told];
      this.told = 0;
      await this.catchUp();
      if (this.fold.c > before && told === 0 && this.open) this.reconnect();
      else if (this.open) this.doors.status("live");
    });
  }

  /** Give the socket up and open another. */
  reconnect() {
    if (this.over || !this.socket) return;
    const old = this.socket;
    this.open = false;
    this.connect();
    old.close();
  }

  /** @param {Map<string, Set<any>>} touched */
  moved(touched) {
    for (const [table, keys] of touched) if (table === "notes") this.counts.notes = Math.max(this.counts.notes ?? 0, ...[...keys].map(Number));
    this.doors.changed(touched);
  }

  /** @param {number} n */
  hear(n) {
    if (n > this.n) this.n = n;
    this.doors.arrived(this.n);
  }
}
