"""Runs trials of several servers, and prints what became of the load: README.md."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from network import Network
from trial import FAULTS, KINDS, Programs, Result, Trial

# One fault for each kind of balancing.
BRIEF = (("list", "kill"), ("dns", "drain"), ("haproxy", "drain"), ("nginx", "kill"))


def one(programs: Programs, kind: str, fault: str, folder: Path) -> list[Result]:
    print(f"{kind}, {fault}", flush=True)
    started = time.monotonic()
    with Network() as network:
        trial = Trial(network, folder, programs, kind, fault)
        try:
            results = trial.run()
        finally:
            trial.stop()
    for each in results:
        even = "not even" if each.even_seconds is None else f"even after {each.even_seconds:.1f} s"
        print(
            f"  {each.client}: {each.parts} parts, {each.corrupted} of them corrupted, "
            f"{each.repeated} tried again, {each.wrong} wrong verdicts, {each.lost} lost, {even}, "
            f"slowest {each.slowest_seconds:.1f} s, rate {each.rate_kept:.0%}"
        )
        for error, count in each.errors.items():
            print(f"    {count} times: {error}")
    print(f"  {time.monotonic() - started:.0f} s", flush=True)
    return results


def table(results: list[Result]) -> str:
    """The results in Markdown: a row for each balancing and fault."""

    def seconds(rows: list[Result], language: str) -> str:
        (row,) = (row for row in rows if row.client == language)
        return "-" if row.even_seconds is None else f"{row.even_seconds:.1f}"

    lines = [
        "| balancing | fault | parts | tried again | wrong verdicts | parts lost "
        "| seconds to even load: Rust | Go | Python | rate at the end | slowest part |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key in dict.fromkeys((each.kind, each.fault) for each in results):
        rows = [each for each in results if (each.kind, each.fault) == key]
        lost = sum(row.lost for row in rows)
        whose = ", ".join(f"{row.client} {row.lost}" for row in rows if row.lost)
        cells = [
            *key,
            f"{sum(row.parts for row in rows):,}",
            str(sum(row.repeated for row in rows)),
            str(sum(row.wrong for row in rows)),
            f"{lost} ({whose})" if lost else "0",
            *(seconds(rows, language) for language in ("rust", "go", "python")),
            f"{sum(row.rate_kept for row in rows) / len(rows):.0%}",
            f"{max(row.slowest_seconds for row in rows):.1f} s",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def end(number: int, _: object) -> None:
    """Everything is taken down, as after an error. A second signal must not disturb that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="?", choices=["all", *KINDS], default="all")
    parser.add_argument("fault", nargs="?", choices=["all", *FAULTS], default="all")
    parser.add_argument("--brief", action="store_true", help="one fault of each kind of balancing")
    parser.add_argument("--json", type=Path, help="write a row for each client to this file")
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--rust", required=True)
    parser.add_argument("--go", required=True)
    parser.add_argument("--python", required=True, help="the interpreter that has the client")
    args = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    client = str(Path(__file__).with_name("client.py"))
    programs = Programs(
        args.server,
        {"rust": (args.rust,), "go": (args.go,), "python": (args.python, "-B", client)},
    )
    if args.brief:
        cells = list(BRIEF)
    else:
        kinds = KINDS if args.kind == "all" else (args.kind,)
        faults = FAULTS if args.fault == "all" else (args.fault,)
        cells = [(kind, fault) for kind in kinds for fault in faults]

    results: list[Result] = []
    base = Path(tempfile.mkdtemp(prefix="hashlane-fleet-"))
    try:
        for kind, fault in cells:
            folder = base / f"{kind}-{fault}"
            try:
                results += one(programs, kind, fault, folder)
            except Exception:
                for log in sorted(folder.glob("*.log")):
                    tail = log.read_text(errors="replace").splitlines()[-15:]
                    print(f"--- {log.name}", *tail, sep="\n", file=sys.stderr)
                raise
    finally:
        shutil.rmtree(base, ignore_errors=True)
        if args.json:
            args.json.write_text("".join(json.dumps(asdict(each)) + "\n" for each in results))
    print(table(results))
    wrong = sum(each.wrong for each in results)
    lost = sum(each.lost for each in results)
    uneven = [
        f"{each.kind} {each.fault} {each.client}" for each in results if each.even_seconds is None
    ]
    if wrong or lost or uneven:
        print(
            f"FAILED: {wrong} wrong verdicts, {lost} parts lost; not even: {uneven}",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
