# SPDX-License-Identifier: Apache-2.0
"""The real kube-apiserver of tools/kube-apiserver for tests, asked by kubectl and by plain requests."""
import base64
import contextlib
import json
import os
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import kubectls
from running import DEADLINE

TOOL = Path(__file__).resolve().parents[2] / "tools" / "kube-apiserver"
SKIPPED = 77


def find_server():
    """None, or the status to end with. The server is built if it is not there."""
    wish = os.environ.get("KIN_KUBE_APISERVER")
    if wish in (None, "", "0"):
        print("skipped: nobody has asked for it: make cluster, or KIN_KUBE_APISERVER=1")
        return SKIPPED
    return 1 if subprocess.run([str(TOOL), "--build"]).returncode else None


def find_kubectl(cache):
    """The one on the PATH, or Debian's. Raises kubectls.NotThere."""
    with contextlib.suppress(kubectls.NotThere):
        return kubectls.find("path", cache)
    return kubectls.find("debian", cache)


def without_proxies():
    proxies = ("http_proxy", "https_proxy", "all_proxy")
    return {name: value for name, value in os.environ.items() if name.lower() not in proxies}


class RealServer:
    """Until the stack is left."""

    def __init__(self, stack, kubectl):
        self.kubectl_program = kubectl
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kin-real-")))
        self.tool = stack.enter_context(subprocess.Popen(
            [str(TOOL), "--cached"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        self.kubeconfig = self.tool.stdout.readline().strip()
        if not self.kubeconfig:
            raise AssertionError("there is no server")
        self.config = json.loads(Path(self.kubeconfig).read_text())
        cluster = self.config["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.token = next(one["user"]["token"] for one in self.config["users"]
                          if one["name"] == "token")
        trust = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=trust)))
        self.environment = {**without_proxies(), "KUBECONFIG": self.kubeconfig,
                            "HOME": str(self.folder)}

    def order(self, what):
        self.tool.stdin.write(what + "\n")
        self.tool.stdin.flush()
        said = self.tool.stdout.readline().strip()
        if said != "ok":
            raise AssertionError(f"tools/kube-apiserver: {what}: {said}")

    def kubectl(self, *arguments, text=None):
        run = subprocess.run([self.kubectl_program, *arguments], env=self.environment, text=True,
                             input=text, stdin=None if text else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        if run.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(arguments)}: {run.stderr[-500:]}")
        return run.stdout

    def apply(self, *things):
        whole = {"apiVersion": "v1", "kind": "List", "items": list(things)}
        self.kubectl("apply", "-f", "-", text=json.dumps(whole))

    def request(self, method, path, body=None, content_type="application/json", accept="application/json"):
        # Compact: the data of a ControllerRevision is immutable to the byte.
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        request = urllib.request.Request(
            self.url + path, method=method, data=data,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": accept})
        try:
            with self.opener.open(request, timeout=DEADLINE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as why:
            raise AssertionError(f"{method} {path}: {why.code} {why.read()[:500]}") from None

    def close(self):
        self.tool.stdin.close()
        self.tool.wait(DEADLINE)
