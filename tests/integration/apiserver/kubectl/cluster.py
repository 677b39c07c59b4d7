# SPDX-License-Identifier: Apache-2.0
"""A server and a kubectl, as the tests use them."""
import base64
import json
import os
import re
import ssl
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import running
from running import DEADLINE, said_by
from serve import Server


class Running(running.Running):
    """A kubectl that runs. What it says as an error is among its lines."""

    def wait_for(self, text):
        """The next line that contains it."""
        return super().wait_for(re.escape(text)).string


class Cluster:
    """A server, and a kubectl that has its kubeconfig and a home of its own."""

    def __init__(self, kubectl, program, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.kubectl_program = kubectl
        self.server = Server(program, self.path / "kubeconfig", *arguments)
        self.environment = {**os.environ, "HOME": self.folder.name,
                            "KUBECONFIG": str(self.server.kubeconfig)}
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            self.environment.pop(name, None)
        self.n_files = 0
        self.read_kubeconfig()
        self.version = self.read_version()

    def close(self):
        status = self.server.close()
        self.folder.cleanup()
        return status

    def kubectl(self, *arguments, text=None):
        return said_by([self.kubectl_program, *arguments], self.environment, text)

    def start(self, *arguments):
        return Running([self.kubectl_program, *arguments], self.environment,
                       stderr=subprocess.STDOUT)

    def forget(self):
        """Let kubectl ask again what the server has: it remembers that for minutes."""
        subprocess.run(["rm", "-rf", str(self.path / ".kube" / "cache")], check=True)

    def file(self, *objects):
        """A file with these objects."""
        self.n_files += 1
        path = self.path / f"objects-{self.n_files}.json"
        path.write_text("\n".join(json.dumps(one) for one in objects))
        return str(path)

    def read_kubeconfig(self):
        view = json.loads(self.kubectl("config", "view", "--raw", "-o", "json").out)
        cluster = view["clusters"][0]["cluster"]
        self.token = view["users"][0]["user"].get("token")
        self.context = None
        if "certificate-authority-data" in cluster:
            pem = base64.b64decode(cluster["certificate-authority-data"]).decode()
            self.context = ssl.create_default_context(cadata=pem)

    def read_version(self):
        """(major, minor) of the kubectl."""
        client = json.loads(self.kubectl("version", "--client", "-o", "json").out)["clientVersion"]
        return int(client["major"]), int(client["minor"].rstrip("+"))

    def request(self, method, path, body=None, content_type="application/json"):
        """A request without kubectl, for what kubectl cannot say; the answer."""
        request = urllib.request.Request(self.server.url + path, method=method)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", content_type)
        if body is not None:
            request.data = json.dumps(body).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                             urllib.request.HTTPSHandler(context=self.context))
        with opener.open(request, timeout=DEADLINE) as answer:
            return json.loads(answer.read() or b"null")

    def wait_for_request(self, verb, path, query="", times=1):
        """Until the server has begun to answer such requests; it must run with --control."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            asked = [one for one in self.request("GET", "/_kinform/requests")["requests"]
                     if one["verb"] == verb and one["path"] == path and one.get("status") == 200
                     and query in one["query"]]
            if len(asked) >= times:
                return
            time.sleep(0.02)
        raise AssertionError(f"{verb} {path} {query} was not asked for {times} times")
