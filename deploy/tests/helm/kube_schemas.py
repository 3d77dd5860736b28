#!/usr/bin/env python3
"""Makes schemas that kubeconform reads without a network.

    kube_schemas.py FOLDER OUT [CRD...]

FOLDER has the strict schemas of one version of Kubernetes, as PyPI's kubernetes-validate ships them; their references
to definitions become those of files. Each CRD is a YAML file; unknown fields in its objects are errors.
"""

import json
import sys
from pathlib import Path

import yaml


def close(schema):
    """Forbids fields that the schema does not name, as Kubernetes' `strict` field validation does."""
    if isinstance(schema, list):
        for item in schema:
            close(item)
    if not isinstance(schema, dict):
        return
    if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema.setdefault("additionalProperties", False)
    for inner in schema.values():
        close(inner)


def write(path, schema):
    path.write_text(json.dumps(schema))


def main():
    folder, out, *crds = map(Path, sys.argv[1:])
    out.mkdir(parents=True)
    for file in folder.glob("*.json"):
        text = file.read_text().replace('"/api/_definitions.json#', '"_definitions.json#')
        schema = json.loads(text)
        schema.pop("$id", None)
        write(out / file.name, schema)
    for file in crds:
        crd = yaml.safe_load(file.read_text())["spec"]
        group, kind = crd["group"].split(".")[0], crd["names"]["kind"].lower()
        for version in crd["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            schema["properties"]["metadata"] = {"$ref": "_definitions.json#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
            close(schema)
            write(out / f"{kind}-{group}-{version['name']}.json", schema)
    print(f"{len(list(out.iterdir()))} schemas in {out.name}")


main()
