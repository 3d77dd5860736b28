package hashlane.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.github.hashlane.v1.Algorithm;
import io.github.hashlane.v1.ComposeRequest;
import io.github.hashlane.v1.DigestBatchRequest;
import io.github.hashlane.v1.GetServerInfoRequest;
import io.github.hashlane.v1.Verdict;
import io.grpc.Status;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The other methods, and the largest message. */
class UnaryTest extends Support {
    private static final String COMPOSITE = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3";

    @Test
    void batch() throws Exception {
        var request = DigestBatchRequest.newBuilder();
        for (int length = 0; length < 400; length++) {
            request.addBlobs(ByteString.copyFrom(pattern(length, length)));
        }
        request.addBlobs(ByteString.copyFrom(pattern(MIB, 1)));
        var answer = blocking().digestBatch(request.build());
        assertEquals(request.getBlobsCount(), answer.getBlobsCount());
        for (int i = 0; i < request.getBlobsCount(); i++) {
            var data = request.getBlobs(i).toByteArray();
            assertEquals(List.of(digestOf(data)), answer.getBlobs(i).getDigestsList());
        }
        assertEquals(0, blocking().digestBatch(DigestBatchRequest.getDefaultInstance()).getBlobsCount());
    }

    @Test
    void compose() throws Exception {
        var request = ComposeRequest.newBuilder().setExpected(COMPOSITE);
        for (char letter : "ABC".toCharArray()) {
            var data = new byte[5 * MIB];
            Arrays.fill(data, (byte) letter);
            var answers = digests(part(0, data, MIB));
            assertOne(answers, 0, data);
            request.addPartDigests(answers.get(0).getDigests(0).getDigest());
        }
        var answer = blocking().compose(request.build());
        assertEquals(COMPOSITE, answer.getComposite());
        assertEquals(Verdict.VERDICT_MATCH, answer.getVerdict());
        request.setExpected(COMPOSITE.replace("-3", "-4"));
        assertEquals(Verdict.VERDICT_MISMATCH, blocking().compose(request.build()).getVerdict());
        request.setExpected("something else"); // cannot be a composite: a mistake, not a mismatch
        var code = Status.Code.INVALID_ARGUMENT;
        assertRefused(code, "MALFORMED_EXPECTED", () -> blocking().compose(request.build()));
        assertRefused(code, "PART_COUNT", () -> blocking().compose(ComposeRequest.getDefaultInstance()));
    }

    @Test
    void serverInfoAndTheLargestMessage() throws Exception {
        var info = blocking().getServerInfo(GetServerInfoRequest.getDefaultInstance());
        assertTrue(info.getWorkers() >= 1, info.toString());
        assertFalse(info.getVersion().isEmpty());
        assertTrue(info.getAlgorithmsList().stream()
                .anyMatch(row -> row.getAlgorithm() == Algorithm.ALGORITHM_SHA256 && row.getDigestBytes() == 32));
        int most = (int) info.getLimits().getMessageBytesMax();
        var data = pattern(most - 5, 0); // besides the key, and the length in four bytes
        var requests = part(0, data, most);
        assertEquals(most, requests.get(0).getSerializedSize());
        assertOne(digests(requests), 0, data);
        var code = Status.Code.RESOURCE_EXHAUSTED;
        assertRefused(code, "MESSAGE_TOO_LARGE", () -> digests(part(0, pattern(most - 4, 0), most)));
    }
}
