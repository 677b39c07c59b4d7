#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All that a real kube-apiserver can list is the same in protobuf as in JSON.

    test_encodings.py --compare PROGRAM [unittest's arguments]

There are objects of most kinds, with what controllers would have written: those of table_things.py. Exit status: as
unittest, or 77, skipped: nobody has asked for a real server (`make cluster` does).
"""
import argparse
import collections
import contextlib
import subprocess
import sys
import time
import unittest

from real_server import RealServer, find_server
from running import DEADLINE
from table_things import DEFINITION, SPACE, THINGS, WIDGETS
from test_tables import make_request

# Each object is compared by itself, too.
COMPARED_SECONDS = 900


class options:  # of the command line
    compare = None


class Resource(collections.namedtuple("Resource", "group version name kind namespaced verbs")):
    @property
    def api_version(self):
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def document(self):
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"

    @property
    def path(self):
        place = f"/namespaces/{SPACE}" if self.namespaced else ""
        return f"{self.document}{place}/{self.name}"


class EncodingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.server = RealServer(stack, None)
        stack.callback(cls.server.close)
        cls.server.request("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        cls.server.request("POST", definitions, DEFINITION[0])
        cls.wait_for_widgets(f"{definitions}/widgets.{WIDGETS}")
        resources = cls.find_resources()
        paths = {}
        for resource in resources:
            paths.setdefault(resource.name, resource.path)
        for name, things in THINGS.items():
            for one, status in things:
                cls.create(paths[name], one, status)
        cls.resources = resources

    @classmethod
    def wait_for_widgets(cls, path):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            conditions = cls.server.request("GET", path).get("status", {}).get("conditions", [])
            if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
                return
        raise AssertionError("the definition is not established")

    @classmethod
    def find_resources(cls):
        """Those that can be listed, in each version, the preferred one first."""
        found = []
        groups = cls.server.request("GET", "/apis")["groups"]
        documents = [("", "v1")]
        for group in groups:
            preferred = group["preferredVersion"]["version"]
            versions = sorted(group["versions"], key=lambda version: version["version"] != preferred)
            documents += [(group["name"], version["version"]) for version in versions]
        for group, version in documents:
            path = f"/apis/{group}/{version}" if group else f"/api/{version}"
            for one in cls.server.request("GET", path)["resources"]:
                if "/" not in one["name"] and "list" in one["verbs"]:
                    found.append(Resource(group, version, one["name"], one["kind"], one["namespaced"], one["verbs"]))
        return found

    @classmethod
    def create(cls, path, one, status):
        if one["kind"] == "CertificateSigningRequest":
            one["spec"]["request"] = make_request(cls.server.folder)
        made = cls.server.request("POST", path, one)
        if status is None:
            return
        part = "approval" if one["kind"] == "CertificateSigningRequest" else "status"
        made["status"] = status
        cls.server.request("PUT", f"{path}/{one['metadata']['name']}/{part}", made)

    def test_each_resource(self):
        lines = "".join(f"{one.group or '-'} {one.version} {one.name} {one.kind} {int(one.namespaced)} {int('watch' in one.verbs)}\n"
                        for one in self.resources)
        run = subprocess.run([options.compare, self.server.kubeconfig], input=lines, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=COMPARED_SECONDS)
        said = collections.defaultdict(set)
        objects = collections.Counter()
        for line in run.stdout.splitlines():
            api_version, name, verb, content, encoding, n = line.split()
            said[api_version, name, verb, content].add(encoding)
            objects[name] += int(n)
        self.assertEqual(run.returncode, 0, run.stderr[-20000:])
        self.assertEqual(run.stderr, "")
        self.assertGreater(len(self.resources), 60)
        for one in self.resources:
            with self.subTest(one.name, version=one.api_version):
                whole = "json" if one.group == WIDGETS else "protobuf"
                self.assertEqual(said[one.api_version, one.name, "list", "whole"], {whole})
                self.assertEqual(said[one.api_version, one.name, "list", "metadata"], {"protobuf"})
                self.assertLessEqual(said[one.api_version, one.name, "get", "whole"], {whole})
                self.assertLessEqual(said[one.api_version, one.name, "get", "metadata"], {"protobuf"})
                if "watch" in one.verbs:
                    self.assertEqual(said[one.api_version, one.name, "watch", "whole"], {whole})
                    self.assertEqual(said[one.api_version, one.name, "watch", "metadata"], {"protobuf"})
        for name, things in THINGS.items():
            if things:
                self.assertGreater(objects[name], 0, name)


def main():
    parser = argparse.ArgumentParser(prog="test_encodings.py")
    parser.add_argument("--compare", required=True)
    known, rest = parser.parse_known_args()
    status = find_server()
    if status is not None:
        return status
    options.compare = known.compare
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main())
