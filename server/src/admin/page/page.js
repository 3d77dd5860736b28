"use strict";
// Asks for the server's state once a second and shows what changed since the answer before.
// Whatever came from outside is set as text, never as markup.

const PERIOD_MS = 1000;
const HISTORY_MAX = 120;
const LANES = 64;

const of = (id) => document.getElementById(id);
const say = (id, text) => { of(id).textContent = text; };
const make = (tag, kind, text) => {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
};
const sum = (list, read) => list.reduce((total, item) => total + read(item), 0);

// What a counter counted. One of a worker that was replaced begins at 0 again.
const since = (now, before) => Math.max(0, now - before);

function scaled(value, units, base, digits) {
  let at = 0;
  while (value >= base && at < units.length - 1) { value /= base; at += 1; }
  const shown = at === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : digits);
  return `${shown} ${units[at]}`;
}
const rate = (bytes) => scaled(bytes, ["B/s", "kB/s", "MB/s", "GB/s"], 1000, 2);
const size = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 1024, 1);
const count = (n) => n.toLocaleString("en", { maximumFractionDigits: 0 });
const percent = (part) => `${(100 * part).toFixed(part < 0.0995 && part > 0 ? 1 : 0)}%`;
const seconds = (s) => s >= 1 ? `${s.toFixed(1)} s` : s >= 1e-3 ? `${(s * 1e3).toFixed(s >= 1e-2 ? 0 : 1)} ms`
  : `${(s * 1e6).toFixed(0)} µs`;
function span(s) {
  const [d, h, m] = [Math.floor(s / 86400), Math.floor(s / 3600) % 24, Math.floor(s / 60) % 60];
  return d > 0 ? `${d} d ${h} h` : h > 0 ? `${h} h ${m} min` : m > 0 ? `${m} min` : `${Math.floor(s)} s`;
}

// The value below which `part` of what a histogram counted lies.
function quantile(bounds, counts, part) {
  const all = sum(counts, (n) => n);
  let below = 0;
  for (let at = 0; at < counts.length; at += 1) {
    below += counts[at];
    if (all > 0 && below >= part * all) return bounds[Math.min(at, bounds.length - 1)];
  }
  return undefined;
}

// As many children as items, each made once and then changed.
function rows(parent, items, create, change) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, at) => {
    if (at === parent.children.length) parent.append(create(item));
    change(parent.children[at], item, at);
  });
}

const row = (cells) => () => {
  const line = make("tr");
  for (const kind of cells) {
    const cell = make("td", kind);
    if (kind === "bar") {
      const track = make("div", "track");
      track.append(make("div", "fill"));
      cell.append(track);
    }
    line.append(cell);
  }
  return line;
};
const cells = (line, ...texts) => texts.forEach((text, at) => {
  if (text !== null) line.children[at].textContent = text;
});
function bar(cell, part, kind) {
  const fill = cell.firstElementChild.firstElementChild;
  fill.style.width = `${Math.max(0, Math.min(1, part)) * 100}%`;
  fill.className = `fill ${kind}`;
}

const history = [];
function draw(value) {
  history.push(value);
  if (history.length > HISTORY_MAX) history.shift();
  const most = Math.max(...history, 1);
  const points = history.map((v, at) => {
    const x = 240 * (at + HISTORY_MAX - history.length) / (HISTORY_MAX - 1);
    return `${x.toFixed(1)},${(47 - 45 * v / most).toFixed(1)}`;
  });
  const first = points[0].split(",")[0];
  of("history-line").setAttribute("d", `M${points.join("L")}`);
  of("history-area").setAttribute("d", `M${first},48L${points.join("L")}L240,48Z`);
}

function newWorker() {
  const line = make("div", "worker");
  const lanes = make("div", "lanes");
  for (let at = 1; at <= LANES; at += 1) {
    const lane = make("div", "lane");
    lane.title = `lane ${at}`;
    lane.append(make("i"));
    lanes.append(lane);
  }
  const time = make("div", "time");
  for (const kind of ["hash", "io", "idle"]) time.append(make("i", kind));
  line.append(make("div", "name"), lanes, make("div", "counts"), time);
  return line;
}

function showWorker(line, now, before) {
  const [name, lanes, counts, time] = line.children;
  line.className = now.hung ? "worker hung" : "worker";
  name.textContent = `worker ${now.id}`;
  const steps = now.steps_by_lanes.map((n, at) => since(n, before.steps_by_lanes[at]));
  const all = sum(steps, (n) => n);
  // A step of five lanes used the first five.
  let using = all;
  for (let lane = 0; lane < LANES; lane += 1) {
    using -= steps[lane];
    const part = all > 0 ? using / all : 0;
    lanes.children[lane].firstElementChild.style.opacity = part.toFixed(2);
    lanes.children[lane].title = `lane ${lane + 1}: in ${percent(part)} of the steps`;
  }
  const spent = ["hash", "io", "idle"].map((kind) => since(now.seconds[kind], before.seconds[kind]));
  const whole = sum(spent, (s) => s) || 1;
  spent.forEach((s, at) => { time.children[at].style.width = `${100 * s / whole}%`; });
  const core = now.core === null ? "" : `core ${now.core} · `;
  counts.textContent = `${now.hung ? "hung · " : ""}${core}${percent(1 - spent[2] / whole)} busy · `
    + `${count(now.connections)} connections · ${count(now.streams)} calls · `
    + `${count(now.open_jobs)} digests, ${count(now.ready_jobs)} ready · ${size(now.waiting_bytes)} waiting`;
}

function show(now, before) {
  const passed = now.uptime_seconds - before.uptime_seconds;
  if (!(passed > 0)) return;
  const per = (read) => since(read(now), read(before)) / passed;
  const workers = (read) => (state) => sum(state.workers, read);

  say("phase", now.hung ? "hung" : now.phase);
  of("phase").className = now.hung ? "pill bad" : now.phase === "serving" ? "pill" : "pill warn";
  say("about", `${now.version} · up ${span(now.uptime_seconds)} · ${now.hashing}`);
  const hashed = per(workers((w) => w.hashed_bytes));
  say("hashed", rate(hashed));
  draw(hashed);
  const [active, idle] = ["active", "idle"].map((kind) => per((s) => sum(s.kernels, (k) => k[`${kind}_lane_blocks`])));
  say("occupancy", active + idle > 0 ? percent(active / (active + idle)) : "idle");
  say("steps", `${count(per(workers((w) => sum(w.steps_by_lanes, (n) => n))))} steps/s`);
  say("parts", `${count(per((s) => sum(s.part_seconds.counts, (n) => n)))}/s`);
  const times = now.part_seconds.counts.map((n, at) => since(n, before.part_seconds.counts[at]));
  const [half, most] = [0.5, 0.99].map((part) => quantile(now.part_seconds.bounds, times, part));
  say("part-times", half === undefined ? "none ended" : `half within ${seconds(half)}, 99% within ${seconds(most)}`);
  say("streams", count(workers((w) => w.streams)(now)));
  say("connections", `${count(workers((w) => w.connections)(now))} connections · `
    + `${rate(per(workers((w) => w.received_bytes)))} received`);
  say("cpu", `${percent(per((s) => s.process.cpu_seconds))} CPU`);
  const { resident_bytes: resident, open_fds: open, max_fds: fds } = now.process;
  say("memory", `${resident === null ? "" : `${size(resident)} memory · `}`
    + `${open === null ? "" : `${count(open)} of ${fds === null ? "any" : count(fds)} descriptors`}`);

  rows(of("workers"), now.workers, newWorker, (line, worker, at) => showWorker(line, worker, before.workers[at]));

  // Those that no plan uses are named alone.
  const kernels = now.kernels.map((kernel, at) => ({ ...kernel, before: before.kernels[at] }));
  const used = kernels.filter((kernel) => kernel.planned && !kernel.faulty);
  const fastest = Math.max(...used.map((kernel) => kernel.bytes_per_second), 1);
  const blocks = (kernel) => kernel.active_lane_blocks + kernel.idle_lane_blocks;
  const all = since(sum(now.kernels, blocks), sum(before.kernels, blocks));
  rows(of("kernels"), used, row(["", "", "number", "bar", "number"]), (line, kernel, at) => {
    const share = all > 0 ? (blocks(kernel) - blocks(kernel.before)) / all : 0;
    const first = at === 0 || used[at - 1].algorithm !== kernel.algorithm;
    cells(line, first ? kernel.algorithm : "", kernel.name, (kernel.bytes_per_second / 1e9).toFixed(2), null,
      share > 0 ? percent(share) : "");
    bar(line.children[3], kernel.bytes_per_second / fastest, "");
  });
  const unused = kernels.filter((kernel) => !kernel.planned && !kernel.faulty).map((kernel) => `${kernel.algorithm}:${kernel.name}`);
  say("kernels-unused", unused.length > 0 ? `Measured, and never the fastest: ${unused.join(", ")}.` : "");
  const faulty = now.faulty_kernels;
  say("kernels-faulty", faulty.length > 0 ? `Out of use, for wrong answers: ${faulty.join(", ")}. The CPU may be faulty.` : "");

  rows(of("budgets"), now.budgets, row(["", "bar", "number", "number"]), (line, budget) => {
    const show = budget.name.endsWith("_bytes") ? size : count;
    const part = budget.used / budget.max;
    cells(line, budget.name.replace(/_bytes$/, "").replaceAll("_", " "), null, show(budget.used), show(budget.max));
    bar(line.children[1], part, part > 0.9 ? "bad" : part > 0.7 ? "warn" : "");
  });
  of("no-refusals").hidden = now.refusals.length > 0;
  rows(of("refusals"), now.refusals, row(["", "number"]), (line, refusal) =>
    cells(line, refusal.of_part ? `${refusal.reason} (a part)` : refusal.reason, count(refusal.count)));

  const hidden = now.clients_count - now.clients.length;
  say("clients-more", hidden > 0 ? `and ${count(hidden)} with fewer connections` : "");
  const numbers = Array(5).fill("number");
  rows(of("clients"), now.clients, row(["", ...numbers]), (line, client) =>
    cells(line, client.client, count(client.connections), count(client.streams), count(client.parts),
      size(client.windows_bytes), size(client.unary_bytes + client.held_bytes)));
}

let before = null;
async function ask() {
  if (!document.hidden) {
    try {
      const answer = await fetch("debug/state", { cache: "no-store", signal: AbortSignal.timeout(5000) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const now = await answer.json();
      if (before !== null && before.workers.length === now.workers.length
          && now.uptime_seconds > before.uptime_seconds) show(now, before);
      before = now;
    } catch (error) {
      say("phase", "no answer");
      of("phase").className = "pill bad";
    }
  }
  setTimeout(ask, PERIOD_MS);
}
ask();
