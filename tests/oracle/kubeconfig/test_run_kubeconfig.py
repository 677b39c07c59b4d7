#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_kubeconfig.py with scripts in the place of both programs; no Go is needed."""
import contextlib
import json
import os
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import generate_sets
import run_kubeconfig
import runner_case  # the runner has put its folder on the path

# A program that answers each request with the value of an expression.
PROGRAM = """#!{python}
import json, os, sys
for n, line in enumerate(sys.stdin):
    r = json.loads(line)
    o = r["options"]
    print(json.dumps({expression}), flush=True)
"""
GOOD = '{"ok": True, "server": o.get("server", "https://a"), "token": o.get("token", "")}'
REFUSED = '{"ok": False, "error": "no"}'


class RunTest(runner_case.RunnerCase):
    MODULE = run_kubeconfig
    PROGRAM = PROGRAM
    PATCHES = ((run_kubeconfig, "SHRINK_RUNS", 5),)

    def compare(self, oracle, program, *options):
        return self.run_main("--oracle", self.program("oracle", oracle), "--sets", "20", *options,
                             self.program("program", program))

    def test_equal(self):
        status, output = self.compare(GOOD, GOOD)
        self.assertEqual((status, "20 equal" in output), (0, True), output)
        status, output = self.compare(REFUSED, REFUSED)
        self.assertEqual((status, "20 refused" in output), (0, True), output)

    def test_difference_is_found_and_made_small(self):
        status, output = self.compare(GOOD, GOOD.replace('"token": ', '"username": '))
        self.assertEqual(status, 1)
        self.assertIn("made small", output)
        self.assertIn("1 different", output)
        self.assertIn("username: go None, ours", output)

    def test_one_side_refuses(self):
        for pair in ((GOOD, REFUSED), (REFUSED, GOOD)):
            status, output = self.compare(*pair)
            self.assertEqual((status, "1 different" in output), (1, True), output)

    def test_named_difference(self):
        reason = '{"ok": False, "error": "x is not supported; use an exec plugin"}'
        status, output = self.compare(GOOD, reason)
        self.assertEqual((status, "20 auth-provider" in output), (0, True), output)

    def test_names_without_a_difference(self):
        with mock.patch.object(run_kubeconfig, "STALE_SETS", 20):
            status, output = self.compare(GOOD, GOOD)
        self.assertEqual((status, "auth-provider is no difference any more" in output), (1, True))

    def test_token_override_needs_the_option(self):
        given = {"options": {"token": "x"}}
        theirs, ours = {"ok": True, "server": "https://a", "token_file": "f"}, {"ok": True, "server": "https://a"}
        self.assertEqual(run_kubeconfig.judge(given, theirs, ours), "token-override")
        self.assertIsNone(run_kubeconfig.judge({"options": {}}, theirs, ours))
        self.assertIsNone(run_kubeconfig.judge(given, theirs, {**ours, "as": "y"}))

    def test_plain_http_excuses_credentials_only(self):
        theirs = {"ok": True, "server": "http://a", "token": ""}
        given = {"options": {}}
        self.assertEqual(run_kubeconfig.judge(given, theirs, {**theirs, "token": "x"}), "plain-http")
        self.assertIsNone(run_kubeconfig.judge(given, theirs, {**theirs, "namespace": "x"}))
        secure = {**theirs, "server": "https://a"}
        self.assertIsNone(run_kubeconfig.judge(given, secure, {**secure, "token": "x"}))

    def test_crash_names_the_request(self):
        status, output = self.compare(GOOD, "os._exit(3) if n == 2 else " + GOOD)
        self.assertEqual(status, 1)
        self.assertIn("ended with 3 at\n{", output)

    def test_program_that_is_not_there(self):
        status, output = self.run_main("--oracle", "/nowhere", "--sets", "5", "/nowhere")
        self.assertEqual((status, "/nowhere" in output), (1, True))

    def test_without_go(self):
        with mock.patch("shutil.which", return_value=None):
            os.environ.pop("KIN_STRICT", None)
            self.assertEqual(self.run_main("--build", self.folder, "--self")[0], 77)
            os.environ["KIN_STRICT"] = "1"
            self.assertEqual(self.run_main("--build", self.folder, "--self")[0], 1)

    def test_usage(self):
        for arguments in (["--self"], ["--build", "x"], ["--build", "x", "--oracle", "y", "z"],
                          ["--build", "x", "--sets", "0", "z"]):
            self.assertEqual(self.run_main(*arguments)[0], 2, arguments)


class SetsTest(unittest.TestCase):
    def test_same_seed_same_sets(self):
        texts = [json.dumps([generate_sets.make_set(random.Random(seed)) for _ in range(3)])
                 for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_json_style_is_json(self):
        document = {"a": [1, None, {"b": "é\n"}], "c": True}
        texts = {generate_sets.text_of(document, n) for n in range(50)}
        self.assertGreater(len(texts), 10)
        parsed = 0
        for text in texts:
            with contextlib.suppress(ValueError):
                self.assertEqual(json.loads(text), document)
                parsed += 1
        self.assertGreater(parsed, 0)

    def test_files_are_where_the_requests_look(self):
        for seed in range(100):
            given = generate_sets.make_set(random.Random(seed))
            with tempfile.TemporaryDirectory() as folder:
                run_kubeconfig.write_set(given, Path(folder))
                request = json.loads(run_kubeconfig.request_of(given, Path(folder)))
                if given.get("home"):
                    self.assertTrue((Path(request["home"]) / ".kube/config").exists())
                elif given.get("list"):
                    self.assertTrue(any(os.path.exists(p) for p in request["list"].split(":") if p))

    def test_smaller(self):
        self.assertEqual(list(run_kubeconfig.smaller({"a": [1]})), [{}, {"a": []}])
        self.assertEqual(list(run_kubeconfig.smaller("text")), [])


if __name__ == "__main__":
    unittest.main()
