#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions: what `kinform completion __complete` says, and what bash, zsh and fish make of it.

    test_completion.py --kinform PROGRAM [unittest's arguments]

Shells that are not there are skipped (with KIN_STRICT=1 they fail).
"""
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

import command
from command import Case, DEADLINE, config_map, environment, is_strict, options, run
from running import read_until

COMMANDS = ["demo", "get", "watch", "serve", "completion", "version"]
BASH = r"""
source "$1"; shift
COMP_LINE="$1" COMP_POINT=${#1}; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_kinform
printf "%s\n" "${COMPREPLY[@]}"
"""
# What is typed into a zsh in a terminal of its own, and what it shows for a Tab: the line, or the list below it.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; unset zle_bracketed_paste; bindkey '^I' complete-word; LISTMAX=1000; stty columns 200 rows 100"
zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1; cd $3"
zpty -w shell "_show() { zle -I; print -r -- \"<<\$BUFFER>>\"; }; zle -N _show; bindkey '^T' _show; print rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\t\x14'
zpty -r -m shell line '*<<*>>*'
print -r -- "$line"
zpty -d shell
"""


def need(shell):
    return unittest.skipUnless(shutil.which(shell) or is_strict(), f"there is no {shell}")


class CompletionTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gadgets.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
        cls.server.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                                 "metadata": {"name": "attic"}})
        for name in ("cup", "cupboard", "kettle"):
            cls.server.create("/api/v1/namespaces/default/configmaps", config_map(name))
        cls.server.create("/api/v1/namespaces/attic/configmaps", config_map("trunk"))
        cls.place = cls.path / "place"
        (cls.place / "sp dir").mkdir(parents=True)
        (cls.place / "sp file").touch()
        for shell in ("bash", "zsh", "fish"):
            (cls.path / shell).write_text(run("completion", shell).out)

    def asked(self, *words, **changes):
        """What the command itself says: the first line, and the words."""
        said = run("completion", "__complete", "fish", "--", *words, **{"KUBECONFIG": self.server.kubeconfig, **changes})
        self.assertEqual((said.status, said.err), (0, ""), said)
        out = said.out.splitlines()
        return out[0] if out else "", [line.split("\t")[0] for line in out[1:]]

    def words(self, *words, **changes):
        return self.asked(*words, **changes)[1]

    # ---- what may stand where

    def test_commands(self):
        self.assertEqual(self.words(""), [*COMMANDS, "help"])
        self.assertEqual(self.words("ver"), ["version"])
        self.assertEqual(self.words("--v"), ["--version"])
        self.assertEqual(self.words("help", ""), COMMANDS)
        self.assertEqual(self.words("help", "get", ""), [])
        self.assertEqual(self.words("nosuch", ""), [])
        self.assertEqual(self.words("watch", "completion", ""), [])
        self.assertEqual(self.words("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.words("completion", "bash", ""), [])

    def test_all_options(self):
        for name in COMMANDS:
            wanted = set(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z-]+)", self.ok(name, "--help")))
            self.assertEqual(wanted - set(self.words(name, "--")), set())
        self.assertIn("-A", self.words("get", "-"))

    def test_values(self):
        self.assertEqual(self.asked("get", "-o", "js"), ("nospace", ["json", "jsonl", "jsonpath="]))
        self.assertEqual(self.words("get", "--output=ya"), ["--output=yaml"])
        self.assertEqual(self.words("get", "-oya"), ["-oyaml"])
        self.assertEqual(self.words("get", "--watch=t"), ["--watch=true"])
        self.assertEqual(self.asked("serve", "--data", "x"), ("files \tx", []))
        self.assertEqual(self.asked("serve", "--data=x"), ("files --data=\tx", []))
        self.assertEqual(self.asked("serve", "--faults", "@x"), ("files @\tx", []))
        self.assertEqual(self.asked("serve", "--token=@x"), ("files --token=@\tx", []))
        self.assertEqual(self.asked("get", "--token=@x"), ("files --token=@\tx", []))
        self.assertEqual(self.asked("serve", "--port", ""), ("words", []))
        self.assertEqual(self.asked("serve", "--port", "1", "--", "ls", "-")[0], "program 5")

    def test_what_the_cluster_has(self):
        self.assertEqual(self.words("get", "dep"), ["deployments"])
        self.assertEqual(self.words("get", "ga"), ["gadgets"])
        self.assertEqual(self.words("get", "pods,dep"), ["pods,deployments"])
        self.assertEqual(self.words("get", "cm", ""), ["cup", "cupboard", "kettle"])
        self.assertEqual(self.words("get", "cm", "cup", "c"), ["cupboard"])
        self.assertEqual(self.words("watch", "cm/k"), ["cm/kettle"])
        self.assertEqual(self.words("get", "cm/cup", "cm/k"), ["cm/kettle"])
        self.assertEqual(self.words("get", "-n", "attic", "cm", ""), ["trunk"])
        self.assertEqual(self.words("get", "cm", "-A", "t"), ["trunk"])
        self.assertEqual(self.words("get", "-n", "at"), ["attic"])
        self.assertEqual(self.words("get", "-nat"), ["-nattic"])
        self.assertEqual(self.words("get", "--namespace=at"), ["--namespace=attic"])

    def test_options_before_the_command(self):
        self.assertEqual(self.words("-n", "attic", "get", "cm", ""), ["trunk"])
        self.assertEqual(self.words("-n", "attic", "-v", "ge"), ["get"])
        self.assertEqual(self.words("--namespace=attic", "watch", "cm/t"), ["cm/trunk"])
        self.assertEqual(self.words("-n", "at"), ["attic"])
        self.assertEqual(self.words("--context", ""), ["kinform"])
        self.assertEqual(self.words("-n", "attic", "help", "ge"), ["get"])
        self.assertEqual(self.asked("-v", "serve", "--port", "1", "--", "ls", "-")[0], "program 6")

    def test_what_the_kubeconfig_has(self):
        self.assertEqual(self.words("get", "--context", ""), ["kinform"])
        self.assertEqual(self.words("get", "--kubeconfig", self.server.kubeconfig, "--cluster", "", KUBECONFIG=""),
                         ["kinform"])
        other = self.path / "other"
        other.write_text("contexts: [{name: one}, {name: two}]\n")
        self.assertEqual(self.words("get", "--context", "", KUBECONFIG=f"/nonexistent::{other}"), ["one", "two"])

    def test_nothing_that_a_shell_would_run(self):
        """Whoever writes a kubeconfig, or serves, does not get to write the command line."""
        file = self.path / "nasty"
        file.write_text(json.dumps({"contexts": [{"name": name} for name in (
            "a;reboot", "$(reboot)", "`reboot`", "two words", "two\nlines", "quo'te", "back\\slash", "a|b", "a>b", "\x1b[31m",
            "é", "arn:aws:eks:eu:1:cluster/x_y", "me@there")]}))
        self.assertEqual(self.words("get", "--context", "", KUBECONFIG=str(file)),
                         ["arn:aws:eks:eu:1:cluster/x_y", "me@there"])

    def test_no_cluster(self):
        """Silence, and what is known without."""
        self.assertEqual(self.words("get", "-s", "http://127.0.0.1:1", "dep"), ["deployments"])
        self.assertEqual(self.words("get", "pods", "", KUBECONFIG="/nonexistent"), [])

    def test_a_server_that_does_not_answer(self):
        """Nobody waits for it long: it ends by itself, and says what is known without it."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            for words, expected in ((("pods", ""), ("", "words\n")), (("dep",), ("words\ndeployments\n",))):
                for timeout in ("100ms", "2s", "20s"):  # a slow machine gets nowhere in the first
                    said = run("completion", "__complete", "bash", "--", "get", "-s", url, *words,
                               KINFORM_COMPLETION_TIMEOUT=timeout)
                    if said.out in expected:
                        break
                self.assertIn(said.out, expected, said)
                self.assertEqual(said.err, "")

    # ---- bash

    def in_bash(self, line, *words):
        """COMPREPLY for a line, and what bash makes of it: words that are taken apart at = and so on."""
        done = subprocess.run(["bash", "--norc", "-c", BASH, "bash", str(self.path / "bash"), f"{options.kinform} {line}", options.kinform,
                               *(words or line.split(" "))], cwd=self.place, text=True,
                              env=environment(KUBECONFIG=self.server.kubeconfig), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=DEADLINE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return sorted(done.stdout.splitlines())

    @need("bash")
    def test_bash(self):
        self.assertEqual(self.in_bash("ver"), ["version"])
        self.assertEqual(self.in_bash("get cm c"), ["cup", "cupboard"])
        self.assertEqual(self.in_bash("get --output=ya", "get", "--output", "=", "ya"), ["yaml"])
        self.assertEqual(self.in_bash("get --output=", "get", "--output", "=")[0], "custom-columns=")
        self.assertEqual(self.in_bash("get -n at"), ["attic"])
        self.assertEqual(self.in_bash("serve --data sp"), ["sp dir", "sp file"])
        self.assertEqual(self.in_bash(r"serve --data sp\ f", "serve", "--data", r"sp\ f"), ["sp file"])
        self.assertEqual(self.in_bash('serve --data "sp f', "serve", "--data", '"sp f'), ["sp file"])
        self.assertEqual(self.in_bash("serve --faults @sp", "serve", "--faults", "@", "sp"), ["@sp dir", "@sp file"])
        self.assertEqual(self.in_bash("serve --faults @sp"), ["@sp dir", "@sp file"])
        self.assertIn("printf", self.in_bash("serve -- print"))
        self.assertEqual(self.in_bash("serve -- ls sp"), ["sp dir", "sp file"])

    @need("bash")
    def test_bash_at_work(self):
        """What readline puts into the line: quotes, slashes, spaces."""
        for typed, expected in (("serve --data sp\td\t", r"serve --data sp\ dir/"),
                                ("serve --data=sp\tf\t", r"serve --data=sp\ file "),
                                ("serve --faults @sp\tf\t", r"serve --faults \@sp\ file "),
                                ("get cm k\t", "get cm kettle "), ("get -o jsonp\t", "get -o jsonpath="),
                                ("get pods,dep\t", "get pods,deployments ")):
            pid, fd = pty.fork()
            if pid == 0:
                os.chdir(self.place)
                os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment(
                    KUBECONFIG=self.server.kubeconfig, PS1="", TERM="dumb", INPUTRC="/dev/null",
                    PATH=f"{Path(options.kinform).parent}:{os.environ['PATH']}"))
            show = r"""_show() { printf '<%s>\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\C-g": _show'"""
            os.write(fd, f"PS1=; source {self.path}/bash; {show}; echo rea''dy\n".encode())
            try:
                read_until(fd, rb"ready\r\n")
                os.write(fd, f"kinform {typed}\x07".encode())
                found = read_until(fd, rb"<kinform ([^>]*)>\r\n")
            finally:
                os.close(fd)
                os.waitpid(pid, 0)
            self.assertEqual(found.group(1).decode(), expected)

    # ---- zsh

    def in_zsh(self, typed):
        """All that zsh shows, and the line at the end."""
        done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", str(self.path / "zsh"), typed, str(self.place)], text=True,
                              cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=DEADLINE,
                              env=environment(KUBECONFIG=self.server.kubeconfig, TERM="dumb",
                                              PATH=f"{Path(options.kinform).parent}:{os.environ['PATH']}"))
        self.assertEqual(done.returncode, 0)
        return re.search(r"<<(.*)>>", done.stdout).group(1), done.stdout

    @need("zsh")
    def test_zsh(self):
        for typed, line in (("kinform ver", "kinform version "), ("kinform get cm k", "kinform get cm kettle "),
                            ("kinform get -n at", "kinform get -n attic "), ("kinform help co", "kinform help completion "),
                            ("kinform get pods,dep", "kinform get pods,deployments "),
                            ("kinform get --output=ya", "kinform get --output=yaml "),
                            ("kinform get -o jsonpa", "kinform get -o jsonpath="),
                            ("kinform serve --data sp\\ f", "kinform serve --data sp\\ file "),
                            ("kinform serve --data=sp\\ f", "kinform serve --data=sp\\ file "),
                            ("kinform serve --faults @sp\\ f", "kinform serve --faults @sp\\ file "),
                            ("kinform serve -- ls sp\\ d", "kinform serve -- ls sp\\ dir/")):
            self.assertEqual(self.in_zsh(typed)[0], line)
        shown = self.in_zsh("kinform get cm ")[1]
        for name in ("cup", "cupboard", "kettle"):
            self.assertIn(name, shown)

    # ---- fish

    def in_fish(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {self.path}/fish; complete -C $argv[1]", line],
                              text=True, cwd=self.place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE,
                              env=environment(KUBECONFIG=self.server.kubeconfig,
                                              PATH=f"{Path(options.kinform).parent}:{os.environ['PATH']}"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    @need("fish")
    def test_fish(self):
        self.assertEqual(self.in_fish("kinform ver"), ["version\tSay which version this is"])
        self.assertEqual([line.split("\t")[0] for line in self.in_fish("kinform help ")], sorted(COMMANDS))
        self.assertEqual(self.in_fish("kinform watch completion "), [])
        self.assertEqual(self.in_fish("kinform get cm "), ["cup", "cupboard", "kettle"])
        self.assertEqual(self.in_fish("kinform get -o ya"), ["yaml"])
        self.assertEqual(self.in_fish("kinform get --output=ya"), ["--output=yaml"])
        self.assertEqual(self.in_fish("kinform get --all"), ["--all-namespaces\tall namespaces"])
        self.assertEqual(self.in_fish("kinform serve --data sp"), ["sp dir/", "sp file"])
        self.assertEqual(self.in_fish("kinform serve --faults @sp"), ["@sp dir/", "@sp file"])
        self.assertIn("printf", [line.split("\t")[0] for line in self.in_fish("kinform serve -- print")])

    def test_shells_read_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", str(self.path / shell)], timeout=DEADLINE)
                self.assertEqual(done.returncode, 0, shell)


if __name__ == "__main__":
    command.main()
