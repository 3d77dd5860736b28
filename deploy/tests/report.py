#!/usr/bin/env python3
"""Looks at a report of the load generator in a real browser.

The console stays empty, the page asks for nothing but itself, nothing is wider than the window, labels of charts do
not overlap, and every figure is the one of the documents.
"""

import argparse
import json
import os
import re
import tempfile

from browser import Browser

FIGURES = """
JSON.stringify([...document.querySelectorAll("data[data-at]")].map((figure) =>
  [Number(figure.dataset.run), figure.dataset.at, figure.value, figure.textContent]))
"""

# Labels of visible charts that overlap, and labels that are cut off.
OVERLAPS = """
JSON.stringify([...document.querySelectorAll("svg")].filter((svg) => svg.getClientRects().length).flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  const labels = [...svg.querySelectorAll("text")]
    .map((text) => [text.textContent.trim(), text.getBoundingClientRect()]);
  const cut = labels.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1
    || box.bottom > frame.bottom + 1 || box.top < frame.top - 1).map(([text]) => `${text} is cut off`);
  const pairs = labels.flatMap(([text, box], index) => labels.slice(index + 1)
    .filter(([, other]) => box.left < other.right && other.left < box.right && box.top + 2 < other.bottom
      && other.top + 2 < box.bottom).map(([other]) => `${text} and ${other} overlap`));
  return [...cut, ...pairs].map((fault) => `${svg.closest("section").id}: ${fault}`);
}))
"""

# Charts that are there for the window's width, and the size of their text in pixels.
CHARTS = """
JSON.stringify([...document.querySelectorAll("section.card[id]")].map((card) => {
  const shown = [...card.querySelectorAll("svg")].filter((svg) => svg.getClientRects().length);
  const text = shown[0]?.querySelector("text");
  const scale = shown[0] && shown[0].getBoundingClientRect().width / shown[0].viewBox.baseVal.width;
  return {id: card.id, shown: shown.length, text: text && Number(text.getAttribute("font-size")) * scale};
}))
"""

# The page's colour and that of the charts' labels.
COLOURS = """
JSON.stringify([getComputedStyle(document.body).backgroundColor,
  getComputedStyle(document.querySelector("svg text")).fill])
"""


def pointed(document, pointer):
    """What a JSON pointer points to."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def check_figures(figures, documents):
    """Exact values are the documents', and texts are these values rounded."""
    numbers = 0
    for run, pointer, exact, text in figures:
        value = pointed(documents[run], pointer)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            same = exact == value if isinstance(value, str) else json.loads(exact) == value
        else:
            numbers += 1
            figure, unit = re.match(r"(-?[0-9,.]+)\s*(\S*)", text).groups()
            scale = {"%": 0.01, "kB": 1e3, "MB": 1e6, "TB": 1e12}.get(unit, 1)
            if unit == "GB" and "bytes" in pointer:
                scale = 1e9
            said = float(figure.replace(",", "")) * scale
            same = float(exact) == value and abs(said - value) <= 0.00501 * abs(value)
        if not same:
            raise SystemExit(f"report: {pointer} of run {run} is {value}, shown as {text} ({exact})")
    for index in range(len(documents)):
        if sum(run == index for run, *_ in figures) < 50:
            raise SystemExit(f"report: run {index} has too few figures")
    return numbers


def look(browser, name, shots):
    """The page at two widths, by day and by night."""
    colours = {}
    for width in (1280, 390):
        for theme in ("light", "dark"):
            browser.resize(width, 900)
            browser.theme(theme)
            needed = browser.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                raise SystemExit(f"report: {name} needs {needed} pixels of {width}")
            faults = json.loads(browser.evaluate(OVERLAPS))
            if faults:
                raise SystemExit(f"report: {name} at {width} pixels: {faults}")
            for chart in json.loads(browser.evaluate(CHARTS)):
                if chart["shown"] != 1 or chart["text"] < 9:
                    raise SystemExit(f"report: {name} at {width} pixels: {chart}")
            colours.setdefault(theme, set()).add(browser.evaluate(COLOURS))
            if shots:
                browser.shot(os.path.join(shots, f"{name}-{width}-{theme}.png"))
                browser.shot(os.path.join(shots, f"{name}-{width}-{theme}-top.png"), 1000)
    light, dark = (set.union(*(set(json.loads(pair)) for pair in colours[theme])) for theme in ("light", "dark"))
    if light & dark:
        raise SystemExit(f"report: {name} has the same colours in both themes: {light & dark}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--page", required=True, help="the report")
    parser.add_argument("--shots", help="folder for screenshots")
    parser.add_argument("documents", nargs="+", help="the documents of its runs")
    arguments = parser.parse_args()
    if arguments.shots:
        os.makedirs(arguments.shots, exist_ok=True)
    documents = []
    for path in arguments.documents:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    url = "file://" + os.path.abspath(arguments.page)
    name = os.path.splitext(os.path.basename(arguments.page))[0]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(arguments.chromium, folder)
        try:
            for domain in ("Log", "Runtime", "Network", "Page"):
                browser.call(f"{domain}.enable")
            browser.resize(1280, 900)
            browser.call("Page.navigate", url=url)
            browser.until("the page", f"document.readyState === 'complete' && location.href === {json.dumps(url)}")
            numbers = check_figures(json.loads(browser.evaluate(FIGURES)), documents)
            look(browser, name, arguments.shots)
        finally:
            browser.end()
        said = [event for event in browser.events
                if event["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")]
        if said:
            raise SystemExit(f"report: the console has {said}")
        asked = {event["params"]["request"]["url"] for event in browser.events
                 if event["method"] == "Network.requestWillBeSent"}
        if asked != {url}:
            raise SystemExit(f"report: the page asks for {asked}")
    print(f"the report {name} shows {numbers} figures as they are in its documents")


if __name__ == "__main__":
    main()
