package hashlane.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import io.github.hashlane.v1.Algorithm;
import io.github.hashlane.v1.AlgorithmDigest;
import io.github.hashlane.v1.DigestRequest;
import io.github.hashlane.v1.DigestResponse;
import io.github.hashlane.v1.HashServiceGrpc;
import io.github.hashlane.v1.HashServiceGrpc.HashServiceBlockingStub;
import io.github.hashlane.v1.HashServiceGrpc.HashServiceStub;
import io.github.hashlane.v1.VerifyRequest;
import io.github.hashlane.v1.VerifyResponse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.function.Executable;

/** What the cases share: the server, made-up bytes, its metrics. */
abstract class Support {
    /** No condition of these tests takes so long, on any machine. */
    static final long PATIENCE_SECONDS = 30;

    static final int MIB = 1 << 20;
    static final String ADDRESS = variable("HASHLANE_ADDRESS");
    static final URI METRICS = URI.create(variable("HASHLANE_ADMIN") + "/metrics");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    ManagedChannel channel;

    @BeforeEach
    void connect() {
        channel = ManagedChannelBuilder.forTarget(ADDRESS).usePlaintext().build();
    }

    @AfterEach
    void disconnect() throws InterruptedException {
        channel.shutdownNow();
        channel.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    static String variable(String name) {
        var value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalStateException(name + " is not set: run deploy/tests/interop.sh");
        }
        return value;
    }

    HashServiceStub stub() {
        return HashServiceGrpc.newStub(channel).withDeadlineAfter(Duration.ofSeconds(PATIENCE_SECONDS));
    }

    HashServiceBlockingStub blocking() {
        return HashServiceGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofSeconds(PATIENCE_SECONDS));
    }

    Call<DigestRequest, DigestResponse> digest(HashServiceStub stub) {
        var call = new Call<DigestRequest, DigestResponse>();
        stub.digest(call);
        return call;
    }

    List<DigestResponse> digests(Iterable<DigestRequest> requests) throws InterruptedException {
        return digest(stub()).exchange(requests);
    }

    List<VerifyResponse> verdicts(Iterable<VerifyRequest> requests) throws InterruptedException {
        var call = new Call<VerifyRequest, VerifyResponse>();
        stub().verify(call);
        return call.exchange(requests);
    }

    /** Bytes of period 251, so that swapped blocks show. */
    static byte[] pattern(int length, int seed) {
        var data = new byte[length];
        for (int i = 0; i < length; i++) {
            data[i] = (byte) ((i + 7 * seed) % 251);
        }
        return data;
    }

    static ByteString hashed(String name, byte[] data) {
        try {
            return ByteString.copyFrom(MessageDigest.getInstance(name).digest(data));
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError(error);
        }
    }

    static ByteString sha256(byte[] data) {
        return hashed("SHA-256", data);
    }

    static AlgorithmDigest digestOf(byte[] data) {
        return AlgorithmDigest.newBuilder()
                .setAlgorithm(Algorithm.ALGORITHM_SHA256)
                .setDigest(sha256(data))
                .build();
    }

    /** Data in chunks; without data there is one empty chunk. */
    static List<ByteString> pieces(byte[] data, int length) {
        var chunks = new ArrayList<ByteString>();
        int at = 0;
        do {
            int bytes = Math.min(length, data.length - at);
            chunks.add(ByteString.copyFrom(data, at, bytes));
            at += bytes;
        } while (at < data.length);
        return chunks;
    }

    /** A part as the simplest client sends it. */
    static List<DigestRequest> part(long number, byte[] data, int chunk) {
        var requests = new ArrayList<DigestRequest>();
        for (var piece : pieces(data, chunk)) {
            requests.add(DigestRequest.newBuilder().setPart(number).setData(piece).build());
        }
        return requests;
    }

    static DigestRequest request(long number, String data, boolean last) {
        return DigestRequest.newBuilder()
                .setPart(number)
                .setData(ByteString.copyFromUtf8(data))
                .setLast(last)
                .build();
    }

    static void assertDigest(DigestResponse answer, long number, byte[] data) {
        var wanted = DigestResponse.newBuilder()
                .setPart(number)
                .setSizeBytes(data.length)
                .addDigests(digestOf(data))
                .build();
        assertEquals(wanted, answer);
    }

    static void assertOne(List<DigestResponse> answers, long number, byte[] data) {
        assertEquals(1, answers.size());
        assertDigest(answers.get(0), number, data);
    }

    /** The call is refused with a google.rpc.Status that has an ErrorInfo. */
    static void assertRefused(Status.Code code, String reason, Executable call) throws Exception {
        var error = assertThrows(StatusRuntimeException.class, call);
        assertEquals(code, error.getStatus().getCode(), error.toString());
        var status = StatusProto.fromThrowable(error);
        assertEquals(code.value(), status.getCode());
        for (var detail : status.getDetailsList()) {
            if (detail.is(ErrorInfo.class)) {
                var info = detail.unpack(ErrorInfo.class);
                assertEquals("hashlane " + reason, info.getDomain() + " " + info.getReason());
                return;
            }
        }
        fail("no ErrorInfo: " + status);
    }

    /** The sum of the samples of a name that have all labels, each as in `label="value"`. */
    static double metric(String name, String... labels) {
        String text;
        try {
            var request = HttpRequest.newBuilder(METRICS)
                    .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                    .build();
            text = HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (Exception error) {
            throw new AssertionError("no metrics", error);
        }
        var samples = Pattern.compile("(?m)^" + name + "(\\{.*\\})? (\\S+)$").matcher(text);
        double total = 0;
        boolean found = false;
        while (samples.find()) {
            found = true;
            var given = samples.group(1) == null ? "" : samples.group(1);
            if (List.of(labels).stream().allMatch(given::contains)) {
                total += Double.parseDouble(samples.group(2));
            }
        }
        if (!found) {
            fail("no metric " + name);
        }
        return total;
    }

    static double cancelled() {
        return metric("hashlane_parts_total", "rpc=\"Digest\"", "outcome=\"cancelled\"");
    }

    /** Waits until the condition holds. */
    static void until(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                fail("still not so: " + what);
            }
            Thread.sleep(10);
        }
    }
}
