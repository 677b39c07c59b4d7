#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform serve: how long it serves, what it prints, what it can be told.

    test_serve.py --kinform PROGRAM [unittest's arguments]
"""
import json
import os
import signal
import stat
import tempfile
import unittest
import urllib.error
from pathlib import Path

import command
from command import Running, Server, config_map, options, run


class ServeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *arguments):
        running = Running("serve", *arguments)
        self.addCleanup(running.close)
        return running

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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = self.server()
            server.signal(number)
            self.assertEqual(server.wait(), 0, number)

    def test_a_kubeconfig_in_a_file_is_for_its_owner(self):
        server = self.server()
        self.assertEqual(stat.S_IMODE(os.stat(server.kubeconfig).st_mode), 0o600)
        self.assertEqual(run("get", "ns", "default", "-o", "name", KUBECONFIG=server.kubeconfig).out,
                         "namespace/default\n")
        server.close()

    def test_tls_and_token(self):
        server = self.server("--tls", "--token", "open-sesame")
        self.assertTrue(server.url.startswith("https://"))
        self.assertEqual(run("get", "ns/default", "-oname", KUBECONFIG=server.kubeconfig).status, 0)
        said = run("get", "ns/default", "--token", "wrong", KUBECONFIG=server.kubeconfig)
        self.assertEqual(said.status, 4, said)
        self.assertIn("log in again", said.err)
        said = run("get", "ns/default", "--server", server.url)
        self.assertEqual(said.status, 5, said)
        server.close()

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
        with command.reserved_port() as port:
            for _ in range(2):
                server = self.server("--port", port)
                self.assertTrue(server.url.endswith(f":{port}"))
                said = run("serve", "--port", port)
                self.assertEqual(said.status, 1, said)
                self.assertIn(port, said.err)
                server.close()

    def test_addresses_that_others_reach_need_a_word(self):
        said = run("serve", "--address", "0.0.0.0")
        self.assertEqual(said.status, 2, said)
        server = self.server("--address", "0.0.0.0", "--allow-anonymous")
        server.close()

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
        for wrong in ("{", '{"type": "Sulk"}', "@/nonexistent"):
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
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_signal_reaches_the_program(self):
        running = self.start("--", "sh", "-c", "trap 'echo got it; exit 3' TERM; echo ready; "
                                               "while :; do sleep 0.05; done")
        running.wait_for("ready")
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(), 3)
        self.assertEqual(running.seen["out"][-1], "got it")

    def test_killed_while_it_starts(self):
        running = self.start("--simulate", "--pods", "100000")
        running.signal(signal.SIGINT)
        self.assertEqual(running.wait(), -signal.SIGINT)


if __name__ == "__main__":
    command.main()
