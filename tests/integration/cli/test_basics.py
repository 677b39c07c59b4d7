#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What needs no server: help, versions, completions, mistakes on the command line, configurations.

    test_basics.py --kinform PROGRAM [unittest's arguments]
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import command
from command import options, run

COMMANDS = ("demo", "get", "watch", "serve", "completion", "version")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "man" / "kinform.1"


class BasicsTest(unittest.TestCase):
    def ok(self, *arguments, **changes):
        said = run(*arguments, **changes)
        self.assertEqual((said.status, said.err), (0, ""), said)
        return said.out

    def fails(self, status, *arguments, **changes):
        said = run(*arguments, **changes)
        self.assertEqual((said.status, said.out), (status, ""), said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")
        return said.err

    def test_version(self):
        self.assertRegex(self.ok("version"), r"\Akinform \d+\.\d+\.\d+\n\Z")
        self.assertEqual(self.ok("--version"), self.ok("version"))
        self.assertRegex(self.ok("version", "-ojson"), r'\A\{"command":"[\d.]+","library":"[\d.]+"\}\n\Z')

    def test_help(self):
        whole = self.ok("--help")
        self.assertEqual(self.ok("help"), whole)
        for name in COMMANDS:
            with self.subTest(name):
                self.assertRegex(whole, rf"(?m)^  {name} +\w")
                one = self.ok(name, "--help")
                self.assertEqual(self.ok("help", name), one)
                self.assertEqual(self.ok(name, "-h"), one)
                self.assertIn(f"\n  kinform {name}", one)
                self.assertIn("\nExamples:\n", one)
        self.assertEqual(run().status, 2)

    def test_options_of_the_cluster_before_commands_without_one(self):
        for early in (["-n", "x"], ["--context=x", "-nx"], ["--kubeconfig", "/nonexistent"]):
            for words in (["help"], ["help", "get"], ["--help"], ["-h"], ["version"], ["version", "-ojson"], ["--version"],
                          ["completion", "bash"], ["get", "--help"]):
                with self.subTest(early=early, words=words):
                    self.assertEqual(self.ok(*early, *words), self.ok(*words))

    def test_mistakes(self):
        for arguments, text in (
                (["verison"], "perhaps version"),
                (["nosuch"], "there is no command nosuch"),
                (["-A", "get"], "-A is written after the command, as in kinform get -A"),
                (["-n", "x", "-A", "get"], "-A is written after the command"),
                (["-n"], "a command is missing after -n"),
                (["-n", "x"], "a command is missing after -n"),
                (["--context=x", "nosuch"], "there is no command nosuch"),
                (["-n", "x", "serve"], "unknown option -n"),
                (["-n", "x", "help", "nosuch"], "there is no command nosuch"),
                (["-n", "x", "version", "y"], "takes no arguments"),
                (["--simulate"], "as in kinform serve --simulate"),
                (["--bogus"], "no command has an option --bogus; see"),
                (["-"], "no command has an option -;"),
                (["help", "nosuch"], "there is no command nosuch"),
                (["version", "x"], "takes no arguments"),
                (["version", "--outptu", "json"], "perhaps --output"),
                (["version", "-o"], "-o wants a value"),
                (["version", "-x"], "unknown option -x"),
                (["version", "-o", "xml"], "not xml"),
                (["completion"], "bash, zsh or fish"),
                (["completion", "tcsh"], "bash, zsh or fish"),
                (["demo", "x"], "takes no arguments"),
                (["demo", "--churn", "-1"], "--churn wants a number"),
                (["demo", "--for", "soon"], "--for: soon is no duration"),
                (["demo", "--for", "0"], "--for 0 is no time at all"),
                (["demo", "--for", "999999999999"], "--for: 999999999999 is longer than 100 years"),
                (["demo", "--color", "blue"], "auto, always or never, not blue"),
                (["demo", "--pods", "1000001"], "up to 1000000"),
                (["demo", "--simulate"], "unknown option --simulate"),
                (["serve", "x"], "behind --"),
                (["serve", "--"], "no program behind --"),
                (["serve", "--port", "65536"], "up to 65535"),
                (["serve", "--port=-1"], "up to 65535"),
                (["serve", "--plain=perhaps"], "true or false"),
                (["serve", "--tls", "--plain"], "--tls is the default and does not go with --plain"),
                (["serve", "--host-name", ""], "a host name is empty"),
                (["serve", "--host-name", "*"], 'the host name "*" is malformed'),
                (["serve", "--host-name", "a,10.0.0.1"], 'the host name "10.0.0.1" is an address'),
                (["serve", "--simulate", "--churn", "many"], "--churn wants a number"),
                (["get"], "say of which kind"),
                (["get", ","], "an empty kind"),
                (["get", "pods/"], "KIND/NAME"),
                (["get", "pods/a", "b"], "KIND/NAME"),
                (["get", "pods/a/b"], "KIND/NAME"),
                (["get", "pods", "a", "-A"], "not -A"),
                (["get", "pods", "a", "-l", "x=y"], "by name or by selector"),
                (["get", "all", "a"], "all has no names"),
                (["get", "pods", "a", "b", "-w"], "--watch takes one name"),
                (["get", "pods", "a", "-w", "-A"], "not -A"),
                (["get", "--snapshot", "f", "-w"], "a snapshot does not change"),
                (["get", "pods", "-L", "a,,b"], "-L a,,b: a key is missing"),
                (["watch", "pods", "-L", "a"], "-L is for tables"),
                (["get", "pods", "--color", "purple"], "auto, always or never, not purple"),
                (["get", "pods", "--sort-by", "a["], "--sort-by a["),
                (["get", "pods", "-l", "a=b=c"], "-l a=b=c: "),
                (["get", "pods", "--field-selector", "a"], "--field-selector a: "),
                (["get", "pods", "--as-group", "g"], "--as USER"),
                (["get", "--snapshot", "f", "-l", "a=b=c"], "-l a=b=c: "),
                (["watch", "pods", "-l", "a=b=c"], "-l a=b=c: "),
                (["watch", "pods", "--color", "purple"], "not purple"),
                (["watch", "pods", "--as-group", "g"], "--as USER"),
                (["watch", "pods", "-o", "xml"], "-o takes"),
                (["watch", "pods", "--where", "a["], "the condition a["),
                (["watch", "pods", "--fields", "a..b"], "--fields a..b"),
                (["get", "pods", "-o", "xml"], "-o takes"),
                (["get", "pods", "-o", "jsonpath={.a"], "} is missing"),
                (["get", "pods", "-o", "custom-columns=NAME"], "HEADER:PATH"),
                (["get", "pods", "-o", "custom-columns=NAME:{"], "the column NAME:{"),
                (["get", "pods", "--where", "a["], "the condition a["),
                (["get", "pods", "--where", "a=~["], "the condition a=~["),
                (["get", "pods", "--where", "a!b"], "compare with"),
                (["get", "pods", "--request-timeout", "soon"], "--request-timeout: soon is no duration"),
                (["get", "pods", "--fields", "a..b"], "--fields a..b"),
                (["watch"], "say of which kind"),
                (["watch", "pods/"], "KIND/NAME"),
                (["watch", "pods", "--until", "a["], "the condition a["),
                (["watch", "pods", "--timeout", "x"], "--timeout: x is no duration"),
                (["watch", "pods", "--timeout", "999999999999"], "longer than 100 years"),
                (["watch", "pods", "nodes", "--snapshot", "f"], "one kind at a time"),
                (["watch", "pods", "--diff", "-o", "json"], "--diff is a way to show changes"),
                (["watch", "pods", "--show-labels"], "--show-labels is for tables"),
        ):
            with self.subTest(arguments):
                self.assertIn(text, self.fails(2, *arguments))

    def test_configurations(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("get", "watch"):
                self.look_at_configurations(name, Path(folder) / "config")

    def look_at_configurations(self, name, path):
        path.unlink(missing_ok=True)
        self.assertIn("there is no such file", self.fails(3, name, "pods", "--kubeconfig", str(path)))
        path.write_text("clusters: [")
        self.assertIn(str(path), self.fails(1, name, "pods", "--kubeconfig", str(path)))
        path.write_text("apiVersion: v1\nkind: Config\ncurrent-context: x\n")
        self.assertIn('"x"', self.fails(3, name, "pods", KUBECONFIG=str(path)))
        for option, text in (("--context", "y"), ("--cluster", "y"), ("--user", "y")):
            line = self.fails(3, name, "pods", option, text, KUBECONFIG=str(path))
            self.assertIn("kubectl config view shows what there is", line)
        self.assertIn("--kubeconfig or KUBECONFIG", self.fails(3, name, "pods"))
        self.assertIn("kinform: --server: not a valid URL: its scheme",
                      self.fails(2, name, "pods", "--server", "ftp://127.0.0.1"))
        for options, text in ((["--certificate-authority", "nosuch"], "--certificate-authority: nosuch: No such file"),
                              (["--context", "y"], "kubectl config view")):
            self.assertIn(text, self.fails(3, name, "pods", "-s", "https://127.0.0.1:1", *options))
        self.assertIn("kinform: --insecure-skip-tls-verify: set together",
                      self.fails(2, name, "pods", "-s", "https://127.0.0.1:1", "--insecure-skip-tls-verify",
                                 "--certificate-authority", str(path)))
        path.write_text("apiVersion: v1\nkind: Config\n"
                        "contexts: [{name: one, context: {cluster: c}}, {name: two, context: {cluster: c}}]\n"
                        "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n")
        line = self.fails(3, name, "pods", "--kubeconfig", str(path))
        self.assertIn('"one", "two"', line)
        self.assertTrue(line.endswith("; use --context NAME\n"), line)
        self.assertIn(", a context by --context, ", self.fails(3, name, "pods", KUBECONFIG=str(path)))
        path.write_text("apiVersion: v1\nkind: Config\ncurrent-context: x\n"
                        "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                        "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
                        "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,"
                        " command: /nonexistent/plugin, interactiveMode: Never}}}]\n")
        said = run(name, "pods", KUBECONFIG=str(path))
        self.assertNotEqual(said.status, 0)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")

    def test_no_server(self):
        for name in ("get", "watch"):
            line = self.fails(5, name, "pods", "--server", "http://127.0.0.1:1")
            self.assertIn("is the server running", line)

    def test_output_that_cannot_be_written(self):
        for arguments in (["version"], ["--help"], ["completion", "bash"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([options.kinform, *arguments], stdout=full, text=True,
                                      stderr=subprocess.PIPE, timeout=command.DEADLINE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written", done.stderr)

    def test_standard_descriptors_that_are_closed(self):
        """They are an error where they are needed, and nobody else's in any case."""
        for closed, status in ((">&-", 1), ("<&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 1)):
            done = subprocess.run(["sh", "-c", f'"$0" version {closed}', options.kinform], text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=command.DEADLINE)
            self.assertEqual(done.returncode, status, done)
            self.assertEqual(done.stderr, "kinform: standard output cannot be written: it is closed\n"
                             if closed == ">&-" else "")

    def test_a_pipe_that_nobody_reads(self):
        for ignored in (False, True):
            reading, writing = os.pipe()
            os.close(reading)
            process = subprocess.Popen([options.kinform, "--help"], stdout=writing,
                                       stderr=subprocess.PIPE, restore_signals=not ignored)
            os.close(writing)
            _, err = process.communicate(timeout=command.DEADLINE)
            self.assertEqual((process.returncode, err), (-signal.SIGPIPE, b""))

    # ---- the manual

    def test_the_manual_has_all_options(self):
        page = PAGE.read_text().replace("\\-", "-")
        for name in COMMANDS:
            self.assertIn(f"kinform {name}", page)
            for option in re.findall(r"(?m)^ +(?:-\w, )?--([a-z-]+)", self.ok(name, "--help")):
                with self.subTest(command=name, option=option):
                    self.assertRegex(page, rf"--{option}\b")

    def test_the_manual_has_all_usages(self):
        page = PAGE.read_text().replace("\\-", "-")
        for name in COMMANDS:
            usage = re.search(r"(?m)^Usage:\n  (.*)$", self.ok(name, "--help"))[1]
            with self.subTest(name):
                self.assertIn(f"\n.B {usage.replace('…', '...')}\n", page)
        self.assertRegex(page, r"(?m)^\.BR? -h.*--help$")

    def test_the_manual_can_be_read_anywhere(self):
        """With a locale that has nothing but ASCII, and by each program that shows manuals and is here."""
        self.assertTrue(PAGE.read_text().isascii(), "groff leaves out what is not ASCII")
        self.assertRegex(PAGE.read_text(), r"(?m)^\.TH KINFORM 1 \d{4}-\d\d-\d\d ")
        for formatter in (["groff", "-ww", "-man", "-Tascii", PAGE], ["mandoc", "-Tlint", "-W", "warning", PAGE]):
            if shutil.which(formatter[0]):
                with self.subTest(formatter[0]):
                    result = subprocess.run(formatter, text=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})
                    said = result.stderr + (result.stdout if formatter[0] == "mandoc" else "")
                    self.assertEqual((result.returncode, said), (0, ""))
            elif os.environ.get("KIN_STRICT") == "1" and formatter[0] == "groff":
                self.fail("groff is not here, and KIN_STRICT=1")

    def test_the_manual_has_all_statuses(self):
        page = PAGE.read_text()
        for status, text in re.findall(r"(?m)^  (\d) +(.*)$", self.ok("--help")):
            self.assertRegex(page, rf"(?m)^\.B {status}\n{re.escape(text)}$")


if __name__ == "__main__":
    command.main()
