# SPDX-License-Identifier: Apache-2.0
"""A server and a kubectl, as the tests use them."""
import base64
import json
import os
import queue
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

DEADLINE = 120  # of anything that is waited for, in seconds


class Server:
    """kinform-apiserver, until close()."""

    def __init__(self, program, folder, *arguments):
        self.kubeconfig = folder / "kubeconfig"
        self.process = subprocess.Popen([program, str(self.kubeconfig), *arguments], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("listening "), line
        self.url = line.split()[1]

    def close(self):
        """Ends it; its exit status."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        self.process.stdout.close()
        return status


class Said:
    """What a kubectl has said."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self):
        return f"exit status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


class Running:
    """A kubectl that runs. Its lines are read by a thread, so that waiting for them has an end."""

    def __init__(self, process):
        self.process = process
        self.lines = queue.Queue()
        self.seen = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def wait_for(self, text):
        """The next line that contains it."""
        end = time.monotonic() + DEADLINE
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line with {text!r} behind {self.seen}") from None
            if line is None:
                raise AssertionError(f"it ended without {text!r}: {self.seen}")
            self.seen.append(line)
            if text in line:
                return line

    def is_running(self):
        return self.process.poll() is None

    def wait(self):
        """Its exit status."""
        return self.process.wait(DEADLINE)

    def close(self):
        if self.is_running():
            self.process.kill()
        self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
        self.process.stdout.close()


class Cluster:
    """A server, and a kubectl that has its kubeconfig and a home of its own."""

    def __init__(self, kubectl, program, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.kubectl_program = kubectl
        self.server = Server(program, self.path, *arguments)
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
        run = subprocess.run([self.kubectl_program, *arguments], env=self.environment, text=True,
                             input=text, stdin=None if text else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        return Said(run.returncode, run.stdout, run.stderr)

    def start(self, *arguments):
        return Running(subprocess.Popen([self.kubectl_program, *arguments], env=self.environment,
                                        text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))

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
        if body is not None:
            request.add_header("Content-Type", content_type)
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
