// Prints each case, and ends with a line `grpc-js: P passed, F failed`. A case that is skipped has
// failed.
export default async function* (events) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    if (type === "test:pass" && data.skip === undefined && data.todo === undefined) {
      passed += 1;
      yield `ok: ${data.name} (${(data.details.duration_ms / 1000).toFixed(2)} s)\n`;
    } else if (type === "test:pass" || type === "test:fail") {
      failed += 1;
      const error = data.details.error;
      yield `FAILED: ${data.name}: ${error?.cause?.stack ?? error ?? "it was skipped"}\n`;
    }
  }
  yield `grpc-js: ${passed} passed, ${failed} failed\n`;
}
