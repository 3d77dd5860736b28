package hashlane.interop;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs all cases with grpc-java and ends with a line `grpc-java: P passed, F failed`. A case that is
 * skipped has failed.
 *
 * <p>Support has the server, made-up bytes and metrics, Call one streaming call, and each class
 * named *Test its cases. Load is another program.
 */
final class Main implements TestExecutionListener {
    private long passed;
    private long failed;

    public static void main(String[] arguments) {
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(StreamTest.class), selectClass(UnaryTest.class), selectClass(LoadTest.class))
                .build();
        var result = new Main();
        LauncherFactory.create().execute(request, result);
        System.out.printf("grpc-java: %d passed, %d failed%n", result.passed, result.failed);
        System.exit(result.failed == 0 ? 0 : 1);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean isGood = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (isGood && test.isTest()) {
            passed++;
            System.out.println("ok: " + test.getDisplayName());
        } else if (!isGood) {
            failed++;
            System.out.println("FAILED: " + test.getDisplayName());
            result.getThrowable().ifPresent(error -> error.printStackTrace(System.out));
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        failed++;
        System.out.println("FAILED: " + test.getDisplayName() + " was skipped: " + reason);
    }
}
