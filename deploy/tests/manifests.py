#!/usr/bin/env python3
"""Checks that Kubernetes manifests agree with one another, with the image and with the alerting rules.

    manifests.py            those of deploy/kubernetes
    manifests.py FILE...    those that the chart renders, each file by itself

Selectors must meet the pods' labels, and no others; ports and probes must name ports that exist; files that settings
name must be mounted; time to end must be enough; and the pod must not run as root.
"""

import re
import sys
from pathlib import Path

import yaml

DEPLOY = Path(__file__).resolve().parent.parent
IMAGE = (DEPLOY / "container/Dockerfile").read_text()
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)([a-z]+)", text).groups()
    return int(number) * UNITS[unit]


def ports_of(policy):
    return {port["port"] for rule in policy.get("ingress") or [] for port in rule["ports"]}


def provided_files(spec, container):
    """The paths in the container that volumes provide: of Secrets those keys that are named, else a folder."""
    volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        secret = volumes[mount["name"]].get("secret")
        if secret:
            for item in secret["items"]:
                yield f"{mount['mountPath']}/{item['path']}"
        else:
            yield mount["mountPath"]


def unrestricted(spec):
    """Yields what the Pod Security Standard `restricted` forbids. Only a DaemonSet with a socket needs more."""
    context = spec["securityContext"]
    if not context.get("runAsNonRoot"):
        yield "runAsNonRoot"
    if context.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
        yield "seccompProfile"
    if any(spec.get(field) for field in ("hostNetwork", "hostPID", "hostIPC")):
        yield "the node's namespaces"
    for volume in spec.get("volumes", []):
        if not volume.keys() & {"secret", "projected", "configMap", "emptyDir", "csi"}:
            yield f"volume {volume['name']}"
    for container in spec["containers"] + spec.get("initContainers", []):
        context = container["securityContext"]
        if context.get("allowPrivilegeEscalation") is not False:
            yield f"allowPrivilegeEscalation of {container['name']}"
        capabilities = context.get("capabilities", {})
        if capabilities.get("drop") != ["ALL"] or capabilities.get("add"):
            yield f"capabilities of {container['name']}"


def faults_of(documents):
    """Yields what is wrong with the objects of one installation."""
    kinds = {document["kind"]: document for document in documents}
    workload = kinds.get("Deployment") or kinds["DaemonSet"]
    template = workload["spec"]["template"]
    spec, labels = template["spec"], template["metadata"]["labels"].items()
    (container,) = spec["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    settings = kinds["ConfigMap"]["data"]
    test_labels = kinds["Pod"]["metadata"]["labels"].items() if "Pod" in kinds else None

    selectors = {"the workload": workload["spec"]["selector"]["matchLabels"]}
    if "Service" in kinds:
        selectors["the service"] = kinds["Service"]["spec"]["selector"]
    for kind in ("PodDisruptionBudget", "PodMonitor"):
        if kind in kinds:
            selectors[f"the {kind}"] = kinds[kind]["spec"]["selector"]["matchLabels"]
    policy = kinds["NetworkPolicy"]["spec"]
    selectors["the network policy"] = policy["podSelector"]["matchLabels"]
    for constraint in spec.get("topologySpreadConstraints", []):
        selectors[f"the spread over {constraint['topologyKey']}"] = constraint["labelSelector"]["matchLabels"]
    for who, selector in selectors.items():
        if not selector.items() <= labels:
            yield f"{who} selects the pods"
        if test_labels and selector.items() <= test_labels:
            yield f"{who} does not select the test's pod"

    if ports_of(policy) != set(ports):
        yield f"the network policy opens all ports, and those alone: {ports_of(policy)}, {set(ports)}"
    for port in kinds["Service"]["spec"]["ports"] if "Service" in kinds else []:
        if ports.get(port["targetPort"]) != port["port"]:
            yield f"the service's port {port['name']} is the pod's, as headless services need"
    for probe in ("readinessProbe", "livenessProbe"):
        asked = container[probe].get("httpGet", {}).get("port")
        if asked not in ports and container[probe].get("grpc", {}).get("port") not in ports.values():
            yield f"the port of {probe} exists"
        is_tls = "HASHLANE_ADMIN__CERTIFICATE" in settings
        if asked and container[probe]["httpGet"].get("scheme", "HTTP") != ("HTTPS" if is_tls else "HTTP"):
            yield f"{probe} speaks TLS if and only if the port does"
    for endpoint in kinds["PodMonitor"]["spec"]["podMetricsEndpoints"] if "PodMonitor" in kinds else []:
        if endpoint["port"] not in ports:
            yield "the monitored port exists"

    listeners = [settings[name] for name in ("HASHLANE_LISTEN", "HASHLANE_TLS__LISTEN", "HASHLANE_ADMIN_LISTEN")]
    if {address.rsplit(":")[-1] for address in listeners if address} != {str(port) for port in ports.values()}:
        yield f"the server listens on the ports: {listeners}, {ports}"
    if settings["HASHLANE_LISTEN"] and settings.get("HASHLANE_INSECURE") != "true":
        yield "what goes in the clear is said to be insecure"
    exposed = re.search(r"^EXPOSE (.*)$", IMAGE, re.MULTILINE)[1].split()
    if not {str(port) for port in ports.values()} <= set(exposed):
        yield f"the ports are the image's: {exposed}"
    files = set(provided_files(spec, container))
    for name, value in settings.items():
        if value.startswith("/") and value not in files and str(Path(value).parent) not in files:
            yield f"{name} is a file of a volume: {value}, {files}"

    given = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    ending = given + seconds(settings["HASHLANE_LAME_DUCK"]) + seconds(settings["HASHLANE_DRAIN_TIMEOUT"])
    if spec["terminationGracePeriodSeconds"] < ending + 10:
        yield f"the pod has time to end: {spec['terminationGracePeriodSeconds']} s for {ending} s and 10"
    for one in [container, *spec.get("initContainers", [])]:
        resources = one["resources"]
        if not {"cpu", "memory", "ephemeral-storage"} == resources["limits"].keys():
            yield f"each resource of {one['name']} has a bound"
        if resources["requests"] != resources["limits"]:
            yield f"requests of {one['name']} equal limits"
    user = int(re.search(r"^USER (\d+):", IMAGE, re.MULTILINE)[1])
    if spec["securityContext"]["runAsUser"] != user or user == 0:
        yield f"the user is the image's, {user}"

    pods = [("the pod", spec)] + ([("the test", kinds["Pod"]["spec"])] if "Pod" in kinds else [])
    for who, pod in pods if workload["kind"] == "Deployment" else []:
        for fault in unrestricted(pod):
            yield f"{who} fits the Pod Security Standard `restricted`: {fault}"

    if "HorizontalPodAutoscaler" in kinds:
        scaler = kinds["HorizontalPodAutoscaler"]["spec"]
        target = scaler["scaleTargetRef"]
        if (target["kind"], target["name"]) != (workload["kind"], workload["metadata"]["name"]):
            yield "the autoscaler scales the workload"
        if "replicas" in workload["spec"]:
            yield "an update leaves the autoscaler's number of replicas alone"
    if "Certificate" in kinds:
        secrets = {volume["secret"]["secretName"] for volume in spec["volumes"] if "secret" in volume}
        if kinds["Certificate"]["spec"]["secretName"] not in secrets:
            yield "the certificate is mounted"
    if "PrometheusRule" in kinds:
        rules = yaml.safe_load((DEPLOY / "prometheus/rules.yml").read_text())
        if kinds["PrometheusRule"]["spec"] != rules:
            yield "the rules are those of prometheus/rules.yml"


def installations():
    """Yields a name and the objects of each installation to check."""
    if len(sys.argv) > 1:
        for path in sys.argv[1:]:
            yield path, [document for document in yaml.safe_load_all(Path(path).read_text()) if document]
        return
    folder = DEPLOY / "kubernetes"
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    names = [*kustomization["resources"], "podmonitor.yaml"]
    yield "deploy/kubernetes", [yaml.safe_load((folder / name).read_text()) for name in names]


def main():
    if "INSECURE=" in IMAGE.replace("-e HASHLANE_INSECURE=", ""):
        sys.exit("the image sends nothing in the clear: not so")
    for name, documents in installations():
        if faults := list(faults_of(documents)):
            sys.exit("\n".join(f"{name}: not so: {fault}" for fault in faults))
        print(f"{Path(name).name}: {len(documents)} manifests agree")


main()
