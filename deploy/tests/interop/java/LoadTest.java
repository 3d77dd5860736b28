package hashlane.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.hashlane.v1.DigestRequest;
import io.github.hashlane.v1.DigestResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Large parts, many streams, cancels, deadlines. */
class LoadTest extends Support {
    /** Waits until nothing is left of what was sent, and tells how many parts were cancelled so far. */
    private static double cancelledWhenIdle() throws InterruptedException {
        until("nothing is open", () -> metric("hashlane_streams") == 0 && metric("hashlane_open_jobs") == 0);
        return cancelled();
    }

    @Test
    void largeParts() throws Exception {
        var data = pattern(24 * MIB + 1, 1);
        for (int chunk : new int[] {16 << 10, 64 << 10, 1_000_003, 3 * MIB}) {
            assertOne(digests(part(0, data, chunk)), 0, data);
        }
    }

    @Test
    void hundredOpenStreams() throws Exception {
        var calls = openCalls(100);
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).halfClose();
            assertDigest(calls.get(i).next(), i, pattern(70_000, i));
        }
    }

    @Test
    void cancel() throws Exception {
        double before = cancelledWhenIdle();
        var calls = openCalls(50);
        for (var call : calls) {
            call.cancel();
            var error = assertThrows(StatusRuntimeException.class, call::next);
            assertEquals(Status.Code.CANCELLED, error.getStatus().getCode());
        }
        until("the parts are freed", () -> cancelled() == before + calls.size());
        cancelledWhenIdle();
        var data = "abc".getBytes();
        assertOne(digests(part(0, data, 1)), 0, data);
    }

    @Test
    void deadline() throws Exception {
        double before = cancelledWhenIdle();
        var call = digest(stub().withDeadlineAfter(Duration.ofSeconds(1)));
        call.send(request(0, "and then nothing", false));
        var error = assertThrows(StatusRuntimeException.class, call::next);
        assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
        until("the part is freed", () -> cancelled() == before + 1);
        cancelledWhenIdle();
    }

    /** Calls with an open part each. */
    private List<Call<DigestRequest, DigestResponse>> openCalls(int count) throws Exception {
        var calls = new ArrayList<Call<DigestRequest, DigestResponse>>();
        for (int i = 0; i < count; i++) {
            var call = digest(stub());
            for (var request : part(i, pattern(70_000, i), 30_000)) {
                call.send(request);
            }
            calls.add(call);
        }
        until("all parts are open", () -> metric("hashlane_open_jobs") == count);
        return calls;
    }
}
