#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/kube-apiserver with scripts in the place of etcd and kube-apiserver."""
import json
import os
import select
import shutil
import signal
import ssl
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "kube-apiserver"

# Both serve what the tool asks for, note their pid, and what came.
FAKE = """#!/usr/bin/env python3
import http.server, json, os, socket, ssl, sys
from urllib.parse import urlsplit

flags = {}
words = sys.argv[1:]
while words:
    word = words.pop(0)
    if "=" in word:
        name, _, value = word.partition("=")
    elif words and not words[0].startswith("--"):
        name, value = word, words.pop(0)
    else:
        name, value = word, ""
    flags[name] = value
cache = os.environ["FAKE_CACHE"]
with open(f"{cache}/pids", "a") as pids:
    pids.write(f"{os.path.basename(sys.argv[0])} {os.getpid()}\\n")
if "--fake-end" in flags:
    sys.exit("it has no wish to go on")

class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status=200):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b'{"header":{"revision":"42"}}')

    def do_GET(self):
        self.answer(200 if self.headers.get("Authorization", "").startswith("Bearer ") else 401)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(f"{cache}/asked", "a") as asked:
            asked.write(f"{self.path} {body.decode()}\\n")
        self.answer()

    def log_message(self, *arguments):
        pass

class Server(http.server.ThreadingHTTPServer):
    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()

is_etcd = "--listen-client-urls" in flags
port = urlsplit(flags["--listen-client-urls"]).port if is_etcd else int(flags["--secure-port"])
server = Server(("127.0.0.1", port), Handler)
if not is_etcd:
    etcd = urlsplit(flags["--etcd-servers"])
    while True:
        try:
            socket.create_connection((etcd.hostname, etcd.port)).close()
            break
        except ConnectionRefusedError:
            os.sched_yield()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(flags["--tls-cert-file"], flags["--tls-private-key-file"])
    server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class KubeApiserverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)
        (self.cache / "temporary").mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache),
                            "KIN_KUBE_APISERVER": "", "FAKE_CACHE": str(self.cache),
                            "TMPDIR": str(self.cache / "temporary")}

    def install(self):
        """Where the tool looks for what it has built; it says so itself."""
        source = TOOL.read_text()
        version = source.split('\nKUBERNETES = "')[1].split('"')[0]
        programs = self.cache / "kinform" / f"kube-apiserver-{version}" / "bin"
        programs.mkdir(parents=True)
        for name in ("etcd", "kube-apiserver"):
            (programs / name).write_text(FAKE)
            (programs / name).chmod(0o755)
        return programs

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *arguments], env=self.environment, text=True, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def start(self, *arguments):
        process = subprocess.Popen([TOOL, "--cached", *arguments], env=self.environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process, process.stdout.readline().strip()

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def pids(self, name):
        """Of all that ran under this name, in their order."""
        lines = (self.cache / "pids").read_text().splitlines()
        return [int(line.split()[1]) for line in lines if line.split()[0] == name]

    def all_pids(self):
        return self.pids("etcd") + self.pids("kube-apiserver")

    def assert_nothing_is_left(self):
        for pid in self.all_pids():
            self.assertFalse(is_alive(pid))
        self.assertEqual(list((self.cache / "temporary").iterdir()), [])

    def test_nothing_is_built_that_nobody_asked_for(self):
        self.assertEqual(self.run_tool("--where").returncode, 1)
        run = self.run_tool("--cached")
        self.assertEqual(run.returncode, 77)
        self.assertIn("tools/kube-apiserver --build", run.stderr)
        programs = self.install()
        run = self.run_tool("--where")
        self.assertEqual((run.returncode, run.stdout.strip()), (0, str(programs)))
        self.assertEqual(self.run_tool("--build").returncode, 0)

    def test_a_folder_that_is_given_is_taken(self):
        given = self.cache / "given"
        self.install().rename(given)
        self.environment["KIN_KUBE_APISERVER"] = str(given)
        run = self.run_tool("--where")
        self.assertEqual((run.returncode, run.stdout.strip()), (0, str(given)))
        self.assertEqual(self.run_tool("--build").returncode, 0)
        process, path = self.start()
        self.assertTrue(path)
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)
        (given / "etcd").unlink()
        run = self.run_tool("--build")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"not in {given}", run.stderr)

    def test_a_server_until_the_input_ends(self):
        self.install()
        process, path = self.start()
        config = json.loads(Path(path).read_text())
        self.assertEqual(config["current-context"], "admin")
        self.assertEqual([c["name"] for c in config["contexts"]],
                         ["admin", "token", "nobody", "stranger"])
        self.assertEqual(Path(path).stat().st_mode & 0o777, 0o600)
        server = config["clusters"][0]["cluster"]["server"]
        self.assertRegex(server, r"^https://127\.0\.0\.1:\d+$")
        trust = ssl.create_default_context(cafile=Path(path).parent / "ca.crt")
        token = config["users"][1]["user"]["token"]
        request = urllib.request.Request(server, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, context=trust, timeout=30) as answer:
            self.assertEqual(answer.status, 200)
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)
        self.assert_nothing_is_left()

    def test_orders(self):
        self.install()
        process, _ = self.start()
        for order, answer in (("compact", "ok"), ("restart", "ok"), ("burn", "not an order: burn"),
                              ("compact", "ok")):
            process.stdin.write(order + "\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline().strip(), answer)
        asked = (self.cache / "asked").read_text().splitlines()
        self.assertEqual(asked[1], '/v3/kv/compaction {"revision": "42", "physical": true}')
        self.assertEqual(len(asked), 4)
        self.assertEqual([is_alive(pid) for pid in self.pids("etcd")], [True])
        self.assertEqual([is_alive(pid) for pid in self.pids("kube-apiserver")], [False, True])
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)

    def test_a_server_that_is_not_there_for_a_while(self):
        self.install()
        process, _ = self.start()
        for order, answer in (("start", "start: kube-apiserver is there"), ("kill", "ok"),
                              ("kill", "kill: kube-apiserver is not there"),
                              ("restart", "restart: kube-apiserver is not there"),
                              ("compact", "ok"), ("start", "ok"), ("kill", "ok")):
            process.stdin.write(order + "\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline().strip(), answer)
        self.assertEqual(len(self.pids("kube-apiserver")), 2)
        self.assertEqual(len(self.pids("etcd")), 1)
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)
        self.assert_nothing_is_left()

    def test_a_program_that_ends(self):
        self.install()
        process, path = self.start("--", "--fake-end=now")
        self.assertEqual(path, "")
        self.assertEqual(process.wait(30), 1)
        self.assertIn("kube-apiserver has ended: it has no wish to go on", process.stderr.read())
        self.assert_nothing_is_left()

    def test_a_program_that_is_killed(self):
        self.install()
        process, _ = self.start()
        os.kill(self.pids("etcd")[0], signal.SIGKILL)
        self.assertEqual(process.wait(30), 1)
        self.assertIn("etcd has ended", process.stderr.read())
        self.assert_nothing_is_left()

    def test_signals(self):
        self.install()
        process, _ = self.start()
        process.terminate()
        self.assertEqual(process.wait(30), 1)
        self.assert_nothing_is_left()

    def test_no_program_outlives_it(self):
        self.install()
        process, _ = self.start()
        process.kill()
        process.wait()
        # The kernel ends them, in its own time.
        self.assertEqual(len(self.all_pids()), 2)
        for pid in self.all_pids():
            try:
                descriptor = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            self.addCleanup(os.close, descriptor)
            self.assertTrue(select.select([descriptor], [], [], 30)[0])


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: openssl is not installed")
    else:
        unittest.main()
