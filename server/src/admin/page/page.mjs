// Asks for the server's state once a second and shows what changed since the answer before.
// Whatever came from outside is set as text, never as markup.

import {
  atMost, count, counted, laneEfficiency, lanesInUse, percent, rate, since, size, span, sum, widest, workerFigures,
} from "./figures.mjs";

const PERIOD_MS = 1000;
const ANSWER_MS = 5000;
const HISTORY_MAX = 120;
// The picture is this wide at least, so that one lane is not all of it.
const LANES_MIN = 16;
// Answers for which it keeps the width of the widest kernel.
const WIDTHS_MAX = 5;
const DAY_SECONDS = 24 * 3600;
// The page warns from the same time as the Prometheus alert.
const EXPIRES_SOON_SECONDS = 7 * DAY_SECONDS;
// What a worker does with its time, as it is drawn.
const PHASES = ["hash", "io", "idle"];

// Elements.

const of = (id) => document.getElementById(id);
const say = (id, text) => { of(id).textContent = text; };
const make = (tag, kind, text) => {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
};

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

// The head: whether the server is well.

function showPhase(now) {
  const [text, kind] = now.unhealthy !== null ? ["unhealthy", "bad"]
    : now.not_ready !== null ? [now.phase === "serving" ? "not ready" : now.phase, "warn"] : [now.phase, ""];
  say("phase", text);
  of("phase").className = `pill ${kind}`;
  const certificates = now.certificates.map((c) => c.expires_in_seconds > 0
    ? `${c.port} certificate valid for ${span(c.expires_in_seconds)}` : `${c.port} certificate expired`);
  say("about", [`${now.version} (${now.commit})`, `up ${span(now.uptime_seconds)}`, now.hashing, ...certificates].join(" · "));
}

function showNotices(now) {
  const notices = [];
  if (now.unhealthy !== null) notices.push(["bad", `Not healthy: ${now.unhealthy}.`]);
  if (now.not_ready !== null && now.not_ready !== now.unhealthy) notices.push(["warn", `Not ready: ${now.not_ready}.`]);
  for (const { port, expires_in_seconds: left } of now.certificates) {
    const whose = `The certificate of the ${port} port`;
    if (left <= 0) notices.push(["bad", `${whose} expired ${span(-left)} ago.`]);
    else if (left < EXPIRES_SOON_SECONDS) notices.push(["warn", `${whose} ends in ${span(left)}.`]);
  }
  if (now.faulty_kernels.length > 0) {
    notices.push(["bad", `Out of use, for wrong answers: ${now.faulty_kernels.join(", ")}. The CPU may be faulty.`]);
  }
  if (now.panics > 0) notices.push(["bad", `${counted(now.panics, "panic")} since the start: each is a defect, and the log has its place.`]);
  rows(of("notices"), notices, () => make("p"), (line, [kind, text]) => {
    line.className = `notice ${kind}`;
    line.textContent = text;
  });
}

// The tiles.

const history = [];
function drawHistory(value) {
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

// Of those algorithms that were hashed.
const perAlgorithm = (efficiency) => Object.entries(efficiency.algorithms)
  .filter(([, ratio]) => ratio !== undefined).map(([name, ratio]) => `${name} ${percent(ratio)}`);

function showTiles(now, before, figures) {
  const passed = now.uptime_seconds - before.uptime_seconds;
  const per = (read) => since(read(now), read(before)) / passed;
  const workers = (read) => (state) => sum(state.workers, read);

  const hashed = per(workers((w) => w.hashed_bytes));
  say("hashed", rate(hashed));
  drawHistory(hashed);
  say("in-use", percent(lanesInUse(figures)));
  say("steps", `${count(per(workers((w) => w.steps)))} steps/s`);
  const efficiency = laneEfficiency(figures);
  say("efficiency", percent(efficiency.all));
  say("efficiencies", perAlgorithm(efficiency).join(" · ") || "nothing hashed in lanes");
  say("parts", `${count(per((s) => sum(s.part_seconds.counts)))}/s`);
  const times = now.part_seconds.counts.map((n, at) => since(n, before.part_seconds.counts[at]));
  const [half, most] = [0.5, 0.99].map((part) => atMost(now.part_seconds.bounds, times, part));
  say("part-times", half === undefined ? "none ended" : `half ${half}, 99% ${most}`);
  say("streams", count(workers((w) => w.streams)(now)));
  say("connections", `${counted(workers((w) => w.connections)(now), "connection")} · `
    + `${rate(per(workers((w) => w.received_bytes)))} received`);
  say("cpu", `${percent(per((s) => s.process.cpu_seconds))} CPU`);
  const { resident_bytes: resident, open_fds: open, max_fds: fds } = now.process;
  say("memory", `${resident === null ? "" : `${size(resident)} memory · `}`
    + `${open === null ? "" : `${count(open)} of ${fds === null ? "any" : count(fds)} descriptors`}`);
}

// The workers.

const widths = [];
function columns(figures) {
  widths.push(widest(figures));
  if (widths.length > WIDTHS_MAX) widths.shift();
  return Math.max(LANES_MIN, ...widths);
}

function newLane() {
  const lane = make("div", "lane");
  lane.append(make("i", "there"), make("i", "used"));
  return lane;
}

function newWorker() {
  const line = make("div", "worker");
  const time = make("div", "time");
  for (const phase of PHASES) time.append(make("i", phase));
  const [picture, counts] = [make("div", "picture"), make("div", "counts")];
  picture.append(make("div", "lanes"), time);
  counts.append(make("p", "figures"), make("p"));
  line.append(make("div", "name"), picture, counts);
  return line;
}

function showWorker(line, { now, figures, passed, lanes }) {
  const [name, picture, counts] = line.children;
  const [drawn, time] = picture.children;
  line.className = now.hung ? "worker hung" : "worker";
  name.textContent = `worker ${now.id}`;
  drawn.style.gridTemplateColumns = `repeat(${lanes}, 1fr)`;
  rows(drawn, Array(lanes).fill(), newLane, (lane, _, at) => {
    const [there, used] = [figures.there[at], Math.min(figures.used[at], figures.there[at])];
    lane.children[0].style.height = `${100 * there}%`;
    lane.children[1].style.height = `${100 * used}%`;
    lane.title = `lane ${at + 1}: ${percent(used)} of the time in steps in use, ${percent(there - used)} empty`;
  });
  PHASES.forEach((phase, at) => { time.children[at].style.width = `${100 * figures.time[phase]}%`; });
  const efficiency = laneEfficiency([figures]);
  const each = perAlgorithm(efficiency);
  counts.children[0].textContent = `${percent(figures.inUse)} of lanes in use · efficiency ${percent(efficiency.all)}`
    + (each.length > 1 ? ` (${each.join(", ")})` : "");
  const state = [
    now.hung && "hangs",
    now.restarts > 0 && `restarted ${counted(now.restarts, "time")}`,
    now.hangs > 0 && `hung ${counted(now.hangs, "time")}`,
    now.core !== null && `core ${now.core}`,
    `${percent(1 - figures.time.idle)} busy`,
    figures.cpu !== undefined && `${percent(figures.cpu / passed)} CPU`,
    // A smaller delay is normal: the acceptor shares the core.
    figures.delay / passed > 0.05 && `waits for a CPU ${percent(figures.delay / passed)}`,
    counted(now.connections, "connection"),
    counted(now.streams, "call"),
    `${counted(now.open_jobs, "digest")}, ${count(now.ready_jobs)} ready`,
    `${size(now.waiting_bytes)} waiting`,
  ];
  counts.children[1].textContent = state.filter((text) => text).join(" · ");
}

function showWorkers(now, before, figures) {
  const [passed, lanes] = [now.uptime_seconds - before.uptime_seconds, columns(figures)];
  const workers = now.workers.map((worker, at) => ({ now: worker, figures: figures[at], passed, lanes }));
  rows(of("workers"), workers, newWorker, showWorker);
}

// The tables.

function showKernels(now, before, figures) {
  const kernels = now.kernels.map((kernel, at) => ({ ...kernel, before: before.kernels[at] }));
  // Those that no plan uses are named alone.
  const used = kernels.filter((kernel) => kernel.planned && !kernel.faulty);
  const fastest = Math.max(...used.map((kernel) => kernel.bytes_per_second), 1);
  const blocks = (kernel) => kernel.active_lane_blocks + kernel.idle_lane_blocks;
  const all = since(sum(now.kernels, blocks), sum(before.kernels, blocks));
  const { algorithms } = laneEfficiency(figures);
  rows(of("kernels"), used, row(["", "number", "", "number", "bar", "number"]), (line, kernel, at) => {
    const share = all > 0 ? since(blocks(kernel), blocks(kernel.before)) / all : 0;
    const first = at === 0 || used[at - 1].algorithm !== kernel.algorithm;
    cells(line, first ? kernel.algorithm : "", first ? percent(algorithms[kernel.algorithm]) : "", kernel.name,
      (kernel.bytes_per_second / 1e9).toFixed(2), null, share > 0 ? percent(share) : "");
    bar(line.children[4], kernel.bytes_per_second / fastest, "");
  });
  const unused = kernels.filter((kernel) => !kernel.planned && !kernel.faulty).map((kernel) => `${kernel.algorithm}:${kernel.name}`);
  say("kernels-unused", unused.length > 0 ? `Measured, and never the fastest: ${unused.join(", ")}.` : "");
}

function showBudgets(now) {
  rows(of("budgets"), now.budgets, row(["", "bar", "number", "number"]), (line, budget) => {
    const show = budget.name.endsWith("_bytes") ? size : count;
    const part = budget.used / budget.max;
    cells(line, budget.name.replace(/_bytes$/, "").replaceAll("_", " "), null, show(budget.used), show(budget.max));
    bar(line.children[1], part, part > 0.9 ? "bad" : part > 0.7 ? "warn" : "");
  });
}

// Of calls and parts by the reason that clients are told; of connections, by the bound.
const refusals = (state) => [
  ...state.refusals.map((refusal) => [refusal.of_part ? `${refusal.reason} (a part)` : refusal.reason, refusal.count]),
  ...Object.entries(state.connections_refused).map(([reason, n]) => [`connections: ${reason}`, n]),
];

function showRefusals(now, before) {
  const [refused, earlier] = [refusals(now).filter(([, n]) => n > 0), Object.fromEntries(refusals(before))];
  of("no-refusals").hidden = refused.length > 0;
  rows(of("refusals"), refused, row(["", "number more", "number"]), (line, [reason, n]) => {
    const more = since(n, earlier[reason] ?? 0);
    cells(line, reason, more > 0 ? `${count(more)} in the last second` : "", count(n));
  });
}

function showFaults(now) {
  const workers = (read) => sum(now.workers, read);
  const faults = [
    ["panics", now.panics],
    ["workers that began again", workers((w) => w.restarts)],
    ["workers that hung", workers((w) => w.hangs)],
    ["calls cut", now.calls_cut],
    ["kernels out of use", now.faulty_kernels.length],
    ["log lines lost", now.log_lines_lost],
  ];
  // A server inside another program has no log to count in.
  rows(of("faults"), faults.filter(([, n]) => n !== null), row(["", "number"]), (line, [what, n]) => {
    cells(line, what, count(n));
    line.className = n > 0 ? "bad" : "";
  });
}

function showClients(now) {
  const hidden = now.clients_count - now.clients.length;
  say("clients-more", hidden > 0 ? `and ${count(hidden)} with fewer connections` : "");
  const numbers = Array(5).fill("number");
  rows(of("clients"), now.clients, row(["", ...numbers]), (line, client) =>
    cells(line, client.client, count(client.connections), count(client.streams), count(client.parts),
      size(client.windows_bytes), size(client.unary_bytes + client.held_bytes)));
}

function show(now, before) {
  const figures = now.workers.map((worker, at) => workerFigures(worker, before.workers[at]));
  showPhase(now);
  showNotices(now);
  showTiles(now, before, figures);
  showWorkers(now, before, figures);
  showKernels(now, before, figures);
  showBudgets(now);
  showRefusals(now, before);
  showFaults(now);
  showClients(now);
}

// Asking.

let before = null;
let answered = null;

// Without an answer the figures are old: they are greyed, and the page says since when.
function showStale(error) {
  say("phase", "no answer");
  of("phase").className = "pill bad";
  document.body.classList.add("stale");
  of("stale").hidden = false;
  const why = error.name === "TimeoutError" ? `none within ${ANSWER_MS / 1000} s` : error.message;
  const since = answered === null ? "No answer yet"
    : `No answer since ${answered.toLocaleTimeString()}, for ${span((Date.now() - answered) / 1000)}`;
  say("stale", `${since} (${why}). ${answered === null ? "" : "All figures below are of that time."}`);
}

function showFresh() {
  document.body.classList.remove("stale");
  of("stale").hidden = true;
}

// Whether both are of one process, some time apart.
const isLater = (now, before) => before.workers.length === now.workers.length
  && now.uptime_seconds > before.uptime_seconds;

async function ask() {
  if (!document.hidden) {
    try {
      const answer = await fetch("debug/state", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const now = await answer.json();
      if (before !== null && isLater(now, before)) {
        show(now, before);
        showFresh();
      }
      before = now;
      answered = new Date();
    } catch (error) {
      showStale(error);
    }
  }
  setTimeout(ask, PERIOD_MS);
}
ask();
