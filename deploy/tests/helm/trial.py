#!/usr/bin/env python3
"""Runs a real server as the rendered objects say, in place of a cluster.

    trial.py --server PROGRAM --folder NEW --client POD FILE...

Of each file of objects: the server gets the variables of the ConfigMap as the pod's user, with files of Secrets made
here; the init container's script prepares the folder of the socket; the readiness probe asks; and the pod of
`helm test` runs its script, first as it is, then without what identifies it. Paths lead into a folder, and addresses
to free loopback ports. POD is the example of a client on the node, which runs where there is a socket.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import yaml

TOKEN = "test"  # Its SHA-256 is in ci/autoscaling-values.yaml.
QUOTAS = '[client."token:backup"]\nstreams_max = 1000\n'
HEALTH_CHECK = b"\0\0\0\0\x19\x0a\x17hashlane.v1.HashService"
SERVING = b"\0\0\0\0\x02\x08\x01"


def run(command, **options):
    return subprocess.run(command, capture_output=True, timeout=120, **options)


def check(holds, what, result=None):
    if not holds:
        output = f"\n{result.stdout!r}\n{result.stderr.decode(errors='replace')}" if result else ""
        sys.exit(f"trial: not so: {what}{output}")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


# Debian's: this one may be in the home of root, where the pods' users cannot go.
PYTHON = "/usr/bin/python3"
CA_CONF = """
[ca]
default_ca = lists
[lists]
database = index
crlnumber = number
default_md = sha256
default_crl_days = 2
crl_extensions = of_lists
[of_lists]
authorityKeyIdentifier = keyid
"""


class Authority:
    """Roots, and what they sign."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.make("ca", "/CN=test roots", "CA:TRUE", ["keyUsage=critical,keyCertSign,cRLSign"])
        (folder / "index").touch()
        (folder / "number").write_text("01\n")
        (folder / "ca.conf").write_text(CA_CONF)
        self.openssl("ca", "-config", "ca.conf", "-gencrl", "-keyfile", "ca.key", "-cert", "ca.crt", "-out", "crl.pem")
        self.make("client", "/CN=client", "CA:FALSE", ["subjectAltName=DNS:backup.example.com"], signed=True)
        self.make("other", "/CN=other roots", "CA:TRUE", [])

    def openssl(self, *arguments):
        result = run(["openssl", *arguments], cwd=self.folder)
        check(result.returncode == 0, f"openssl {arguments[0]}", result)

    def make(self, name, subject, constraint, extensions, signed=False):
        issuer = ["-CA", "ca.crt", "-CAkey", "ca.key"] if signed else []
        added = [word for extension in [f"basicConstraints=critical,{constraint}", *extensions] for word in ("-addext", extension)]
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
        self.openssl("req", "-x509", *key, "-days", "2", "-subj", subject, *added, *issuer, "-out", f"{name}.crt")


class Installation:
    """The objects of one file, and where their server runs."""

    def __init__(self, path, folder, authority):
        self.name = path.stem
        documents = [document for document in yaml.safe_load_all(path.read_text()) if document]
        self.kinds = {document["kind"]: document for document in documents}
        self.folder = folder / self.name
        self.folder.mkdir()
        self.authority = authority
        workload = self.kinds.get("Deployment") or self.kinds["DaemonSet"]
        self.pod = workload["spec"]["template"]["spec"]
        (self.container,) = self.pod["containers"]
        (self.test,) = self.kinds["Pod"]["spec"]["containers"]
        self.ports = {str(port["containerPort"]): free_port() for port in self.container["ports"]}
        self.named = {port["name"]: self.ports[str(port["containerPort"])] for port in self.container["ports"]}
        self.settings = {name: self.local(value) for name, value in self.kinds["ConfigMap"]["data"].items()}
        # Others test how long a server lasts.
        self.settings["HASHLANE_LAME_DUCK"] = "0s"
        self.socket = self.settings.get("HASHLANE_LISTEN_UNIX")

    def local(self, text):
        """A path in the folder for a path, and a loopback address for a listener's."""
        if text.startswith("/"):
            return str(self.folder) + text
        host, _, port = text.rpartition(":")
        return f"127.0.0.1:{self.ports[port]}" if host in ("0.0.0.0", "[::]") else text

    def user(self):
        context = self.pod["securityContext"]
        return {"user": context["runAsUser"], "group": context["runAsGroup"], "extra_groups": []}

    def make_secrets(self, server_name):
        """The keys of each Secret that is mounted, of the chart's own Secret what it has."""
        made = self.kinds.get("Secret", {}).get("stringData", {})
        files = self.authority.folder
        self.authority.make("server", "/CN=server", "CA:FALSE", [f"subjectAltName=DNS:{server_name}"], signed=True)
        contents = {
            **{"tls.crt": files / "server.crt", "tls.key": files / "server.key", "ca.crt": files / "ca.crt"},
            **{"crl.pem": files / "crl.pem"},
        }
        volumes = {volume["name"]: volume for volume in self.pod.get("volumes", [])}
        for mount in self.container.get("volumeMounts", []):
            folder = Path(self.local(mount["mountPath"]))
            folder.mkdir(parents=True)
            for item in volumes[mount["name"]].get("secret", {}).get("items", []):
                key, file = item["key"], folder / item["path"]
                if key in contents:
                    shutil.copyfile(contents[key], file)
                else:
                    file.write_text(made.get(key, QUOTAS))
        # The test's pod: without keys of the server, and with a client's of its own.
        trust, client = self.folder / "tls", self.folder / "client"
        trust.mkdir(exist_ok=True)
        shutil.copyfile(files / "ca.crt", trust / "ca.crt")
        client.mkdir()
        for suffix in ("crt", "key"):
            shutil.copyfile(files / f"client.{suffix}", client / f"tls.{suffix}")

    def prepare_socket(self):
        for container in self.pod.get("initContainers", []):
            command = [*container["command"], *container["args"]]
            result = run([word.replace("/run/hashlane", self.local("/run/hashlane")) for word in command])
            check(result.returncode == 0, "the init container succeeds", result)
        if self.socket and not self.pod.get("initContainers"):
            # What the node's administrators do.
            os.chmod(Path(self.socket).parent, 0o755)
            os.chown(Path(self.socket).parent, self.user()["user"], self.user()["group"])

    def is_ready(self):
        probe = self.container["readinessProbe"]
        if "grpc" in probe:
            port = self.ports[str(probe["grpc"]["port"])]
            headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
            url = f"http://127.0.0.1:{port}/grpc.health.v1.Health/Check"
            call = ["curl", "-sS", "--http2-prior-knowledge", *headers, "--data-binary", "@-", url]
            assert probe["grpc"]["service"].encode() in HEALTH_CHECK
            return run(call, input=HEALTH_CHECK).stdout == SERVING
        get = probe["httpGet"]
        url = f"{get['scheme'].lower()}://127.0.0.1:{self.named[get['port']]}{get['path']}"
        return run(["curl", "-fksS", url]).returncode == 0

    def run_test(self, identified=True, trusted=True):
        """The script of `helm test`."""
        environment = {"PATH": os.environ["PATH"]}
        for variable in self.test.get("env", []):
            value = variable.get("value", TOKEN if identified else "")
            environment[variable["name"]] = self.local(value) if trusted else str(self.authority.folder / "wrong")
        arguments = [self.local(word) for word in self.test["args"]]
        if not identified and "--cert" in arguments:
            at = arguments.index("--cert")
            del arguments[at : at + 4]
        if "grpc" in self.named:
            # To the server here in place of the Service.
            target = f"::127.0.0.1:{self.named['grpc']}"
            if "--connect-to" in arguments:
                arguments[arguments.index("--connect-to") + 1] = target
            else:
                arguments += ["--connect-to", target]
        if not (identified and trusted):
            # Over HTTP/2 some versions of curl do not read an answer that comes before the body has been sent.
            arguments += ["--retry", "0", "--http1.1"]
        return run([*self.test["command"], *arguments], env=environment, **self.user())

    def server_name(self):
        host = self.test["args"][0].split("//")[1]
        return host.split(":")[0]


def write_wrong_trust(authority):
    folder = authority.folder / "wrong"
    folder.mkdir()
    shutil.copyfile(authority.folder / "other.crt", folder / "ca.crt")


def try_node_client(installation, pod):
    """The example's script as its user, by way of a read-only mount, with its groups and without."""
    (container,) = pod["spec"]["containers"]
    context = pod["spec"]["securityContext"]
    (mount,) = container["volumeMounts"]
    assert mount["readOnly"]
    seen = installation.folder / "seen"
    seen.mkdir()
    folder = installation.local(mount["mountPath"])
    script = container["args"][0].replace(mount["mountPath"], str(seen))
    mounted = 'mount --bind "$1" "$2" && mount -o remount,bind,ro "$2" && shift 2 && exec "$@"'

    def call(groups, command):
        who = ["setpriv", f"--reuid={context['runAsUser']}", f"--regid={context['runAsGroup']}", groups, "--bounding-set=-all"]
        return run(["unshare", "--mount", "sh", "-euc", mounted, "sh", folder, str(seen), *who, *command])

    groups = "--groups=" + ",".join(map(str, context["supplementalGroups"]))
    result = call(groups, [*container["command"], script])
    check(result.returncode == 0 and b"900150983cd24fb0d6963f7d28e17f72" in result.stdout, "the node's client is served", result)
    result = call(groups, ["rm", f"{seen}/hashlane.sock"])
    check(result.returncode != 0, "the node's client cannot remove the socket", result)
    result = call(groups, [PYTHON, "-c", ASK_FOR_MEMORY, f"{seen}/hashlane.sock.memory"])
    check(result.returncode == 0, "the node's client gets memory", result)
    result = call("--clear-groups", [*container["command"], script])
    check(result.returncode == 7, "a client without the group cannot connect", result)


# docs/protocol.md "Shared memory": 1 MiB, mapped and written.
ASK_FOR_MEMORY = """
import mmap, socket, struct, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(struct.pack(">4sIQ", b"HLSM", 1, 1 << 20))
reply, descriptors, _, _ = socket.recv_fds(connection, 32, 1)
magic, status, _, size = struct.unpack(">4sI16sQ", reply)
assert (magic, status, size, len(descriptors)) == (b"HLSM", 0, 1 << 20, 1), (reply, descriptors)
mmap.mmap(descriptors[0], size)[:] = bytes(size)
"""


def try_installation(installation, program, client):
    installation.make_secrets(installation.server_name())
    # Secrets are readable for the pod.
    for path in installation.folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    installation.prepare_socket()
    log = open(installation.folder / "server.log", "wb")
    server = subprocess.Popen([program], env=installation.settings, stderr=log, stdout=log, **installation.user())
    try:
        deadline = time.monotonic() + 30
        while not installation.is_ready():
            gone = server.poll() is not None
            log_text = (installation.folder / "server.log").read_text()
            check(not gone and time.monotonic() < deadline, f"the server gets ready:\n{log_text}")
            time.sleep(0.1)
        result = installation.run_test()
        check(result.returncode == 0 and result.stdout.count(b"right:") == 6, "helm test succeeds", result)
        done = ["ready", "helm test"]
        if "HASHLANE_TLS__LISTEN" in installation.settings and installation.settings["HASHLANE_TLS__LISTEN"]:
            result = installation.run_test(trusted=False)
            check(result.returncode == 60, "helm test with other roots fails in curl's check of the certificate", result)
            done.append("no other roots")
        is_required = installation.settings.get("HASHLANE_TLS__CLIENT_CERTIFICATES") == "required"
        if is_required or installation.settings.get("HASHLANE_CLIENTS__IDENTITY_REQUIRED") == "true":
            result = installation.run_test(identified=False)
            reason = b"alert" if is_required else b"CREDENTIALS_MISSING"
            check(result.returncode != 0 and reason in result.stderr, "helm test without identity fails", result)
            done.append("no unknown client")
        if installation.pod.get("initContainers"):
            try_node_client(installation, client)
            done.append("the node's client, with memory, and none without the group")
        server.terminate()
        check(server.wait(timeout=60) == 0, "the server ends with exit code 0")
        print(f"{installation.name}: {', '.join(done)}")
    finally:
        server.kill()
        server.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--client", type=Path, required=True)
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    check(os.geteuid() == 0, "this runs as root, to be the pods' users")
    arguments.folder.mkdir()
    # The pods' users may not reach where it is.
    program = arguments.folder / "hashlane-server"
    shutil.copyfile(arguments.server, program)
    program.chmod(0o755)
    authority = Authority(arguments.folder / "authority")
    write_wrong_trust(authority)
    (arguments.folder / "authority").chmod(0o755)
    client = yaml.safe_load(arguments.client.read_text())
    for file in arguments.files:
        try_installation(Installation(file, arguments.folder, authority), program, client)


main()
