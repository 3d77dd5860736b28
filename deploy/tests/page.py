#!/usr/bin/env python3
"""Looks at the admin page in a real browser: idle, busy, and with the server gone.

The picture of the lanes must agree with the figure beside it, nothing may be wider than the window,
and old figures must be said to be old. Screenshots go into a folder, if there is one.
"""

import argparse
import base64
import fcntl
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import time

PATIENCE = 60

# What is drawn for each worker, and the figure in its text.
DRAWN = """
JSON.stringify([...document.querySelectorAll(".worker")].map((worker) => {
  const height = (kind) => [...worker.querySelectorAll(`.lane .${kind}`)]
    .reduce((all, lane) => all + parseFloat(lane.style.height), 0);
  return {used: height("used"), there: height("there"), text: worker.querySelector(".figures").textContent,
    idle: parseFloat(worker.querySelector(".time .idle").style.width), state: worker.querySelector(".counts").textContent,
    lane: worker.querySelector(".lane").getBoundingClientRect().width};
}))
"""


class Browser:
    """One page of a headless Chromium, over the pipe of its DevTools protocol."""

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
        self.buffer, self.number, self.session = b"", 0, None
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
                    raise SystemExit(f"page: no answer of the browser to {method}")
                more = os.read(self.read_fd, 1 << 20)
                if not more:
                    raise SystemExit("page: the browser ended")
                self.buffer += more
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            # Others are events.
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"page: {method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"page: {script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def text(self, name):
        return self.evaluate(f'document.getElementById("{name}").textContent')

    def until(self, what, script):
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(script):
            if time.monotonic() > deadline:
                raise SystemExit(f"page: not within {PATIENCE} s: {what}\n{self.evaluate('document.body.innerText')}")
            time.sleep(0.1)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def shot(self, path):
        height = self.evaluate("document.documentElement.scrollHeight")
        width = self.evaluate("innerWidth")
        self.resize(width, height)
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(PATIENCE)


def look(browser, name, shots):
    """Nothing is too wide, in a wide window and in a narrow one, by day and by night."""
    for width in (1280, 390):
        for theme in ("light", "dark"):
            browser.resize(width, 900)
            browser.theme(theme)
            needed = browser.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                raise SystemExit(f"page: {name} needs {needed} pixels of {width}")
            lanes = json.loads(browser.evaluate(DRAWN))
            if not lanes or min(worker["lane"] for worker in lanes) < 2:
                raise SystemExit(f"page: {name}: lanes have no width at {width} pixels: {lanes}")
            if shots:
                browser.shot(os.path.join(shots, f"{name}-{width}-{theme}.png"))
    browser.resize(1280, 900)
    browser.theme("light")


def agrees(browser):
    """Whether a worker has something drawn, and the picture shows the figure of each."""
    workers = json.loads(browser.evaluate(DRAWN))
    for worker in workers:
        busy = re.search(r"([0-9.]+)% busy", worker["state"])
        if not busy or abs(100 - worker["idle"] - float(busy[1])) > 0.51:
            raise SystemExit(f"page: the bar is not of the figure: {worker}")
        figure = re.match(r"(\S+)% of lanes in use · efficiency (\S+)", worker["text"])
        if worker["there"] == 0:
            if not worker["text"].startswith("- of lanes in use · efficiency -"):
                raise SystemExit(f"page: figures without a picture: {worker}")
        elif not figure or abs(100 * worker["used"] / worker["there"] - float(figure[1])) > 0.51:
            raise SystemExit(f"page: the picture is not of the figure: {worker}")
    return any(worker["there"] > 0 for worker in workers)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--admin", required=True, help="URL of a server that nobody uses")
    parser.add_argument("--server-pid", type=int, required=True, help="ended with SIGTERM at the end")
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--shots", help="folder for screenshots")
    parser.add_argument("load", nargs="+", help="command that loads the server; ended with SIGTERM")
    arguments = parser.parse_args()
    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(arguments.chromium, folder)
        load = None
        try:
            browser.resize(1280, 900)
            browser.call("Page.navigate", url=arguments.admin)
            idle = """document.getElementById("efficiency")?.textContent === "-"
                && document.getElementById("in-use").textContent === "-" """
            browser.until("figures of an idle server", idle)
            look(browser, "idle", arguments.shots)

            load = subprocess.Popen(arguments.load, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            busy = """document.getElementById("efficiency").textContent !== "-" """
            browser.until("figures of a busy server", busy)
            # In a second of their own each.
            for _ in range(30 if arguments.shots else 8):
                uptime = json.dumps(browser.text("about"))
                browser.until("the next figures", f'document.getElementById("about").textContent !== {uptime}')
                if not agrees(browser):
                    raise SystemExit("page: nothing is drawn of a busy server")
            look(browser, "busy", arguments.shots)
            load.send_signal(signal.SIGTERM)
            load.wait(PATIENCE)

            os.kill(arguments.server_pid, signal.SIGTERM)
            browser.until("stale figures", 'document.body.classList.contains("stale")')
            said = browser.text("stale")
            if not re.match(r"No answer since .+, for \d+ s \(.+\)\. All figures below are of that time\.", said):
                raise SystemExit(f"page: {said}")
            look(browser, "gone", arguments.shots)
        finally:
            if load is not None and load.poll() is None:
                load.kill()
            browser.end()
    print("the page shows an idle, a busy and a lost server")


main()
