// What browsing.py measures, inside the page. `bench` is all it leaves there.
globalThis.bench = {
  quantile: (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? null,
  frame: () => new Promise((done) => requestAnimationFrame(done)),

  /** Frames in which nothing is done. */
  async vsync(count = 120) {
    const gaps = [];
    for (let last = await bench.frame(), k = 0; k < count; k++) {
      const now = await bench.frame();
      gaps.push(now - last);
      last = now;
    }
    return { p50: bench.quantile(gaps, 0.5), p95: bench.quantile(gaps, 0.95) };
  },

  /** Frames while `move` is called before each; the canvas says how long its script took by the clock of the day. */
  async moving(canvas, move, count = 120) {
    const [took, gaps] = [[], []];
    const heard = (event) => took.push(event.detail.took);
    canvas.addEventListener("painted", heard);
    for (let last = await bench.frame(), k = 0; k < count; k++) {
      move(k);
      const now = await bench.frame();
      gaps.push(now - last);
      last = now;
    }
    canvas.removeEventListener("painted", heard);
    const two = (values) => [0.5, 0.95].map((share) => Math.round(bench.quantile(values, share) * 10) / 10);
    const [[draw_p50, draw_p95], [frame_p50, frame_p95]] = [two(took), two(gaps)];
    return { frames: count, draw_p50, draw_p95, frame_p50, frame_p95 };
  },

  /** The product's own timeline over so many made-up steps of 1,024 workers, on a canvas of its own. */
  async made(count, withPyramid) {
    const [{ Timeline }, { TimelineRows }, { Pyramid }] = await Promise.all(["ui/timeline", "trajectory/timeline_rows", "trajectory/pyramid"].map((name) => import(`/static/js/${name}.js`)));
    const HOURS = 6 * 3600;
    const draw = (seed) => () => ((seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff);
    const random = draw(7);
    const sorted = (length, make) => Float64Array.from({ length }, make).sort();
    const time = Int32Array.from(sorted(count, () => random() * HOURS * 1000));
    const columns = { rows: count, time, duration: Int32Array.from(time, () => 500 + random() * 9000), worker: Uint16Array.from(time, () => 1 + Math.floor(random() ** 1.5 * 1024)),
      kind: new Uint8Array(count), n: Int32Array.from(time, (_, i) => i), flags: Uint8Array.from(time, () => (random() < 0.02 ? 1 : 0)) };
    const rows = new TimelineRows(["step", "turn", "note"], [columns], true);
    const lanes = Array.from({ length: 1024 }, (_, k) => ({ worker: k + 1, name: `w${String(k + 1).padStart(4, "0")}`, node: `node ${String((k >> 6) + 1).padStart(2, "0")}`, role: "no role", steps: 0, joined: k * 6, left: HOURS, status: "ended" }));
    const spans = lanes.flatMap(({ worker }) => Array.from({ length: 9 }, (_, k) => ({ key: `${worker}.${k}`, worker, start: k * 2300 + random() * 600, end: k * 2300 + 900 + random() * 1300, outcome: ["landed", "landed", "landed", "failed", "idle"][Math.floor(random() * 5)], status: "landed", label: "made up" })));
    const kinds = ["merge", "failure", "recovery", "withdrawn"];
    const marks = Array.from(sorted(12_000, () => random() * HOURS), (t, k) => ({ id: `merge:${k}`, kind: kinds[Math.floor(random() ** 3 * 4)], t, worker: 1 + Math.floor(random() * 1024), table: "pulls", key: k, label: "made up" }));
    const canvas = document.body.appendChild(document.createElement("canvas"));
    Object.assign(canvas.style, { position: "fixed", inset: "0", width: "1600px", height: "900px", zIndex: "99" });
    const timeline = new Timeline(canvas);
    for (const kind of kinds) timeline.kinds.add(kind);
    timeline.grouping = "none";
    timeline.zoom = 0.2; // every lane is seen at once
    timeline.show({ lanes, spans, marks, rows, pyramid: withPyramid ? Pyramid.of(rows) : null, scores: [], takeOvers: [], gone: [], end: HOURS, live: false });
    await bench.frame();
    await bench.frame();
    bench.timeline = timeline;
    bench.end = HOURS;
    return { lanes_drawn: timeline.drawn.lanes, marks_drawn: timeline.drawn.marks, marks_of: timeline.drawn.of };
  },

  unmake() {
    bench.timeline.canvas.remove();
    delete bench.timeline;
  },

  /** The cursor moves over a view that stays. */
  made_played: () => bench.moving(bench.timeline.canvas, (k) => {
    bench.timeline.cursor = (k / 120) * bench.end;
    bench.timeline.paint();
  }),

  /** A view of five hours is moved by twelve pixels a frame. */
  made_panned() {
    const { timeline, end } = bench;
    const at = (k) => timeline.scale.showing(Math.abs((k % 40) - 20) * 150, Math.abs((k % 40) - 20) * 150 + end - 3000);
    timeline.scale = at(0);
    timeline.draw();
    return bench.moving(timeline.canvas, (k) => {
      timeline.scale = at(k);
      timeline.paint();
    });
  },

  /** Every frame at another zoom, between the whole run and a third of it: nothing drawn before can be used as it is. */
  made_zoomed() {
    const { timeline, end } = bench;
    return bench.moving(timeline.canvas, (k) => {
      timeline.scale = timeline.scale.showing(0, end).zoomed(1 - 0.66 * Math.abs(Math.sin(k / 25)), end / 2);
      timeline.paint();
    });
  },

  press: (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })),

  /** The open replay at a zoom reached by these keys. */
  async view(keys) {
    bench.press("0");
    for (const key of keys) bench.press(key);
    for (let k = 0; k < 30; k++) await bench.frame();
  },

  /** The open replay played at 600x, from where the view begins. */
  async played() {
    document.querySelector('[data-speed="600"]').click();
    document.getElementById("play").click();
    const told = await bench.moving(document.getElementById("lanes"), () => {});
    document.getElementById("play").click();
    return told;
  },

  wheel: (options) => document.getElementById("lanes").dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true, clientX: 600, clientY: 400, ...options })),

  panned: () => bench.moving(document.getElementById("lanes"), (k) => bench.wheel({ deltaX: k % 40 < 20 ? -12 : 12, shiftKey: true })),
  zoomed: () => bench.moving(document.getElementById("lanes"), (k) => bench.wheel({ deltaY: k % 40 < 20 ? -24 : 24 })),

  /** Script between a press on the scrubber and the State being told, all over the run. */
  seeks(count = 60) {
    const scrubber = document.getElementById("scrubber");
    scrubber.setPointerCapture = () => {};
    const box = scrubber.getBoundingClientRect();
    const took = [];
    for (let k = 0; k < count; k++) {
      const clientX = box.left + (((k * 7919) % 1000) / 1000) * box.width;
      const began = performance.now();
      scrubber.dispatchEvent(new PointerEvent("pointerdown", { clientX, clientY: box.top + 5, pointerId: 1 }));
      took.push(performance.now() - began);
      scrubber.dispatchEvent(new PointerEvent("pointerup", { clientX, clientY: box.top + 5, pointerId: 1 }));
    }
    return { p50: Math.round(bench.quantile(took, 0.5) * 10) / 10, p95: Math.round(bench.quantile(took, 0.95) * 10) / 10, most: Math.round(Math.max(...took) * 10) / 10 };
  },

  /** The ceiling of opening: the same bytes read, decoded and painted by a page that does nothing else. */
  async bare(slug) {
    const { decode } = await import("/static/js/trajectory/agtl.js");
    const began = performance.now();
    const api = `/api/v1/runs/${slug}`;
    const read = async (address) => (await fetch(address)).arrayBuffer();
    const manifest = JSON.parse(new TextDecoder().decode(await read(`${api}/timeline`)));
    const [lean, ...segments] = await Promise.all([read(`${api}/state?lean=true`), ...manifest.segments.map(({ k }) => read(`${api}/timeline?segment=${k}&generation=${manifest.generation}`))]);
    const tables = JSON.parse(new TextDecoder().decode(lean));
    const canvas = document.body.appendChild(document.createElement("canvas"));
    [canvas.width, canvas.height] = [1200, 560];
    const image = new ImageData(1200, 560);
    const pixels = new Uint32Array(image.data.buffer);
    const end = Math.max(...manifest.segments.map(({ t_max }) => t_max), 1);
    let rows = 0;
    for (const segment of segments) {
      const columns = decode(segment);
      rows += columns.rows;
      for (let i = 0; i < columns.rows; i++) pixels[(columns.worker[i] % 560) * 1200 + Math.min(1199, Math.max(0, Math.floor((columns.time[i] / end) * 1200)))] = 0xff80a070;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    await bench.frame();
    await bench.frame();
    const ms = performance.now() - began;
    canvas.remove();
    return { ms, rows, tables: Object.keys(tables.tables).length, bytes: lean.byteLength + segments.reduce((sum, one) => sum + one.byteLength, 0) };
  },
};
