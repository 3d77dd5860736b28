"""A headless Chromium for the tests of pages."""

import base64
import fcntl
import json
import os
import select
import subprocess
import time

PATIENCE = 60


class Browser:
    """One page of a headless Chromium, over the pipe of its DevTools protocol.

    `events` are the protocol's events so far, of the domains that were enabled.
    """

    def __init__(self, program, folder):
        # Away from 3 and 4, which the browser reads and writes.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for pair in (os.pipe(), os.pipe()) for fd in pair]
        its_read, self.write_fd, self.read_fd, its_write = high
        flags = ["--headless=new", "--remote-debugging-pipe", "--hide-scrollbars", "--disable-gpu"]
        # Its sandbox is not for root, nor for most containers. Nothing but the server's page is opened.
        flags += ["--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(
            [program, *flags, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: (os.dup2(its_read, 3), os.dup2(its_write, 4)),
            pass_fds=(3, 4),
        )
        os.close(its_read)
        os.close(its_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self.buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self.read_fd], [], [], left)[0]:
                    raise SystemExit(f"browser: no answer of the browser to {method}")
                more = os.read(self.read_fd, 1 << 20)
                if not more:
                    raise SystemExit("browser: the browser ended")
                self.buffer += more
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            # Others are events.
            if "method" in answer:
                self.events.append(answer)
            elif answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"browser: {method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"browser: {script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def text(self, name):
        return self.evaluate(f'document.getElementById("{name}").textContent')

    def until(self, what, script):
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            if time.monotonic() > deadline:
                text = self.evaluate("document.body.innerText")
                raise SystemExit(f"browser: not within {PATIENCE} s: {what}\n{text}")
            time.sleep(0.1)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def shot(self, path, height=None):
        """A picture of the whole page, or of its upper part."""
        height = height or self.evaluate("document.documentElement.scrollHeight")
        width = self.evaluate("innerWidth")
        self.resize(width, height)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(PATIENCE)
