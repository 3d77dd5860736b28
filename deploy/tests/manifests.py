#!/usr/bin/env python3
"""Checks that the Kubernetes manifests agree with one another and with the image.

Selectors must meet the pods' labels, ports and probes must name ports that
exist, the ports must be the image's, the certificate must be mounted where the
image looks for it, and the pod must not run as root.
"""

import re
import sys
from pathlib import Path

import yaml

DEPLOY = Path(__file__).resolve().parent.parent


def main():
    kustomization = yaml.safe_load((DEPLOY / "kubernetes/kustomization.yaml").read_text())
    names = [*kustomization["resources"], "podmonitor.yaml"]
    documents = [yaml.safe_load((DEPLOY / "kubernetes" / name).read_text()) for name in names]
    kinds = {document["kind"]: document for document in documents}
    policy = kinds["NetworkPolicy"]["spec"]
    pod = kinds["Deployment"]["spec"]["template"]
    labels = pod["metadata"]["labels"].items()
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    image_ports = re.search(r"^EXPOSE (.*)$", (DEPLOY / "container/Dockerfile").read_text(), re.MULTILINE)
    user = re.search(r"^USER (\d+):", (DEPLOY / "container/Dockerfile").read_text(), re.MULTILINE)
    image = (DEPLOY / "container/Dockerfile").read_text()
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    secrets = {volume["name"] for volume in pod["spec"]["volumes"] if "secret" in volume}
    (certificate,) = re.findall(r"HASHLANE_TLS__CERTIFICATE=(\S+)/tls.crt", image)
    checks = {
        "the certificate is where the image looks": certificate in {mounts.get(name) for name in secrets},
        "nothing goes in the clear": "INSECURE=" not in image.replace("-e HASHLANE_INSECURE=", ""),
        "the deployment selects its pods": kinds["Deployment"]["spec"]["selector"]["matchLabels"].items() <= labels,
        "the service selects the pods": kinds["Service"]["spec"]["selector"].items() <= labels,
        "the disruption budget selects the pods": kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"].items() <= labels,
        "the pod monitor selects the pods": kinds["PodMonitor"]["spec"]["selector"]["matchLabels"].items() <= labels,
        "the network policy selects the pods": policy["podSelector"]["matchLabels"].items() <= labels,
        "the network policy opens ports that exist, and all of them": {
            port["port"] for rule in policy["ingress"] for port in rule["ports"]
        }
        == set(ports),
        "each resource has a bound": {"cpu", "memory", "ephemeral-storage"} == container["resources"]["limits"].keys(),
        "the ports are the image's": {str(port) for port in ports.values()} == set(image_ports[1].split()),
        "the service's ports exist": all(port["targetPort"] in ports for port in kinds["Service"]["spec"]["ports"]),
        "the probes' ports exist": all(
            container[probe]["httpGet"]["port"] in ports for probe in ("readinessProbe", "livenessProbe")
        ),
        "the monitored port exists": all(
            endpoint["port"] in ports for endpoint in kinds["PodMonitor"]["spec"]["podMetricsEndpoints"]
        ),
        "the user is the image's": pod["spec"]["securityContext"]["runAsUser"] == int(user[1]) > 0,
        "requests equal limits": container["resources"]["requests"] == container["resources"]["limits"],
    }
    faults = [what for what, holds in checks.items() if not holds]
    if faults:
        sys.exit("\n".join(f"manifests: not so: {fault}" for fault in faults))
    print(f"{len(documents)} manifests agree")


main()
