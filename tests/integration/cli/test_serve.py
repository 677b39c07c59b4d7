#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform serve: how long it serves, what it prints, what it can be told.

    test_serve.py --kinform PROGRAM [unittest's arguments]
"""
import contextlib
import json
import os
import pty
import re
import shlex
import shutil
import signal
import ssl
import stat
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import command
from command import DEADLINE, Running, Server, config_map, environment, has_ended, is_strict, left_in, options, run
from running import read_until, reserved_port, wait_until
from terminal import Terminal

KUBECTL = shutil.which("kubectl")
# Says which signals it gets, until it is told to end by a line. No sleep would outlive it.
COUNTS = r"""trap 'echo got INT' INT; trap 'echo got TERM' TERM; trap 'echo got HUP' HUP; trap 'echo got QUIT' QUIT
trap 'echo got USR1' USR1; trap 'echo got USR2' USR2; echo ready $$; while ! read -r _; do :; done; exit 3"""


class ServeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *arguments, **changes):
        running = Running("serve", *arguments, **changes)
        self.addCleanup(running.close)
        return running

    def fails(self, status, *arguments, **changes):
        """The one line that it says."""
        said = run("serve", *arguments, **changes)
        self.assertEqual((said.status, said.out), (status, ""), said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")
        return said.err

    def server(self, *arguments):
        server = Server(self.folder, *arguments)
        self.addCleanup(Running.close, server)
        return server

    def test_the_kubeconfig_is_printed(self):
        running = self.start()
        url = running.wait_for(r"listening on (\S+),", "err").group(1)
        running.wait_for("^current-context:")
        running.signal(signal.SIGINT)
        self.assertEqual(running.wait(), 0)
        path = self.folder / "printed"
        path.write_text("\n".join(running.seen["out"]) + "\n")
        self.assertIn(f"server: {url}", path.read_text().replace('"', ""))

    def test_every_signal_that_asks_ends_it_well(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            server = self.server()
            server.signal(number)
            self.assertEqual(server.wait(), 0, number)

    def test_signals_that_were_ignored_stay_so(self):
        with command.ignoring(signal.SIGHUP, signal.SIGINT):
            server = self.server()
        for number in (signal.SIGHUP, signal.SIGINT):
            server.signal(number)
            for _ in range(50):
                self.assertIn("gitVersion", server.send("GET", "/version"))
        server.close()

    def test_the_end_of_input_ends_it_if_that_was_said(self):
        server = self.server()
        server.process.stdin.write("whatever\n")
        server.process.stdin.flush()
        self.assertIn("gitVersion", server.send("GET", "/version"))
        server.process.stdin.close()
        self.assertEqual(server.wait(), 0)
        said = run("serve", "--until-eof", "--", "true")
        self.assertEqual(said.status, 2, said)

    def test_the_end_of_input_is_nothing_otherwise(self):
        running = self.start("--plain")  # whose input is empty
        url = running.wait_for(r"listening on (\S+),", "err").group(1)
        running.wait_for("^current-context:")
        with urllib.request.urlopen(url + "/version", timeout=command.DEADLINE) as answer:
            self.assertEqual(answer.status, 200)
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(), 0)

    def test_a_kubeconfig_in_a_file_is_for_its_owner(self):
        server = self.server()
        self.assertEqual(stat.S_IMODE(os.stat(server.kubeconfig).st_mode), 0o600)
        self.assertEqual(run("get", "ns", "default", "-o", "name", KUBECONFIG=server.kubeconfig).out,
                         "namespace/default\n")
        server.close()

    def test_tls_and_token(self):
        server = self.server("--token", "open-sesame")
        self.assertTrue(server.url.startswith("https://"))
        self.assertEqual(run("get", "ns/default", "-oname", KUBECONFIG=server.kubeconfig).status, 0)
        said = run("get", "ns/default", "--token", "wrong", KUBECONFIG=server.kubeconfig)
        self.assertEqual(said.status, 4, said)
        self.assertIn("log in again", said.err)
        said = run("get", "ns/default", "--server", server.url)
        self.assertEqual(said.status, 5, said)
        server.close()

    def private(self, *arguments):
        """A server as it is by default: its URL and kubeconfig."""
        path = self.folder / "private"
        running = self.start("--write-kubeconfig", str(path), *arguments)
        running.wait_for("^export KUBECONFIG=")
        return running.wait_for(r"listening on (\S+),", "err").group(1), path

    def test_by_default_it_needs_its_kubeconfig(self):
        tokens = set()
        for _ in range(2):
            url, path = self.private()
            self.assertTrue(url.startswith("https://127.0.0.1:"), url)
            tokens.add(re.search(r'token: "([0-9a-f]{48})"', path.read_text())[1])
            programs = [options.kinform, *([KUBECTL] if KUBECTL else [])]
            for program in programs:
                said = run("get", "ns", "default", "-o", "name", program=program, KUBECONFIG=str(path))
                self.assertEqual((said.status, said.out), (0, "namespace/default\n"), said)
            said = run("get", "ns/default", "--token", "wrong", KUBECONFIG=str(path))
            self.assertEqual(said.status, 4, said)
            self.assertEqual(run("get", "ns/default", "--server", url).status, 5)
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(url + "/api/v1/namespaces", context=context, timeout=DEADLINE)
            self.assertEqual(refused.exception.code, 401)
            refused.exception.close()
        self.assertEqual(len(tokens), 2)

    def test_tls_is_the_default(self):
        """The option of older versions is accepted and changes nothing."""
        url, path = self.private("--tls")
        self.assertTrue(url.startswith("https://"), url)
        self.assertEqual(run("get", "ns/default", "-oname", KUBECONFIG=str(path)).out, "namespace/default\n")

    def test_plain(self):
        server = self.server("--plain")
        self.assertTrue(server.url.startswith("http://"), server.url)
        text = Path(server.kubeconfig).read_text()
        self.assertIn("insecure-skip-tls-verify: true", text)
        self.assertNotIn("token", text)
        self.assertEqual(run("get", "ns/default", "-oname", KUBECONFIG=server.kubeconfig).status, 0)
        if KUBECTL:
            said = run("get", "ns", "default", "-o", "name", program=KUBECTL, KUBECONFIG=server.kubeconfig)
            self.assertEqual((said.status, said.out), (0, "namespace/default\n"), said)
        server.close()
        self.assertIn("--token does not go with --plain", self.fails(2, "--plain", "--token", "t"))

    def test_web_pages_are_refused(self):
        """Also with --plain, which every user of the machine can reach."""
        server = self.server("--plain", "--host-name", "kube.example, other.example")
        path = "/api/v1/namespaces/default/configmaps"
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"}):
            request = urllib.request.Request(server.url + path, headers=headers, method="POST",
                                             data=json.dumps(config_map("evil")).encode())
            request.remove_header("Content-type")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=DEADLINE)
            with refused.exception as answer:
                self.assertEqual((answer.code, json.load(answer)["reason"]), (403, "Forbidden"), headers)
        names = [item["metadata"]["name"] for item in server.send("GET", path)["items"]]
        self.assertNotIn("evil", names)
        request = urllib.request.Request(server.url + path, headers={"Host": "other.example:8001"})
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            self.assertEqual(answer.status, 200)
        server.close()

    @unittest.skipUnless(KUBECTL or is_strict(), "there is no kubectl")
    def test_kubectl_sends_the_token(self):
        server = self.server("--token", "open-sesame")
        said = run("get", "ns", "default", "-o", "name", program=KUBECTL, KUBECONFIG=server.kubeconfig)
        self.assertEqual((said.status, said.out), (0, "namespace/default\n"), said)
        server.close()

    def test_a_token_in_a_file(self):
        path = self.folder / "token"
        path.write_text("open-sesame\n")
        server = self.server("--token", f"@{path}")
        self.assertNotIn("open-sesame", Path(f"/proc/{server.process.pid}/cmdline").read_text())
        self.assertEqual(run("get", "ns/default", KUBECONFIG=server.kubeconfig).status, 0)
        self.assertEqual(run("get", "ns/default", "--token", "open-sesame", KUBECONFIG=server.kubeconfig).status, 0)
        self.assertEqual(run("get", "ns/default", "--token", "wrong", KUBECONFIG=server.kubeconfig).status, 4)
        server.close()
        self.assertIn("@/nonexistent", self.fails(3, "--token", "@/nonexistent"))
        path.write_text("\n")
        self.assertIn("empty", self.fails(2, "--token", f"@{path}"))
        path.write_text("two words\n")
        self.assertIn("no spaces", self.fails(2, "--token", f"@{path}"))

    def test_what_is_in_a_file_stays(self):
        data = str(self.folder / "data.sqlite")
        server = self.server("--data", data)
        server.create("/api/v1/namespaces/default/configmaps", config_map("kept"))
        server.close()
        server = self.server("--data", data)
        self.assertEqual(server.send("GET", "/api/v1/namespaces/default/configmaps/kept")["data"],
                         {"k": "v"})
        server.close()

    def test_a_port(self):
        with reserved_port() as port:
            for _ in range(2):
                server = self.server("--port", port)
                self.assertTrue(server.url.endswith(f":{port}"))
                said = run("serve", "--port", port)
                self.assertEqual(said.status, 1, said)
                self.assertIn(port, said.err)
                server.close()

    def test_addresses_that_others_reach_need_a_word(self):
        line = self.fails(2, "--address", "0.0.0.0", "--plain")
        self.assertIn("--allow-anonymous", line)
        self.assertIn("--plain", line)
        server = self.server("--address", "0.0.0.0", "--plain", "--allow-anonymous")
        server.close()
        server = self.server("--address", "0.0.0.0", "--token", "open-sesame")
        server.close()

    def test_addresses(self):
        server = self.server("--address", "localhost")
        self.assertTrue(server.url.startswith("http://127.0.0.1:"), server.url)
        server.close()
        self.assertIn("--address nosuch is no IP address; write", self.fails(2, "--address", "nosuch"))
        # Of a block that is for documents only: no machine has it.
        line = self.fails(1, "--address", "192.0.2.1", "--allow-anonymous")
        self.assertIn("--address 192.0.2.1: ", line)

    def test_places_that_are_not_there(self):
        place = str(self.folder / "nosuch" / "file")
        for option in ("--data", "--write-kubeconfig"):
            self.assertIn(f"{option} {place}: ", self.fails(3, option, place))
        self.assertIn("TMPDIR", self.fails(3, "--", "true", TMPDIR=place))

    def test_where_the_kubeconfig_is(self):
        """Quoted for a shell, and from the root on."""
        folder = self.folder / "it's here"
        folder.mkdir()
        process = subprocess.Popen([options.kinform, "serve", "--until-eof", "--write-kubeconfig", "it's here/k"],
                                   cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL, env=environment())
        line = process.stdout.readline()
        done = subprocess.run(["sh", "-c", f'{line}printf %s "$KUBECONFIG"'], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stdout, str(folder / "k"))
        self.assertEqual(run("get", "ns/default", KUBECONFIG=done.stdout).status, 0)
        process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, 0)

    def test_a_link_stays_a_link(self):
        (self.folder / "real").write_text("old\n")
        (self.folder / "kubeconfig").symlink_to("real")
        server = self.server()
        self.assertTrue((self.folder / "kubeconfig").is_symlink())
        self.assertIn(server.url, (self.folder / "real").read_text())
        server.close()
        (self.folder / "real").unlink()
        self.assertIn("link", self.fails(3, "--write-kubeconfig", str(self.folder / "kubeconfig")))
        self.assertFalse((self.folder / "real").exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can make links of other users")
    def test_links_of_other_users_are_refused(self):
        """Such links may be traps in a shared folder. Links in the middle of the path are checked, too."""
        (self.folder / "mine").mkdir()
        real = self.folder / "mine" / "real"
        real.write_text("old\n")
        trap, folder, own = self.folder / "trap", self.folder / "folder", self.folder / "own"
        trap.symlink_to(real)
        folder.symlink_to(real.parent)
        own.symlink_to(trap)
        for link in (trap, folder):
            os.lchown(link, 65534, 65534)
        for path in (trap, own, folder / "real", folder / "new"):
            for option in ("--write-kubeconfig", "--data"):
                said = self.fails(2, option, str(path))
                self.assertIn("symbolic link of another user", said)
        self.assertEqual(real.read_text(), "old\n")
        self.assertEqual([path.name for path in real.parent.iterdir()], ["real"])

    @unittest.skipUnless(os.geteuid() == 0, "only root can make files of other users")
    def test_files_of_other_users_get_no_kubeconfig(self):
        path = self.folder / "foreign"
        path.write_text("old\n")
        os.chown(path, 65534, 65534)
        self.assertIn("belongs to another user", self.fails(2, "--write-kubeconfig", str(path)))
        self.assertIn("belongs to another user", self.fails(2, "--write-kubeconfig", str(path), "--", "true"))
        self.assertEqual((path.read_text(), path.stat().st_uid), ("old\n", 65534))
        for arguments, warns in (((), True), (("--plain",), False)):
            with path.open("w") as file:
                done = subprocess.run([options.kinform, "serve", "--until-eof", *arguments], stdin=subprocess.DEVNULL,
                                      stdout=file, stderr=subprocess.PIPE, text=True, env=environment(),
                                      timeout=DEADLINE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("Warning: standard output is a file of another user" in done.stderr, warns)

    def test_what_is_no_file_gets_no_kubeconfig(self):
        os.mkfifo(self.folder / "pipe")
        for path in ("/dev/stdout", "/dev/null", str(self.folder), str(self.folder / "pipe")):
            self.assertIn(f"--write-kubeconfig {path}: it is not a regular file",
                          self.fails(2, "--write-kubeconfig", path))
        said = run("serve", "--until-eof", "--write-kubeconfig", "-")
        self.assertEqual(said.status, 0, said)
        self.assertIn("current-context: kinform", said.out)
        said = run("serve", "--write-kubeconfig", "-", "--", "true")
        self.assertEqual(said.status, 2, said)

    def test_only_the_owner_reads_the_kubeconfig(self):
        """Also one that was there before with another mode, and one that a shell made."""
        path = self.folder / "kubeconfig"
        path.touch(0o644)
        server = self.server()
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        server.close()
        printed = self.folder / "printed"
        with printed.open("w") as file:
            done = subprocess.run([options.kinform, "serve", "--until-eof"], stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=subprocess.PIPE, env=environment(), timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("current-context", printed.read_text())
        self.assertEqual(stat.S_IMODE(printed.stat().st_mode), 0o600)

    def test_who_followed_another_server_is_told_so(self):
        """Also by one that was killed before it could say to its file what it does not know."""
        server = self.server()
        made = server.create("/api/v1/namespaces/default/configmaps", config_map("a"))
        server.close()
        data = ("--data", str(self.folder / "data.sqlite"))
        server = self.server(*data)
        server.signal(signal.SIGKILL)
        server.wait()
        server = self.server(*data)
        for resource in ("configmaps", "secrets", "nodes"):
            told = server.send("GET", f"/api/v1/{resource}?watch=1&resourceVersion={made['metadata']['resourceVersion']}")
            self.assertEqual((told["type"], told["object"]["code"]), ("ERROR", 410), told)
        server.close()

    def test_what_is_there_is_simulated(self):
        data = str(self.folder / "data.sqlite")
        said = run("serve", "--data", data, "--simulate", "--nodes", "4", "--pods", "5", "--deployments", "2",
                   "--churn", "0", "--", "true")
        self.assertEqual(said.err, "simulating 4 nodes, 2 deployments, 5 pods, 0 changes per second\n")
        said = run("serve", "--data", data, "--simulate", "--nodes", "1", "--pods", "30", "--deployments", "2",
                   "--churn", "0", "--", options.kinform, "get", "nodes", "-o", "name")
        self.assertEqual(len(said.out.splitlines()), 4, said)
        self.assertEqual(said.err, "simulating 4 nodes, 2 deployments, 5 pods, 0 changes per second\n")

    def test_a_cluster_has_to_be_asked_for(self):
        for arguments in (["--pods", "500"], ["--nodes", "5"], ["--deployments", "2"], ["--churn", "0"],
                          ["--seed", "7"]):
            self.assertIn(f"{arguments[0]} is of a simulated cluster: add --simulate", self.fails(2, *arguments))
        for option in ("--nodes", "--deployments", "--pods"):
            self.assertIn(f"{option} wants a number from 1 up to ", self.fails(2, "--simulate", option, "0"))

    def test_faults(self):
        rules = self.folder / "rules.json"
        rules.write_text(json.dumps({"faults": [{"type": "Status", "status": 418, "path": "/api"}]}))
        server = self.server("--faults", f"@{rules}",
                             "--faults", '{"type": "Status", "status": 404, "path": "/version"}')
        for path, status in (("/api", 418), ("/version", 404)):
            with self.assertRaises(urllib.error.HTTPError) as raised:
                server.send("GET", path)
            self.assertEqual(raised.exception.code, status)
            raised.exception.close()
            server.send("GET", path)
        server.close()
        for wrong in ("{", '{"type": "Sulk"}', "@/nonexistent", '{"faults": [], "always": true}'):
            said = run("serve", "--faults", wrong)
            self.assertNotEqual(said.status, 0)
            self.assertRegex(said.err, r"\Akinform: --faults [^\n]*\n\Z")

    def test_control(self):
        server = self.server("--control")
        self.assertEqual(server.send("GET", "/_kinform/faults")["faults"], [])
        server.close()

    def test_a_program(self):
        said = run("serve", "--simulate", "--pods", "3", "--nodes", "2", "--churn", "0", "--",
                   options.kinform, "get", "nodes", "-o", "name")
        self.assertEqual((said.status, said.out), (0, "node/node-0001\nnode/node-0002\n"), said)
        self.assertEqual(said.err, "simulating 2 nodes, 12 deployments, 3 pods, 0 changes per second\n")

    def test_the_status_of_a_program(self):
        for arguments, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137),
                                  (["/nonexistent"], 127), ([str(self.folder)], 126)):
            self.assertEqual(run("serve", "--", *arguments).status, status)

    def test_nothing_is_left_of_a_program(self):
        said = run("serve", "--", "sh", "-c", 'echo "$KUBECONFIG"', TMPDIR=str(self.folder))
        self.assertTrue(said.out.startswith(str(self.folder)), said)
        self.assertEqual(left_in(self.folder), [])

    def test_signals_reach_the_program(self):
        """All of them, each time, and they do not end us."""
        running = self.start("--", "sh", "-c", COUNTS, stdin=subprocess.PIPE, TMPDIR=str(self.folder))
        running.wait_for("ready")
        for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "TERM"):
            running.signal(getattr(signal, f"SIG{name}"))
            running.wait_for(f"^got {name}$")
        running.process.stdin.write("\n")
        running.process.stdin.flush()
        self.assertEqual(running.wait(), 3)
        self.assertEqual(left_in(self.folder), [])

    def test_a_program_that_a_signal_ends(self):
        for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGRTMIN):
            running = self.start("--", "sh", "-c", "ulimit -c 0; echo ready; read -r _", stdin=subprocess.PIPE,
                                 TMPDIR=str(self.folder))
            running.wait_for("ready")
            running.signal(number)
            self.assertEqual(running.wait(), 128 + number)
            self.assertEqual(left_in(self.folder), [])

    def test_the_program_does_not_outlive_us(self):
        running = self.start("--", "sh", "-c", "echo $$; read -r _", stdin=subprocess.PIPE)
        pid = int(running.wait_for(r"^(\d+)$").group(1))
        running.signal(signal.SIGKILL)
        wait_until(lambda: has_ended(pid), "the program had ended")

    def test_what_is_ignored_stays_ignored(self):
        """As nohup has it: for us, and for the program."""
        for number in (signal.SIGHUP, signal.SIGINT):
            name = number.name[3:]
            script = f"trap '' {name}; exec {shlex.quote(options.kinform)} serve --until-eof"
            process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment(), text=True)
            process.stderr.readline()
            process.send_signal(number)
            process.stdin.write("x")  # it reads that, and goes on
            process.stdin.flush()
            masks = dict(line.split(":\t") for line in
                         Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("Sig"))
            self.assertTrue(int(masks["SigIgn"], 16) >> (number - 1) & 1, masks)
            self.assertFalse(int(masks["SigBlk"], 16) >> (number - 1) & 1, masks)
            process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, 0)
            script = (f"trap '' {name}; exec {shlex.quote(options.kinform)} serve -- "
                      f"sh -c 'kill -{name} $PPID $$; echo still here'")
            said = run("-c", script, program="sh")
            self.assertEqual((said.status, said.out), (0, "still here\n"), said)

    def in_terminal(self, *program):
        """serve as the first in a terminal of its own, with a program that is ready; the process and the terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(options.kinform, [options.kinform, "serve", "--", *program], environment())
        self.addCleanup(self.end_in_terminal, pid, terminal)
        read_until(terminal, rb"ready\r\n")
        return pid, terminal

    def end_in_terminal(self, pid, terminal):
        with contextlib.suppress(OSError):  # it was closed by the test
            os.close(terminal)
        if not has_ended(pid):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # it was waited for
            os.waitpid(pid, 0)

    def assert_ends(self, pid):
        wait_until(lambda: has_ended(pid), "it had ended")

    def test_a_terminal_that_is_gone(self):
        """Only who leads the session is told by the kernel: the program has to hear of it."""
        pid, terminal = self.in_terminal("sh", "-c", "echo ready; exec sleep 600")
        os.close(terminal)
        self.assert_ends(pid)

    def test_control_c_for_a_program_with_a_group_of_its_own(self):
        """It gets none from the terminal."""
        pid, terminal = self.in_terminal("timeout", "600", "sh", "-c", "echo ready; exec sleep 600")
        os.write(terminal, b"\x03")
        self.assert_ends(pid)

    @unittest.skipUnless(shutil.which("tmux") or is_strict(), "there is no tmux")
    def test_control_c_is_not_passed_on_twice(self):
        script = "trap 'echo got INT' INT; trap 'echo got USR1' USR1; echo ready; while ! read -r _; do :; done"
        line = f"{shlex.quote(options.kinform)} serve -- sh -c {shlex.quote('echo $PPID > pid; ' + script)}"
        terminal = Terminal(self.folder, f"cd {self.folder}; {line}")
        self.addCleanup(terminal.close)
        terminal.wait_for("ready")
        terminal.press("C-c")
        terminal.wait_for("got INT")
        # What comes behind it is the next that it gets.
        os.kill(int((self.folder / "pid").read_text()), signal.SIGUSR1)
        screen = terminal.wait_for("got USR1")
        self.assertEqual(screen.count("got INT"), 1, screen)
        terminal.press("Enter")
        terminal.wait_for("ended with 0.")

    def test_killed_while_it_starts(self):
        running = self.start("--simulate", "--pods", "100000")
        running.signal(signal.SIGINT)
        self.assertEqual(running.wait(), -signal.SIGINT)


if __name__ == "__main__":
    command.main()
