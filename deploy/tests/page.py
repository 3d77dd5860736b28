#!/usr/bin/env python3
"""Looks at the admin page in a real browser: idle, busy, and with the server gone.

The picture of the lanes must agree with the figure beside it, nothing may be wider than the window,
and old figures must be said to be old. Screenshots go into a folder, if there is one.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import tempfile

from browser import PATIENCE, Browser

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
