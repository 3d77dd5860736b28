#!/usr/bin/env python3
"""Asks a running Prometheus everything the Grafana dashboard and the rules ask.

Every metric a panel names must be in a real scrape, every expression must
evaluate, and the panels that show load must show some.
"""

import argparse
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request

VARIABLES = {
    "$__rate_interval": "10s",
    "$__interval": "1s",
    "$instance": ".*",
}
METRIC = re.compile(r"\b(?:hashlane|grpc_server|process)_[a-z0-9_]+\b")


def get(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read().decode()


def query(prometheus, expression):
    parameters = urllib.parse.urlencode({"query": expression})
    try:
        answer = json.loads(get(f"{prometheus}/api/v1/query?{parameters}"))
    except urllib.error.HTTPError as error:
        raise SystemExit(f"dashboard: {expression}\n{error.read().decode()}") from error
    return answer["data"]["result"]


def wait_for(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f"dashboard: no {what} after {seconds} s")
        time.sleep(0.2)
    return result


def check_panels(prometheus, panels, names):
    """How many queries the panels ask, and what is wrong with them."""
    queries, faults = 0, []
    for panel in panels:
        for target in panel.get("targets", []):
            queries += 1
            expression = target["expr"]
            missing = set(METRIC.findall(expression)) - names
            if missing:
                faults.append(f"{panel['title']}: not in the scrape: {', '.join(sorted(missing))}")
                continue
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            if "$" in expression:
                faults.append(f"{panel['title']}: unknown variable in {expression}")
                continue
            # The load is over, so the last value of the moments it ran in is asked for.
            result = query(prometheus, f"last_over_time(({expression})[1m:1s])")
            if all(series["value"][1] == "NaN" for series in result):
                faults.append(f"{panel['title']}: no data from {expression}")
    return queries, faults


def check_rules(prometheus, names):
    """What is wrong with the loaded rules."""
    faults = []
    rules = json.loads(get(f"{prometheus}/api/v1/rules"))["data"]["groups"]
    for rule in (rule for group in rules for rule in group["rules"]):
        if rule["health"] != "ok":
            faults.append(f"rule {rule['name']}: {rule['health']} {rule.get('lastError', '')}")
        # Not the recorded series, whose names have colons around what METRIC finds.
        for name in METRIC.findall(re.sub(r"[a-z0-9_]+(:[a-z0-9_]+)+", "", rule["query"])):
            if name not in names:
                faults.append(f"rule {rule['name']}: {name} is not in the scrape")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prometheus", required=True)
    parser.add_argument("--admin", required=True)
    parser.add_argument("--occupancy-min", type=float, default=0.0)
    parser.add_argument("dashboard")
    arguments = parser.parse_args()

    names = set(re.findall(r"^# TYPE (\S+)", get(f"{arguments.admin}/metrics"), re.MULTILINE))
    names |= {f"{name}_{suffix}" for name in names for suffix in ("bucket", "sum", "count")}

    occupancy = wait_for(
        "occupancy",
        lambda: query(arguments.prometheus, "max_over_time(instance:hashlane_occupancy:ratio_rate1m[1m])"),
    )
    occupancy = float(occupancy[0]["value"][1])
    if not max(arguments.occupancy_min, 1e-9) <= occupancy <= 1:
        raise SystemExit(f"dashboard: occupancy is {occupancy}")

    # Until all have data: what happened last is in no rate before the second scrape after it.
    with open(arguments.dashboard, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    deadline = time.monotonic() + 20
    while True:
        queries, faults = check_panels(arguments.prometheus, panels, names)
        faults += check_rules(arguments.prometheus, names)
        if not faults or time.monotonic() > deadline:
            break
        time.sleep(1)
    if faults:
        raise SystemExit("\n".join(f"dashboard: {fault}" for fault in faults))
    print(f"occupancy {occupancy:.3f}; {queries} queries of the dashboard and every rule have data")


main()
