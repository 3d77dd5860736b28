#!/usr/bin/env python3
"""Writes each indented block of a README that is YAML of values as a file.

    readme_values.py README FOLDER
"""

import re
import sys
from pathlib import Path
from textwrap import dedent


def main():
    readme, folder = map(Path, sys.argv[1:])
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", readme.read_text(), re.MULTILINE)
    values = [dedent(block).strip() for block in blocks]
    values = [block for block in values if re.match(r"[a-zA-Z]+:", block)]
    if not values:
        sys.exit(f"{readme} has no values")
    for number, block in enumerate(values):
        (folder / f"{number}.yaml").write_text(block + "\n")


main()
