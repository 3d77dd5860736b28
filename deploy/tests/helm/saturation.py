#!/usr/bin/env python3
"""Makes a unit test for promtool of the query in the adapter's values.

    saturation.py VALUES FOLDER    writes saturation_test.json, the rules that it tests, and the metric's name
"""

import json
import sys
from pathlib import Path

import yaml

# Seconds of each 15 s in which the workers of a pod hash, and do I/O.
WORKERS = {"even": [(9, 3), (9, 3)], "uneven": [(15, 0), (0, 0)], "idle": [(0, 0), (0, 0)]}
EXPECTED = {"even": 0.8, "uneven": 0.5, "idle": 0.0}


def main():
    values, folder = map(Path, sys.argv[1:])
    (rule,) = yaml.safe_load(values.read_text())["rules"]["custom"]
    metric = rule["name"]["matches"]
    query = rule["metricsQuery"].replace("<<.Series>>", metric).replace("<<.GroupBy>>", "pod")
    query = query.replace("<<.LabelMatchers>>", 'namespace="hashing"')
    series = []
    for pod, workers in WORKERS.items():
        for worker, (hashing, io) in enumerate(workers):
            for phase, seconds in (("hash", hashing), ("io", io), ("idle", 15 - hashing - io)):
                for namespace in ("hashing", "elsewhere"):
                    labels = f'namespace="{namespace}",pod="{pod}",worker="{worker}",phase="{phase}"'
                    series.append({"series": f"{metric}{{{labels}}}", "values": f"0+{seconds}x20"})
    name = rule["name"]["as"]
    test = {
        "interval": "15s",
        "input_series": series,
        "promql_expr_test": [
            {
                # The order in which floats are added differs from run to run.
                "expr": f"round({name}, 0.001)",
                "eval_time": "4m",
                "exp_samples": [{"labels": f'{{pod="{pod}"}}', "value": value} for pod, value in EXPECTED.items()],
            }
        ],
    }
    rules = {"groups": [{"name": "adapter", "interval": "15s", "rules": [{"record": name, "expr": query}]}]}
    (folder / "saturation.json").write_text(json.dumps(rules))
    tests = {"rule_files": ["saturation.json"], "evaluation_interval": "15s", "tests": [test]}
    (folder / "saturation_test.json").write_text(json.dumps(tests))
    (folder / "saturation_name").write_text(name)


main()
