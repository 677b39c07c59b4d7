#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options that say which cluster, as whom, and how much is told on the way.

    test_cluster.py --kinform PROGRAM [unittest's arguments]
"""
import base64
import http.server
import json
import re
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

import command
from command import Case, DEADLINE, config_map, run
from running import reserved_port

TOKEN = "sesame-open-4711"
SPACE = "/api/v1/namespaces/default"
# Exit statuses of docs/man/kinform.1.
OK, USAGE, NOT_FOUND, DENIED, UNREACHABLE = 0, 2, 3, 4, 5


def kubeconfig(path, clusters, users, contexts, current):
    """JSON is YAML. Contexts are (cluster, user)."""
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": current,
        "clusters": [{"name": name, "cluster": one} for name, one in clusters.items()],
        "users": [{"name": name, "user": one} for name, one in users.items()],
        "contexts": [{"name": name, "context": {"cluster": cluster, "user": user}}
                     for name, (cluster, user) in contexts.items()]}))
    return str(path)


class TlsTest(Case):
    """A server that wants a token and shows a certificate; the current context of `kubeconfig` is wrong in all."""
    ARGUMENTS = ("--token", TOKEN)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text = Path(cls.server.kubeconfig).read_text()
        pem = base64.b64decode(re.search(r'certificate-authority-data: "?([^"\s]+)', text)[1])
        cls.ca = cls.path / "ca.pem"
        cls.ca.write_bytes(pem)
        cls.own = cls.server.kubeconfig
        good = {"server": cls.server.url, "certificate-authority": str(cls.ca)}
        cls.held = reserved_port()
        port = cls.held.__enter__()
        cls.server.kubeconfig = kubeconfig(
            cls.path / "several",
            {"good": good, "bad": {"server": f"https://127.0.0.1:{port}"},
             "unknown": {"server": cls.server.url}},
            {"good": {"token": TOKEN}, "bad": {"token": "wrong-token-0815"}},
            {"good": ("good", "good"), "bad": ("bad", "bad"), "denied": ("good", "bad"),
             "unknown": ("unknown", "good")}, "bad")

    @classmethod
    def tearDownClass(cls):
        cls.held.__exit__(None, None, None)
        super().tearDownClass()

    def status(self, *arguments):
        return self.run_it("get", "namespaces", "-o", "name", *arguments).status

    def test_what_is_wrong_is_wrong(self):
        self.assertIn("no connection", self.fails(UNREACHABLE, "get", "namespaces"))

    def test_context(self):
        self.assertIn("namespace/default\n", self.ok("get", "namespaces", "-o", "name", "--context", "good"))
        self.assertIn("log in again", self.fails(DENIED, "get", "namespaces", "--context=denied"))

    def test_cluster_and_user(self):
        self.assertEqual(self.status("--cluster", "good", "--user", "good"), OK)
        self.assertEqual(self.status("--cluster", "good"), DENIED)
        self.assertEqual(self.status("--user", "good"), UNREACHABLE)

    def test_kubeconfig(self):
        self.assertEqual(self.status("--kubeconfig", self.own), OK)

    def test_token(self):
        self.assertEqual(self.status("--cluster", "good", "--token", TOKEN), OK)
        self.assertEqual(self.status("--context", "good", "--token", TOKEN + "x"), DENIED)

    def test_a_token_in_a_file(self):
        path = self.path / "token"
        path.write_text(TOKEN + "\n")
        self.assertEqual(self.status("--cluster", "good", "--token", f"@{path}"), OK)
        path.write_text("wrong-token-0815\n")
        self.assertEqual(self.status("--context", "good", "--token", f"@{path}"), DENIED)
        path.write_text("\n")
        self.assertIn(str(path), self.fails(DENIED, "get", "namespaces", "--context", "good", "--token", f"@{path}"))
        for missing in ("/nonexistent/token", str(self.path)):
            said = self.run_it("get", "namespaces", "--context", "good", "--token", f"@{missing}")
            self.assertNotEqual(said.status, OK)
            self.assertIn(missing, said.err)
        self.assertIn("--token @FILE", self.fails(2, "get", "namespaces", "--token", "@"))

    def test_server(self):
        self.assertEqual(self.status("--context", "good", "--server", self.server.url), OK)
        self.assertEqual(self.status("--context", "bad", "--user", "good", "-s", self.server.url,
                                     "--certificate-authority", str(self.ca)), OK)

    def test_whom_to_trust(self):
        self.assertIn("certificate", self.fails(UNREACHABLE, "get", "namespaces", "--context", "unknown"))
        self.assertEqual(self.status("--context", "unknown", "--certificate-authority", str(self.ca)), OK)
        self.assertEqual(self.status("--context", "unknown", "--insecure-skip-tls-verify"), OK)
        self.assertEqual(self.status("--context", "unknown", "--insecure-skip-tls-verify=false"), UNREACHABLE)

    def test_nothing_secret_is_told(self):
        """Neither when all goes well, nor on the way to a failure; in no command."""
        for arguments in (("--context", "good"), ("--context", "denied"), ("--context", "bad"), ("--context", "unknown"),
                          ("--cluster", "good", "--token", TOKEN), ("--context", "good", "--as", "jane")):
            for verb in (("get", "namespaces"), ("watch", "namespaces", "--until", ".metadata.name", "--timeout", "20s")):
                if verb[0] == "watch" and arguments[1] in ("bad", "unknown"):
                    continue  # it would wait for the server until its time is over
                said = self.run_it(*verb, "-v", *arguments)
                self.assertRegex(said.err, r"debug kinform: the cluster .*user=")
                for secret in (TOKEN, "wrong-token-0815", "Bearer", "Authorization"):
                    self.assertNotIn(secret, said.out + said.err)


class AdviceTest(unittest.TestCase):
    """What to do is said where it helps, and only there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)

    def told(self, *arguments, **changes):
        said = run("get", "pods", *arguments, HOME=str(self.path), **changes)
        self.assertEqual((said.status, said.out), (NOT_FOUND, ""), said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")
        return said.err

    def test_who_has_named_a_kubeconfig_is_not_told_to(self):
        self.assertNotIn(";", self.told("--kubeconfig", str(self.path / "missing")))

    def test_who_has_none_is(self):
        self.assertIn("; name a kubeconfig by --kubeconfig or KUBECONFIG, a context by --context, or a server by --server", self.told())

    def test_names_that_are_not_in_it(self):
        path = kubeconfig(self.path / "config", {"a": {"server": "http://127.0.0.1:1"}}, {"u": {}}, {"c": ("a", "u")}, "c")
        for name in ("--context", "--cluster", "--user"):
            self.assertIn("; kubectl config view shows", self.told("--kubeconfig", path, name, "nosuch"))

    def test_groups_want_a_user(self):
        said = run("get", "pods", "--as-group", "g", "--server", "http://127.0.0.1:1")
        self.assertEqual(said.status, USAGE)
        self.assertIn("--as-group wants a user", said.err)


class Recorder(http.server.ThreadingHTTPServer):
    """Stands before a server, remembers what was asked, and warns."""
    daemon_threads = True

    def __init__(self, url):
        super().__init__(("127.0.0.1", 0), RecorderHandler)
        self.behind = url
        self.asked = []
        self.warnings = []
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def close(self):
        self.shutdown()
        self.thread.join(DEADLINE)
        self.server_close()


class RecorderHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append((self.path, self.headers))
        request = urllib.request.Request(self.server.behind + self.path, headers={"Accept": self.headers["Accept"]})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=DEADLINE) as answer:
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        if "/namespaces/" in self.path:
            for warning in self.server.warnings:
                self.send_header("Warning", warning)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class RecordedTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        entry = {"manager": "the-tests", "operation": "Update", "apiVersion": "v1",
                 "time": "2001-09-09T01:46:40Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {}}}
        cls.server.create(f"{SPACE}/configmaps", config_map("a", managedFields=[entry]))

    def setUp(self):
        self.recorder = Recorder(self.server.url)
        self.addCleanup(self.recorder.close)

    def get(self, *arguments):
        return self.run_it("get", "cm", "-o", "name", "--server", self.recorder.url(), *arguments)

    def test_who_asks(self):
        self.assertEqual(self.get().status, OK)
        for path, headers in self.recorder.asked:
            self.assertNotIn("Impersonate-User", headers, path)
            self.assertRegex(headers["User-Agent"], r"^kinform/\d")

    def test_as(self):
        said = self.get("--as", "jane", "--as-group", "ops", "--as-group=dev")
        self.assertEqual((said.status, said.out), (OK, "configmap/a\n"), said)
        self.assertGreater(len(self.recorder.asked), 1)
        for path, headers in self.recorder.asked:
            self.assertEqual(headers.get_all("Impersonate-User"), ["jane"], path)
            self.assertEqual(headers.get_all("Impersonate-Group"), ["ops", "dev"], path)

    def test_warnings_are_printed(self):
        self.recorder.warnings = ['299 - "configmaps are old"', '299 - "and so \\"are\\" you"', '199 - "for machines"']
        said = self.get()
        self.assertEqual((said.status, said.out), (OK, "configmap/a\n"), said)
        self.assertEqual(said.err, 'Warning: configmaps are old\nWarning: and so "are" you\n')

    def test_warnings_do_not_move_the_cursor(self):
        """The client drops those with C0 in them. As Latin-1 this is a C1, in UTF-8."""
        self.recorder.warnings = ['299 - "a\u00c2\u009b2Jb"', '299 - "c\x1b[2J"']
        said = self.get()
        self.assertEqual(said.err, "Warning: a\\x9b2Jb\n")

    def test_request_timeout(self):
        self.assertEqual(self.get("--request-timeout", "7s").status, OK)
        self.assertIn("timeout=7s", self.recorder.asked[-1][0])

    def test_managed_fields_are_shown_on_request(self):
        for output in ("yaml", "json"):
            self.assertNotIn("managedFields", self.ok("get", "cm", "a", "-o", output))
            self.assertIn("the-tests", self.ok("get", "cm", "a", "-o", output, "--show-managed-fields"))
        watched = ("watch", "cm", "--initial", "-o", "jsonl", "--until", ".metadata.name==a")
        self.assertNotIn("managedFields", self.run_it(*watched).out)
        self.assertIn("the-tests", self.run_it(*watched, "--show-managed-fields").out)


class VerboseTest(Case):
    ARGUMENTS = ("--control",)

    def fault(self, **rule):
        self.server.send("POST", "/_kinform/faults", rule)
        self.addCleanup(self.server.send, "DELETE", "/_kinform/faults")

    def test_nothing_without_it(self):
        self.assertEqual(self.run_it("get", "namespaces").err, "")

    def test_get(self):
        said = self.run_it("get", "namespaces", "-v")
        self.assertEqual(said.status, OK)
        self.assertIn("default", said.out)
        self.assertRegex(said.err, rf"the cluster kubeconfig={self.server.kubeconfig} context=kinform .*"
                                   rf"server={self.server.url} namespace=default")
        self.assertRegex(said.err, r"(?m)a request has ended method=GET target=/apis? ms=\d+ status=200$")
        self.assertRegex(said.err, r'(?m)a request has ended method=GET target="/api/v1/namespaces\?[^"]*" ms=\d+ status=200$')

    def test_the_kubeconfig_that_was_named(self):
        said = run("get", "namespaces", "--verbose", "--kubeconfig", self.server.kubeconfig)
        self.assertIn(f"the cluster kubeconfig={self.server.kubeconfig} ", said.err)
        said = run("get", "namespaces", "--verbose", "--server", self.server.url)
        self.assertIn("the cluster kubeconfig=default ", said.err)

    def test_a_request_that_is_refused(self):
        self.fault(type="Status", verb="list", path="*/configmaps", status=403)
        said = self.run_it("get", "cm", "-v")
        self.assertEqual(said.status, DENIED)
        self.assertRegex(said.err, r'a request has ended .*configmaps.* status=403 error=')

    def test_a_request_that_is_tried_again(self):
        self.fault(type="Status", verb="list", path="*/configmaps", status=429, retryAfterSeconds=1)
        said = self.run_it("get", "cm", "-v")
        self.assertEqual(said.status, OK)
        self.assertRegex(said.err, r"a request is tried again .*configmaps.* status=429 error=")
        self.assertRegex(said.err, r"a request has ended .*configmaps.* status=200 retries=1\n")

    def test_a_connection_that_is_reset(self):
        self.fault(type="Reset", verb="list", path="*/configmaps", always=True)
        said = self.run_it("get", "cm", "-v", "--request-timeout", "2s")
        self.assertNotEqual(said.status, OK)
        self.assertRegex(said.err, r"configmaps.* error=.*(reset|connection|closed)")

    def test_no_connection(self):
        with reserved_port() as port:
            said = run("get", "cm", "-v", "--server", f"http://127.0.0.1:{port}")
        self.assertEqual(said.status, UNREACHABLE)
        self.assertRegex(said.err, r"a request has ended method=GET target=/api ms=\d+ error=.*no connection")

    def test_watch(self):
        watching = self.start("watch", "cm", "-v")
        watching.wait_for(r'a watch stands method=GET target="/api/v1/namespaces/default/configmaps\?.*watch=(true|1)', "err")
        self.server.create(f"{SPACE}/configmaps", config_map("verbose"))
        watching.wait_for(r"\+ configmap default/verbose")
        self.server.send("POST", "/_kinform/restart")
        watching.wait_for(r"a request has ended .*configmaps.*watch.* status=200", "err")
        watching.wait_for(r"a watch stands .*configmaps", "err")


if __name__ == "__main__":
    command.main()
