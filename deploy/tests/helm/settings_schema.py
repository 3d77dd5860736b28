#!/usr/bin/env python3
"""The part of the chart's values.schema.json that is about `settings`: what docs/settings.md allows.

    settings_schema.py            compares
    settings_schema.py --write    rewrites it
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = ROOT / "deploy/helm/hashlane/values.schema.json"
# The chart sets these itself, from values of other names.
OWNED = {
    *("listen", "insecure", "listen_unix", "unix_socket_mode", "admin_listen"),
    *("admin.certificate", "admin.key", "admin.client_ca", "clients.tokens_file", "clients.quotas_file"),
    *("tls.listen", "tls.certificate", "tls.key", "tls.client_certificates", "tls.client_ca", "tls.client_crl"),
}
# The grace period is computed from these, by a template that reads one number and one unit.
SUMMED = {"lame_duck", "drain_timeout"}
UNITS = "B|KiB|MiB|GiB|TiB|PiB|EiB"


def documented():
    """Yields the name, the meaning and what is allowed of each setting."""
    for line in (ROOT / "docs/settings.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| `") and len(cells) == 5:
            yield cells[0].strip("`"), cells[2], cells[3]
        elif line.startswith("| `"):
            sys.exit(f"docs/settings.md has a row of {len(cells)} cells: {line}")


def schema_of(name, allowed):
    """The server has the last word: a schema need not know how wide a range of times is."""
    if name in SUMMED:
        return {"type": "string", "pattern": "^[0-9]+(us|ms|s|m|h)$"}
    if allowed == "true, false":
        return {"type": "boolean"}
    if re.fullmatch(r"0 to 1, such as .*", allowed):
        return {"type": "number", "minimum": 0, "maximum": 1}
    if span := re.fullmatch(r"(auto or )?(\d+) to (\d+)", allowed):
        number = {"type": "integer", "minimum": int(span[2]), "maximum": int(span[3])}
        return {"anyOf": [{"const": "auto"}, number]} if span[1] else number
    if size := re.fullmatch(rf"(auto or )?\d+({UNITS})? to \d+({UNITS})", allowed):
        words = "auto" if size[1] else ""
        return {"type": ["string", "integer"], "pattern": f"^({words}|[0-9]+ ?({UNITS})?)$", "minimum": 0}
    if re.fullmatch(r"\d+(us|ms|s|m|h) to \d+(ms|s|m|h|days)", allowed):
        return {"type": "string", "pattern": "^[0-9]+ ?[a-z]+( ?[0-9]+ ?[a-z]+)*$"}
    if allowed == "auto, true, false":
        return {"enum": ["auto", True, False]}
    if re.fullmatch(r"\w+(, \w+)+", allowed):
        return {"enum": allowed.split(", ")}
    if re.match(r"(a|auto or a) (path|list|URL|log filter)", allowed):
        return {"type": "string"}
    sys.exit(f"docs/settings.md: {name} allows {allowed!r}, which this script does not know")


def settings_schema():
    tables = {"": {}}
    names = set()
    for name, meaning, allowed in documented():
        names.add(name)
        if name in OWNED:
            continue
        *table, key = name.split(".")
        tables.setdefault(".".join(table), {})[key] = {"description": meaning, **schema_of(name, allowed)}
    if missing := OWNED - names:
        sys.exit(f"docs/settings.md has no {sorted(missing)}")
    closed = {"type": "object", "additionalProperties": False}
    properties = tables.pop("")
    for table, inner in tables.items():
        properties[table] = {**closed, "properties": inner}
    return {"description": "The server's settings: docs/settings.md", **closed, "properties": properties}


def main():
    schema = json.loads(SCHEMA.read_text())
    schema["properties"]["settings"] = settings_schema()
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    if sys.argv[1:] == ["--write"]:
        SCHEMA.write_text(text)
    elif text != SCHEMA.read_text():
        sys.exit("values.schema.json has other settings than docs/settings.md: deploy/tests/helm.sh --write")


main()
