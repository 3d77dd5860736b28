package hashlane.interop;

import com.google.protobuf.ByteString;
import io.github.hashlane.v1.DigestRequest;
import io.github.hashlane.v1.DigestResponse;
import io.github.hashlane.v1.HashServiceGrpc;
import io.github.hashlane.v1.HashServiceGrpc.HashServiceStub;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Sends Digest streams with grpc-java. What it prints and waits for is in loadtest/clients/README.md. */
final class Load {
    /** A part is cut from a ring of so many different messages. */
    private static final int RING_MESSAGES = 16;

    private final Map<String, String> flags = new HashMap<>();
    private final int streams;
    private final int chunkBytes;
    private final int partChunks;
    private final List<HashServiceStub> stubs = new ArrayList<>();
    private final List<DigestRequest> ring = new ArrayList<>();
    /** The digest of the first n messages. */
    private final List<ByteString> digests = new ArrayList<>();

    private Load(String[] arguments) throws Exception {
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            flags.put(arguments[i], arguments[i + 1]);
        }
        streams = number("--streams", 32);
        chunkBytes = number("--chunk-bytes", 64 << 10);
        partChunks = number("--part-chunks", 128);
        for (int i = number("--connections", 4); i > 0; i--) {
            var channel = ManagedChannelBuilder.forTarget(flags.get("--server")).usePlaintext().build();
            stubs.add(HashServiceGrpc.newStub(channel));
        }
        var data = new ArrayList<byte[]>();
        for (int i = 0; i < RING_MESSAGES; i++) {
            var chunk = new byte[chunkBytes];
            for (int j = 0; j < chunkBytes; j++) {
                chunk[j] = (byte) ((j + 7 * i) % 251);
            }
            data.add(chunk);
            ring.add(DigestRequest.newBuilder().setData(ByteString.copyFrom(chunk)).build());
        }
        digests.add(ByteString.EMPTY);
        var digest = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < partChunks; i++) {
            digest.update(data.get(i % RING_MESSAGES));
            digests.add(ByteString.copyFrom(((MessageDigest) digest.clone()).digest()));
        }
    }

    private int number(String flag, int otherwise) {
        return Integer.parseInt(flags.getOrDefault(flag, Integer.toString(otherwise)));
    }

    /** A stream: parts one after the other, each on a call of its own. */
    private final class Stream implements ClientResponseObserver<DigestRequest, DigestResponse> {
        private final HashServiceStub stub;
        private final CountDownLatch open;
        /** Messages that are left, and of these the next part's. */
        private int left;

        private int following;
        /** Of the part that is sent. */
        private int messages;

        private int sent;
        private boolean isAnswered;
        private ClientCallStreamObserver<DigestRequest> requests;

        Stream(int index, int messages, CountDownLatch open) {
            stub = stubs.get(index % stubs.size());
            this.open = open;
            left = messages;
            // First parts differ in length, so that streams do not end in step.
            following = 1 + (partChunks - 1) * index / streams;
        }

        void next() {
            if (left == 0) {
                open.countDown();
                return;
            }
            messages = Math.min(following, left);
            left -= messages;
            following = partChunks;
            sent = 0;
            isAnswered = false;
            stub.digest(this);
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<DigestRequest> requests) {
            this.requests = requests;
            requests.setOnReadyHandler(this::send);
        }

        private void send() {
            while (sent < messages && requests.isReady()) {
                requests.onNext(ring.get(sent % RING_MESSAGES));
                sent++;
                if (sent == messages) {
                    requests.onCompleted();
                }
            }
        }

        @Override
        public void onNext(DigestResponse answer) {
            if (isAnswered
                    || answer.getDigestsCount() != 1
                    || !answer.getDigests(0).getDigest().equals(digests.get(messages))) {
                fail("a part of " + messages + " messages has a wrong digest: " + answer);
            }
            isAnswered = true;
        }

        @Override
        public void onError(Throwable error) {
            fail(error.toString());
        }

        @Override
        public void onCompleted() {
            if (!isAnswered) {
                fail("a call ended without an answer");
            }
            next();
        }
    }

    private static void fail(String text) {
        System.err.println("grpc-java load: " + text);
        Runtime.getRuntime().halt(1);
    }

    /** Sends bytes over all streams at once and tells how many that were. */
    private long run(long bytes) throws InterruptedException {
        int each = (int) (bytes / streams / chunkBytes);
        var open = new CountDownLatch(streams);
        for (int i = 0; i < streams; i++) {
            new Stream(i, each, open).next();
        }
        open.await();
        return (long) each * streams * chunkBytes;
    }

    public static void main(String[] arguments) throws Exception {
        var load = new Load(arguments);
        load.run(Long.parseLong(load.flags.getOrDefault("--warmup-bytes", "0")));
        System.out.println("ready");
        var input = new BufferedReader(new InputStreamReader(System.in));
        if (input.readLine() == null) {
            fail("nobody said go");
        }
        long started = System.nanoTime();
        long sent = load.run(Long.parseLong(load.flags.getOrDefault("--bytes", "0")));
        System.out.println("done " + sent + " " + (System.nanoTime() - started) / 1e9);
        // Whoever measures looks at this process before it ends.
        while (input.readLine() != null) {}
        Runtime.getRuntime().halt(0);
    }
}
