// A Node client: grpc-js, with the contract read by proto-loader. Its HTTP/2 is Node's own.

import assert from "node:assert/strict";
import test from "node:test";
import {
  Call,
  MIB,
  SHA256,
  assertDigest,
  assertOne,
  assertRefused,
  connect,
  digests,
  hashed,
  metric,
  part,
  pattern,
  pieces,
  sha256,
  soon,
  status,
  unary,
  until,
  verdicts,
} from "./support.mjs";

const COMPOSITE = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3";

/**
 * Waits until nothing is left of what was sent, and tells how many parts have ended, one way or the
 * other. Node half-closes a call that it gives up just before it resets it: what comes first may
 * still be digested.
 */
async function endedWhenIdle() {
  await until(
    "nothing is open",
    async () => (await metric("hashlane_streams")) === 0 && (await metric("hashlane_open_jobs")) === 0,
  );
  return metric("hashlane_parts_total", 'rpc="Digest"');
}

/** Calls with an open part each. */
async function openCalls(client, count) {
  const calls = [];
  for (let i = 0; i < count; i += 1) {
    const call = new Call(client.Digest(soon()));
    for (const request of part(i, pattern(70_000, i), 30_000)) {
      await call.send(request);
    }
    calls.push(call);
  }
  await until("all parts are open", async () => (await metric("hashlane_open_jobs")) === count);
  return calls;
}

test("lengths and chunks", async (t) => {
  const client = connect(t);
  // Around every edge of block and padding, and of HTTP/2's usual frames and windows.
  const lengths = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 16383, 16384, 16385, 65535, 65536, 65537];
  for (const length of lengths) {
    const data = pattern(length, length);
    for (const chunk of [1, 7, 64, 1021, 16384, MIB]) {
      if (length / chunk <= 2000) {
        assertOne(await digests(client, part(0, data, chunk)), 0, data);
      }
    }
  }
});

test("no message at all", async (t) => {
  // One empty part.
  assertOne(await digests(connect(t), []), 0, Buffer.alloc(0));
});

test("empty messages", async (t) => {
  const data = pattern(500);
  const requests = [{}, ...part(0, data, 100).flatMap((request) => [request, {}])];
  assertOne(await digests(connect(t), requests), 0, data);
});

test("parts interleaved", async (t) => {
  const parts = new Map();
  const waiting = new Map();
  for (let i = 0; i < 200; i += 1) {
    const number = String(i * 1_000_003);
    parts.set(number, pattern((i * 7919) % 200_000, i));
    waiting.set(number, pieces(parts.get(number), 1 + ((i * 104_729) % 20_000)));
  }
  const requests = [];
  while (waiting.size > 0) {
    for (const [number, chunks] of waiting) {
      const data = chunks.shift();
      const last = chunks.length === 0;
      requests.push({ part: number, data, last });
      if (last) {
        waiting.delete(number);
      }
    }
  }
  for (const answer of await digests(connect(t), requests)) {
    assert(parts.has(answer.part), `a part that was answered twice, or never sent: ${answer.part}`);
    assertDigest(answer, answer.part, parts.get(answer.part));
    parts.delete(answer.part);
  }
  assert.equal(parts.size, 0);
});

test("answers before the half-close", async (t) => {
  const call = new Call(connect(t).Digest(soon()));
  await call.send({ part: 1, data: Buffer.from("held back, ") });
  // A number that was answered may come again.
  for (const number of [2, 3, 2]) {
    await call.send({ part: number, data: Buffer.from("abc"), last: true });
    assertDigest(await call.next(), number, Buffer.from("abc"));
  }
  await call.send({ part: 1, data: Buffer.from("then sent") });
  call.halfClose();
  assertDigest(await call.next(), 1, Buffer.from("held back, then sent"));
  assert.equal(await call.next(), undefined);
});

test("several algorithms", async (t) => {
  const names = ["sha512", "sha256", "sha1", "md5"];
  const algorithms = names.map((name) => `ALGORITHM_${name.toUpperCase()}`);
  const client = connect(t);
  for (const length of [0, 127, 128, 65_537, MIB + 1]) {
    const data = pattern(length, length);
    const requests = part(0, data, 10_000);
    requests[0].open = { algorithms };
    const [answer] = await digests(client, requests);
    const wanted = names.map((name, i) => ({ algorithm: algorithms[i], digest: hashed(name, data) }));
    assert.deepEqual(answer.digests, wanted);
  }
});

test("verify", async (t) => {
  const client = connect(t);
  const data = pattern(300_000);
  const chunks = pieces(data, 65_536);
  for (const at of [0, 2, chunks.length - 1, chunks.length]) {
    for (const [digest, verdict] of [
      [sha256(data), "VERDICT_MATCH"],
      [sha256("something else"), "VERDICT_MISMATCH"],
    ]) {
      const requests = [...part(5, data, 65_536), { part: 5, last: true }];
      requests[at].expected = [{ algorithm: SHA256, digest }];
      const [answer, ...more] = await verdicts(client, requests);
      assert.deepEqual([answer.part, answer.sizeBytes, answer.verdict], ["5", "300000", verdict]);
      assert.deepEqual(answer.verdicts, [{ algorithm: SHA256, verdict, expected: digest, computed: sha256(data) }]);
      assert.deepEqual(more, []);
    }
  }
});

test("declared size mismatch", async (t) => {
  const data = pattern(1000);
  const declared = [1000, 1001, 999, 0, 150];
  const requests = declared.flatMap((sizeBytes, number) => {
    const [first, last] = part(number, data, 500);
    return [
      { ...first, open: { sizeBytes } },
      { ...last, last: true },
    ];
  });
  const answers = await digests(connect(t), requests);
  assert.equal(answers.length, declared.length);
  for (const answer of answers) {
    if (answer.part === "0") {
      // The other parts of the stream go on.
      assertDigest(answer, 0, data);
    } else {
      assert.deepEqual([answer.error.code, answer.error.reason], [status.INVALID_ARGUMENT, "SIZE_MISMATCH"]);
    }
  }
});

test("batch", async (t) => {
  const blobs = [...Array(400).keys()].map((length) => pattern(length, length));
  blobs.push(pattern(MIB, 1));
  const client = connect(t);
  const answer = await unary(client, "DigestBatch", { blobs });
  const wanted = blobs.map((blob) => ({ digests: [{ algorithm: SHA256, digest: sha256(blob) }] }));
  assert.deepEqual(answer.blobs, wanted);
  assert.deepEqual((await unary(client, "DigestBatch", {})).blobs, []);
});

test("compose", async (t) => {
  const client = connect(t);
  const partDigests = [];
  for (const letter of "ABC") {
    const data = Buffer.alloc(5 * MIB, letter);
    const answers = await digests(client, part(0, data, MIB));
    assertOne(answers, 0, data);
    partDigests.push(answers[0].digests[0].digest);
  }
  const compose = (expected) => unary(client, "Compose", { partDigests, expected });
  const answer = await compose(COMPOSITE);
  assert.deepEqual([answer.composite, answer.verdict], [COMPOSITE, "VERDICT_MATCH"]);
  assert.equal((await compose(COMPOSITE.replace("-3", "-4"))).verdict, "VERDICT_MISMATCH");
  // Cannot be a composite: a mistake, not a mismatch.
  await assertRefused(status.INVALID_ARGUMENT, "MALFORMED_EXPECTED", () => compose("something else"));
  await assertRefused(status.INVALID_ARGUMENT, "PART_COUNT", () => unary(client, "Compose", {}));
});

test("server info and the largest message", async (t) => {
  const client = connect(t);
  const info = await unary(client, "GetServerInfo", {});
  const sha = info.algorithms.find((row) => row.algorithm === SHA256);
  assert.equal(sha.digestBytes, 32);
  assert(info.version && info.workers >= 1, info);
  const most = Number(info.limits.messageBytesMax);
  // Besides the key, and the length in four bytes.
  const data = pattern(most - 5);
  assertOne(await digests(client, [{ data }]), 0, data);
  await assertRefused(status.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE", () =>
    digests(client, [{ data: pattern(most - 4) }]),
  );
});

test("compression is refused", async (t) => {
  const data = Buffer.alloc(100_000);
  // 2 is gzip.
  const compressing = connect(t, { "grpc.default_compression_algorithm": 2 });
  await assertRefused(status.UNIMPLEMENTED, "COMPRESSED", () => digests(compressing, part(0, data, 10_000)));
});

test("refusals", async (t) => {
  const client = connect(t);
  const options = (...algorithms) => ({ part: 1, open: { algorithms } });
  for (const [reason, ...requests] of [
    ["UNSUPPORTED_ALGORITHM", options(99)],
    ["DUPLICATE_ALGORITHM", options(SHA256, SHA256)],
    ["OPEN_NOT_FIRST", { part: 1, data: Buffer.from("a") }, options(SHA256)],
  ]) {
    await assertRefused(status.INVALID_ARGUMENT, reason, () => digests(client, requests));
  }
  const [answer] = await verdicts(client, [{ expected: [{ digest: Buffer.from("short") }] }]);
  assert.equal(answer.error.reason, "DIGEST_LENGTH");
});

test("large parts", async (t) => {
  const client = connect(t);
  const data = pattern(24 * MIB + 1, 1);
  for (const chunk of [16 << 10, 64 << 10, 1_000_003, 3 * MIB]) {
    assertOne(await digests(client, part(0, data, chunk)), 0, data);
  }
});

test("hundred open streams", async (t) => {
  const calls = await openCalls(connect(t), 100);
  for (const [i, call] of calls.entries()) {
    call.halfClose();
    assertDigest(await call.next(), i, pattern(70_000, i));
    assert.equal(await call.next(), undefined);
  }
});

test("cancel", async (t) => {
  const before = await endedWhenIdle();
  const client = connect(t);
  const calls = await openCalls(client, 50);
  for (const call of calls) {
    call.stream.cancel();
    await assert.rejects(call.next(), { code: status.CANCELLED });
  }
  await until("the parts are freed", async () => (await endedWhenIdle()) === before + 50);
  const data = Buffer.from("abc");
  assertOne(await digests(client, part(0, data, 1)), 0, data);
});

test("deadline", async (t) => {
  const before = await endedWhenIdle();
  const call = new Call(connect(t).Digest({ deadline: Date.now() + 1000 }));
  await call.send({ data: Buffer.from("and then nothing") });
  await assert.rejects(call.next(), { code: status.DEADLINE_EXCEEDED });
  await until("the part is freed", async () => (await endedWhenIdle()) === before + 1);
});
