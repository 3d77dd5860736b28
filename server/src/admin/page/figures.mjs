// What the page computes: figures of an interval between two states, and their texts. Nothing here
// knows of the document. figures.test.mjs tests it.

export const sum = (list, read = (item) => item) => list.reduce((total, item) => total + read(item), 0);

// What a counter counted. One of a process that was started again begins at 0.
export const since = (now, before) => Math.max(0, now - before);

const sinceEach = (now, before) => now.map((n, at) => since(n, before[at]));
const sinceOf = (now, before) => Object.fromEntries(
  Object.entries(now).map(([name, n]) => [name, since(n, before[name])]));
const over = (part, whole) => whole > 0 ? part / whole : undefined;

// Time with at least so many lanes, as a share of all: the first is of one lane and more.
function sharesByLane(seconds) {
  const all = sum(seconds);
  let rest = all;
  return seconds.map((of) => {
    const share = all > 0 ? Math.max(0, rest / all) : 0;
    rest -= of;
    return share;
  });
}

// One worker's figures over an interval. A ratio is undefined if nothing was hashed.
export function workerFigures(now, before) {
  const used = sharesByLane(sinceEach(now.step_seconds_by_active_lanes, before.step_seconds_by_active_lanes));
  const there = sharesByLane(sinceEach(now.step_seconds_by_lanes, before.step_seconds_by_lanes));
  const stepSeconds = sum(sinceEach(now.step_seconds_by_lanes, before.step_seconds_by_lanes));
  const taken = sinceOf(now.lane_seconds, before.lane_seconds);
  const best = sinceOf(now.lane_best_seconds, before.lane_best_seconds);
  const time = sinceOf(now.seconds, before.seconds);
  const whole = sum(Object.values(time)) || 1;
  return {
    // Of each lane: the share of the time in steps in which it hashed, and that in which a kernel
    // had it.
    used,
    there,
    // Lane-seconds: what `used` and `there` are, weighed by the time in steps.
    usedSeconds: sum(used) * stepSeconds,
    thereSeconds: sum(there) * stepSeconds,
    inUse: over(sum(used), sum(there)),
    taken,
    best,
    efficiency: over(sum(Object.values(best)), sum(Object.values(taken))),
    time: Object.fromEntries(Object.entries(time).map(([phase, s]) => [phase, s / whole])),
    // Where the system does not tell, nothing.
    cpu: now.cpu_seconds === null ? undefined : since(now.cpu_seconds, before.cpu_seconds),
    delay: now.run_delay_seconds === null ? undefined : since(now.run_delay_seconds, before.run_delay_seconds),
  };
}

// All workers together.
export const lanesInUse = (workers) => over(sum(workers, (w) => w.usedSeconds), sum(workers, (w) => w.thereSeconds));

// Lane efficiency of all workers, and of each algorithm's lanes: the time that the hashed bytes
// would have taken at the best rate of full lanes, over the time they took.
export function laneEfficiency(workers) {
  const total = (read) => sum(workers, (worker) => sum(Object.values(read(worker))));
  const algorithms = Object.keys(workers[0]?.taken ?? {}).map((name) =>
    [name, over(sum(workers, (w) => w.best[name]), sum(workers, (w) => w.taken[name]))]);
  return {
    all: over(total((w) => w.best), total((w) => w.taken)),
    algorithms: Object.fromEntries(algorithms),
  };
}

// Lanes to draw: as many as any kernel of these workers had.
export const widest = (workers) => Math.max(0, ...workers.map((w) => w.there.filter((share) => share > 0).length));

// The bucket in which the value lies that `part` of the counted are not above, in words: a histogram
// knows no more than its bounds.
export function atMost(bounds, counts, part) {
  const all = sum(counts);
  if (all === 0) return undefined;
  let below = 0;
  const at = counts.findIndex((n) => (below += n) >= part * all);
  return at < bounds.length ? `at most ${seconds(bounds[at])}` : `more than ${seconds(bounds[bounds.length - 1])}`;
}

function scaled(value, units, base, digits) {
  let at = 0;
  while (value >= base && at < units.length - 1) { value /= base; at += 1; }
  const shown = at === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : digits);
  return `${shown} ${units[at]}`;
}
export const rate = (bytes) => scaled(bytes, ["B/s", "kB/s", "MB/s", "GB/s"], 1000, 2);
export const size = (bytes) => scaled(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 1024, 1);
export const count = (n) => n.toLocaleString("en", { maximumFractionDigits: 0 });
export const percent = (part) => part === undefined ? "-" : `${(100 * part).toFixed(part < 0.0995 && part > 0 ? 1 : 0)}%`;
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
export function seconds(s) {
  if (s >= 1) return `${s.toFixed(s >= 10 ? 0 : 1)} s`;
  return s >= 1e-3 ? `${(s * 1e3).toFixed(s >= 1e-2 ? 0 : 1)} ms` : `${(s * 1e6).toFixed(0)} µs`;
}
export function span(s) {
  const [d, h, m] = [Math.floor(s / 86400), Math.floor(s / 3600) % 24, Math.floor(s / 60) % 60];
  return d > 0 ? `${d} d ${h} h` : h > 0 ? `${h} h ${m} min` : m > 0 ? `${m} min` : `${Math.floor(s)} s`;
}
