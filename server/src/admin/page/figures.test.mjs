// node --test figures.test.mjs
import assert from "node:assert/strict";
import test from "node:test";

import { atMost, counted, laneEfficiency, lanesInUse, percent, seconds, since, span, widest, workerFigures } from "./figures.mjs";

const LANES = 64;
const none = () => Array(LANES).fill(0);

// A worker whose steps took `steps`: so many seconds with so many lanes of so many.
function worker(steps, { taken = {}, best = {}, ...rest } = {}) {
  const [active, all] = [none(), none()];
  for (const [seconds, used, there] of steps) {
    active[used - 1] += seconds;
    all[there - 1] += seconds;
  }
  return {
    step_seconds_by_active_lanes: active,
    step_seconds_by_lanes: all,
    lane_seconds: { sha256: 0, md5: 0, ...taken },
    lane_best_seconds: { sha256: 0, md5: 0, ...best },
    seconds: { hash: 0, io: 0, idle: 0 },
    cpu_seconds: 0,
    run_delay_seconds: null,
    ...rest,
  };
}
const idle = worker([]);
const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one}, not ${other}`);

test("lanes in use are a share of the lanes that the kernels had, as they are drawn", () => {
  const figures = workerFigures(worker([[1, 16, 16]]), idle);
  near(figures.inUse, 1);
  assert.equal(widest([figures]), 16);
  assert.equal(figures.there[15], 1);
  assert.equal(figures.there[16], 0);
  // Three quarters of the time 12 of 16, else 4 of 32.
  const mixed = workerFigures(worker([[3, 12, 16], [1, 4, 32]]), idle);
  near(mixed.inUse, (3 * 12 + 4) / (3 * 16 + 32));
  assert.equal(widest([mixed]), 32);
  near(mixed.used[3], 1);
  near(mixed.used[11], 0.75);
  near(mixed.used[12], 0);
  near(mixed.there[15], 1);
  near(mixed.there[16], 0.25);
  // Who steps for longer weighs more.
  near(lanesInUse([figures, mixed]), (16 + 40) / (16 + 80));
});

test("efficiency is of an interval, by worker and by algorithm", () => {
  const before = worker([], { taken: { sha256: 5 }, best: { sha256: 5 } });
  const one = workerFigures(worker([], { taken: { sha256: 7, md5: 2 }, best: { sha256: 6, md5: 2 } }), before);
  near(one.efficiency, 3 / 4);
  const other = workerFigures(worker([], { taken: { sha256: 4 }, best: { sha256: 1 } }), idle);
  near(other.efficiency, 0.25);
  const all = laneEfficiency([one, other]);
  near(all.all, 4 / 8);
  near(all.algorithms.sha256, 2 / 6);
  near(all.algorithms.md5, 1);
});

test("where nothing was hashed there is no figure", () => {
  const figures = workerFigures(idle, idle);
  assert.equal(figures.inUse, undefined);
  assert.equal(figures.efficiency, undefined);
  assert.equal(lanesInUse([figures]), undefined);
  assert.deepEqual(laneEfficiency([figures]), { all: undefined, algorithms: { sha256: undefined, md5: undefined } });
  assert.equal(widest([figures]), 0);
  assert.equal(percent(undefined), "-");
  assert.equal(figures.delay, undefined);
});

test("a counter that began again counts nothing below 0", () => assert.equal(since(1, 5), 0));

test("a quantile is told as its bucket's bound", () => {
  const bounds = [0.001, 0.025, 300];
  assert.equal(atMost(bounds, [1, 1, 0, 0], 0.5), "at most 1.0 ms");
  assert.equal(atMost(bounds, [1, 2, 0, 0], 0.5), "at most 25 ms");
  assert.equal(atMost(bounds, [0, 0, 0, 3], 0.99), "more than 300 s");
  assert.equal(atMost(bounds, [0, 0, 0, 0], 0.5), undefined);
});

test("texts", () => {
  assert.deepEqual([5e-5, 0.0025, 0.1, 2.5, 60].map(seconds), ["50 µs", "2.5 ms", "100 ms", "2.5 s", "60 s"]);
  assert.deepEqual([5, 300, 7300, 90_000].map(span), ["5 s", "5 min", "2 h 1 min", "1 d 1 h"]);
  assert.deepEqual([counted(1, "call"), counted(1200, "call")], ["1 call", "1,200 calls"]);
  assert.deepEqual([0, 0.031, 0.5, 1].map(percent), ["0%", "3.1%", "50%", "100%"]);
});
