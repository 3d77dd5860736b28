package hashlane.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.github.hashlane.v1.Algorithm;
import io.github.hashlane.v1.AlgorithmDigest;
import io.github.hashlane.v1.DigestRequest;
import io.github.hashlane.v1.DigestVerdict;
import io.github.hashlane.v1.PartOptions;
import io.github.hashlane.v1.Verdict;
import io.github.hashlane.v1.VerifyRequest;
import io.github.hashlane.v1.VerifyResponse;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Digest and Verify. */
class StreamTest extends Support {
    private static final Algorithm SHA256 = Algorithm.ALGORITHM_SHA256;

    @Test
    void lengthsAndChunks() throws Exception {
        // Around every edge of block and padding, and of HTTP/2's usual frames and windows.
        int[] lengths = {0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 16383, 16384, 16385, 65535, 65536, 65537};
        for (int length : lengths) {
            var data = pattern(length, length);
            for (int chunk : new int[] {1, 7, 64, 1021, 16384, MIB}) {
                if (length / chunk <= 2000) {
                    assertOne(digests(part(0, data, chunk)), 0, data);
                }
            }
        }
    }

    @Test
    void noMessageAtAll() throws Exception {
        // One empty part.
        assertOne(digests(List.of()), 0, new byte[0]);
    }

    @Test
    void emptyMessages() throws Exception {
        var data = pattern(500, 0);
        var requests = new ArrayList<DigestRequest>();
        requests.add(DigestRequest.getDefaultInstance());
        for (var request : part(0, data, 100)) {
            requests.add(request);
            requests.add(DigestRequest.getDefaultInstance());
        }
        assertOne(digests(requests), 0, data);
    }

    @Test
    void partsInterleaved() throws Exception {
        var order = new Random(4);
        Map<Long, byte[]> parts = new HashMap<>();
        Map<Long, List<ByteString>> waiting = new HashMap<>();
        var open = new ArrayList<Long>();
        for (int i = 0; i < 200; i++) {
            long number = i * 1_000_003L;
            parts.put(number, pattern(order.nextInt(200_000), i));
            waiting.put(number, pieces(parts.get(number), 1 + order.nextInt(20_000)));
            open.add(number);
        }
        var requests = new ArrayList<DigestRequest>();
        while (!open.isEmpty()) {
            int at = order.nextInt(open.size());
            long number = open.get(at);
            var chunks = waiting.get(number);
            var request = DigestRequest.newBuilder().setPart(number).setData(chunks.remove(0));
            if (chunks.isEmpty()) {
                request.setLast(true);
                open.remove(at);
            }
            requests.add(request.build());
        }
        for (var answer : digests(requests)) {
            var data = parts.remove(answer.getPart());
            assertTrue(data != null, "a part that was answered twice, or never sent: " + answer);
            assertDigest(answer, answer.getPart(), data);
        }
        assertEquals(Map.of(), parts);
    }

    @Test
    void answersBeforeTheHalfClose() throws Exception {
        var call = digest(stub());
        call.send(request(1, "held back, ", false));
        for (int number : new int[] {2, 3, 2}) { // a number that was answered may come again
            call.send(request(number, "abc", true));
            assertDigest(call.next(), number, "abc".getBytes());
        }
        call.send(request(1, "then sent", false));
        call.halfClose();
        assertDigest(call.next(), 1, "held back, then sent".getBytes());
        assertNull(call.next());
    }

    @Test
    void severalAlgorithms() throws Exception {
        var names = new LinkedHashMap<Algorithm, String>();
        names.put(Algorithm.ALGORITHM_SHA512, "SHA-512");
        names.put(SHA256, "SHA-256");
        names.put(Algorithm.ALGORITHM_SHA1, "SHA-1");
        names.put(Algorithm.ALGORITHM_MD5, "MD5");
        var options = PartOptions.newBuilder().addAllAlgorithms(names.keySet());
        for (int length : new int[] {0, 127, 128, 65_537, MIB + 1}) {
            var data = pattern(length, length);
            var requests = part(0, data, 10_000);
            requests.set(0, requests.get(0).toBuilder().setOpen(options).build());
            var answers = digests(requests);
            assertEquals(1, answers.size());
            var wanted = new ArrayList<AlgorithmDigest>();
            names.forEach((algorithm, name) -> wanted.add(AlgorithmDigest.newBuilder()
                    .setAlgorithm(algorithm)
                    .setDigest(hashed(name, data))
                    .build()));
            assertEquals(wanted, answers.get(0).getDigestsList());
        }
    }

    @Test
    void verify() throws Exception {
        var data = pattern(300_000, 0);
        var chunks = pieces(data, 65_536);
        for (int at : new int[] {0, 2, chunks.size() - 1, chunks.size()}) {
            for (var expected : List.of(sha256(data), sha256("something else".getBytes()))) {
                var verdict =
                        expected.equals(sha256(data)) ? Verdict.VERDICT_MATCH : Verdict.VERDICT_MISMATCH;
                var requests = new ArrayList<VerifyRequest>();
                for (var chunk : chunks) {
                    requests.add(VerifyRequest.newBuilder().setPart(5).setData(chunk).build());
                }
                requests.add(VerifyRequest.newBuilder().setPart(5).setLast(true).build());
                var digest = AlgorithmDigest.newBuilder().setAlgorithm(SHA256).setDigest(expected);
                requests.set(at, requests.get(at).toBuilder().addExpected(digest).build());
                var wanted = VerifyResponse.newBuilder()
                        .setPart(5)
                        .setSizeBytes(data.length)
                        .setVerdict(verdict)
                        .addVerdicts(DigestVerdict.newBuilder()
                                .setAlgorithm(SHA256)
                                .setVerdict(verdict)
                                .setExpected(expected)
                                .setComputed(sha256(data)))
                        .build();
                assertEquals(List.of(wanted), verdicts(requests));
            }
        }
    }

    @Test
    void declaredSizeMismatch() throws Exception {
        var data = pattern(1000, 0);
        long[] declared = {1000, 1001, 999, 0, 150};
        var requests = new ArrayList<DigestRequest>();
        for (int number = 0; number < declared.length; number++) {
            var open = PartOptions.newBuilder().setSizeBytes(declared[number]);
            var chunks = part(number, data, 500);
            requests.add(chunks.get(0).toBuilder().setOpen(open).build());
            requests.add(chunks.get(1).toBuilder().setLast(true).build());
        }
        var answers = digests(requests);
        assertEquals(declared.length, answers.size());
        for (var answer : answers) {
            if (answer.getPart() == 0) { // the other parts of the stream go on
                assertDigest(answer, 0, data);
            } else {
                assertEquals(Status.Code.INVALID_ARGUMENT.value(), answer.getError().getCode());
                assertEquals("SIZE_MISMATCH", answer.getError().getReason());
            }
        }
    }

    @Test
    void compressionIsRefused() throws Exception {
        var data = new byte[100_000];
        var call = digest(stub().withCompression("gzip"));
        assertRefused(Status.Code.UNIMPLEMENTED, "COMPRESSED", () -> call.exchange(part(0, data, 10_000)));
        // The connection goes on.
        assertOne(digests(part(0, data, 10_000)), 0, data);
    }

    @Test
    void refusals() throws Exception {
        var sha = DigestRequest.newBuilder()
                .setPart(1)
                .setOpen(PartOptions.newBuilder().addAlgorithms(SHA256))
                .build();
        var twice = sha.toBuilder().setOpen(sha.getOpen().toBuilder().addAlgorithms(SHA256)).build();
        var unknown = sha.toBuilder().setOpen(PartOptions.newBuilder().addAlgorithmsValue(99)).build();
        var refusals = Map.of(
                "UNSUPPORTED_ALGORITHM", List.of(unknown),
                "DUPLICATE_ALGORITHM", List.of(twice),
                "OPEN_NOT_FIRST", List.of(request(1, "a", false), sha));
        for (var refusal : refusals.entrySet()) {
            assertRefused(Status.Code.INVALID_ARGUMENT, refusal.getKey(), () -> digests(refusal.getValue()));
        }
        var digest = AlgorithmDigest.newBuilder().setDigest(ByteString.copyFromUtf8("short"));
        var answers = verdicts(List.of(VerifyRequest.newBuilder().addExpected(digest).build()));
        assertEquals(1, answers.size());
        assertEquals("DIGEST_LENGTH", answers.get(0).getError().getReason());
    }
}
