// What the cases share: the server, made-up bytes, calls, metrics.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import protobuf from "protobufjs";

export const MIB = 1 << 20;
// No condition of these tests takes so long, on any machine.
export const PATIENCE_MS = 30_000;
export const SHA256 = "ALGORITHM_SHA256";

function variable(name) {
  const value = process.env[name];
  assert(value, `${name} is not set: run deploy/tests/interop.sh`);
  return value;
}

const ADDRESS = variable("HASHLANE_ADDRESS");
const ADMIN = variable("HASHLANE_ADMIN");

// No code is generated: proto-loader reads the contract.
const contract = grpc.loadPackageDefinition(
  loader.loadSync("hashlane/v1/hash_service.proto", {
    includeDirs: [variable("HASHLANE_PROTO")],
    longs: String,
    enums: String,
    defaults: true,
  }),
);

const google = new protobuf.Root();
google.resolvePath = (_origin, target) => path.join(variable("HASHLANE_GOOGLE_PROTO"), target);
google.loadSync(["google/rpc/status.proto", "google/rpc/error_details.proto"]);

/** A client with a connection of its own. */
export function connect(t, options = {}) {
  const own = { "grpc.use_local_subchannel_pool": 1, ...options };
  const client = new contract.hashlane.v1.HashService(ADDRESS, grpc.credentials.createInsecure(), own);
  t.after(() => client.close());
  return client;
}

export function soon() {
  return { deadline: Date.now() + PATIENCE_MS };
}

/** Bytes of period 251, so that swapped blocks show. */
export function pattern(length, seed = 0) {
  const period = Uint8Array.from({ length: 251 }, (_, i) => (i + 7 * seed) % 251);
  return Buffer.alloc(length, period);
}

export function hashed(name, data) {
  return createHash(name).update(data).digest();
}

export function sha256(data) {
  return hashed("sha256", data);
}

/** Data in chunks; without data there is one empty chunk. */
export function pieces(data, length) {
  const chunks = [];
  for (let at = 0; at < data.length; at += length) {
    chunks.push(data.subarray(at, at + length));
  }
  return chunks.length > 0 ? chunks : [data];
}

/** A part as the simplest client sends it. */
export function part(number, data, chunk) {
  return pieces(data, chunk).map((piece) => ({ part: number, data: piece }));
}

/** A streaming call whose answers are read one by one. */
export class Call {
  constructor(stream) {
    this.stream = stream;
    this.answers = stream[Symbol.asyncIterator]();
    this.hasEnded = false;
    this.end = new Promise((resolve) => {
      stream.once("status", () => {
        this.hasEnded = true;
        resolve();
      });
    });
    // Errors come by way of the answers; unheard ones would end the process.
    stream.on("error", () => {});
  }

  /** Sends a message, and waits until there is room for the next one. */
  async send(request) {
    if (!this.hasEnded && !this.stream.write(request)) {
      const room = new Promise((resolve) => this.stream.once("drain", resolve));
      await Promise.race([room, this.end]);
    }
  }

  halfClose() {
    this.stream.end();
  }

  /** The next answer; undefined at the end of the call. */
  async next() {
    return (await this.answers.next()).value;
  }

  /** Sends all requests, half-closes, and reads all answers; both at once. */
  async exchange(requests) {
    const sending = (async () => {
      for (const request of requests) {
        await this.send(request);
      }
      this.halfClose();
    })();
    const answers = [];
    for (let answer = await this.next(); answer !== undefined; answer = await this.next()) {
      answers.push(answer);
    }
    await sending;
    return answers;
  }
}

export function digests(client, requests) {
  return new Call(client.Digest(soon())).exchange(requests);
}

export function verdicts(client, requests) {
  return new Call(client.Verify(soon())).exchange(requests);
}

/** A call of one message. */
export function unary(client, method, request) {
  return new Promise((resolve, reject) => {
    client[method](request, soon(), (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

export function assertDigest(answer, number, data) {
  assert.equal(answer.error, undefined);
  assert.equal(answer.part, String(number));
  assert.equal(answer.sizeBytes, String(data.length));
  assert.deepEqual(answer.digests, [{ algorithm: SHA256, digest: sha256(data) }]);
}

export function assertOne(answers, number, data) {
  assert.equal(answers.length, 1);
  assertDigest(answers[0], number, data);
}

/** The call is refused with a google.rpc.Status that has an ErrorInfo. */
export async function assertRefused(code, reason, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.code, code, error);
    const [bytes] = error.metadata.get("grpc-status-details-bin");
    const status = google.lookupType("google.rpc.Status").decode(bytes);
    assert.deepEqual([status.code, status.message], [code, error.details]);
    const detail = status.details.find((any) => any.type_url.endsWith("/google.rpc.ErrorInfo"));
    const info = google.lookupType("google.rpc.ErrorInfo").decode(detail.value);
    assert.deepEqual([info.domain, info.reason], ["hashlane", reason]);
    return true;
  });
}

/** The sum of the samples of a name that have all labels, each as in `label="value"`. */
export async function metric(name, ...labels) {
  const answer = await fetch(`${ADMIN}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const samples = [...(await answer.text()).matchAll(new RegExp(`^${name}(\\{.*\\})? (\\S+)$`, "gm"))];
  assert(samples.length > 0, `no metric ${name}`);
  return samples
    .filter(([, given]) => labels.every((label) => (given ?? "").includes(label)))
    .reduce((total, [, , value]) => total + Number(value), 0);
}

/** Waits until the condition holds. */
export async function until(what, condition) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    assert(Date.now() < deadline, `still not so: ${what}`);
    await sleep(10);
  }
}

export const { status } = grpc;
