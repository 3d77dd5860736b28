"""The examples of README.md."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.support import Server

README = Path(__file__).parent.parent / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.MULTILINE | re.DOTALL)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 8


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(example.replace("127.0.0.1:50051", server.address))
    runpy.run_path(str(file), run_name="__main__")
