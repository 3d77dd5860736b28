package hashlane.interop;

import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** One call of a streaming method: sends and reads one message at a time. */
final class Call<Q, A> implements ClientResponseObserver<Q, A> {
    /** An answer; an error, which ends the call; or neither, which is a good end. */
    private record Event<A>(A answer, RuntimeException error) {}

    private final BlockingQueue<Event<A>> events = new LinkedBlockingQueue<>();
    private final Semaphore ready = new Semaphore(0);
    private ClientCallStreamObserver<Q> requests;
    private volatile boolean hasEnded;

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> requests) {
        this.requests = requests;
        requests.setOnReadyHandler(ready::release);
    }

    @Override
    public void onNext(A answer) {
        events.add(new Event<>(answer, null));
    }

    @Override
    public void onError(Throwable error) {
        end((StatusRuntimeException) error);
    }

    @Override
    public void onCompleted() {
        end(null);
    }

    private void end(RuntimeException error) {
        hasEnded = true;
        events.add(new Event<>(null, error));
        ready.release();
    }

    /** Sends a message once there is room for it, as flow control wants it. False if the call has ended. */
    boolean send(Q request) throws InterruptedException {
        while (!requests.isReady()) {
            if (hasEnded) {
                return false;
            }
            if (!ready.tryAcquire(Support.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("there is no room for a message");
            }
        }
        requests.onNext(request);
        return true;
    }

    void halfClose() {
        if (!hasEnded) {
            requests.onCompleted();
        }
    }

    void cancel() {
        requests.cancel("the test wants it", null);
    }

    /** The next answer; null at the end of the call, if it ended well. */
    A next() throws InterruptedException {
        var event = events.poll(Support.PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (event == null) {
            throw new AssertionError("no answer");
        }
        if (event.error() != null) {
            throw event.error();
        }
        return event.answer();
    }

    /** Sends all requests, half-closes, and reads all answers. */
    List<A> exchange(Iterable<Q> sent) throws InterruptedException {
        for (var request : sent) {
            if (!send(request)) {
                break;
            }
        }
        halfClose();
        var answers = new ArrayList<A>();
        for (var answer = next(); answer != null; answer = next()) {
            answers.add(answer);
        }
        return answers;
    }
}
