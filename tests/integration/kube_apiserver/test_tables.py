#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of kinform get beside those of kubectl, which a real kube-apiserver makes.

    test_tables.py --kinform PROGRAM --cache FOLDER [unittest's arguments]

Exit status: as unittest, or 77, skipped: there is no kubectl, or nobody has asked for a real server (`make
cluster` does).
"""
import argparse
import base64
import contextlib
import re
import subprocess
import sys
import unittest
from pathlib import Path

import kubectls
from real_server import SKIPPED, RealServer, find_kubectl, find_server
from running import said_by
from table_things import DEFINITION, LEAVING, SPACE, THINGS, WIDGETS


# The server has these in the order of their precedence in tables, or as they answer.
WITHOUT_ORDER = ("flowschemas", "componentstatuses")
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class options:  # of the command line
    kinform = None
    kubectl = None


def cells(text):
    """Rows of cells. Columns begin where their headers do."""
    header, *lines = text.splitlines()
    starts = [found.start() for found in re.finditer(r"(?<!\S)\S+( \S+)*", header)]
    ends = [*starts[1:], None]
    return [[line[start:end].rstrip() for start, end in zip(starts, ends)] for line in (header, *lines)]


def without_seconds(rows):
    """Both ask at different moments: ages of a few minutes differ, those of years do not."""
    return [[re.sub(r"\b(\d+m)?\d+s\b|\b\d+m\b", "AGE", cell) for cell in row] for row in rows]


def make_request(folder):
    """A request for a certificate."""
    made = subprocess.run(["openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=jane", "-keyout",
                           str(folder / "key.pem")], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return base64.b64encode(made.stdout).decode()


class TableTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.server = RealServer(stack, options.kubectl)
        stack.callback(cls.server.close)
        cls.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}, DEFINITION[0])
        cls.server.kubectl("wait", "--for=condition=Established", f"crd/widgets.{WIDGETS}", "--timeout=60s")
        cls.paths = cls.find_paths()
        for resource, things in THINGS.items():
            for one, status in things:
                cls.create(resource, one, status)
        for resource, names in LEAVING.items():
            for name in names:
                cls.server.request("DELETE", f"{cls.paths[resource]}/{name}")

    @classmethod
    def find_paths(cls):
        """Where objects of a resource are made."""
        paths = {}
        for line in cls.server.kubectl("api-resources", "--no-headers").splitlines():
            *_, version, is_namespaced, _ = line.split()
            base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
            place = f"/namespaces/{SPACE}" if is_namespaced == "true" else ""
            paths.setdefault(line.split()[0], f"{base}{place}/{line.split()[0]}")
        return paths

    @classmethod
    def create(cls, resource, one, status):
        path = cls.paths[resource]
        if one["kind"] == "CertificateSigningRequest":
            one["spec"]["request"] = make_request(cls.server.folder)
        made = cls.server.request("POST", path, one)
        if status is None:
            return
        part = "approval" if one["kind"] == "CertificateSigningRequest" else "status"
        place = f"{path}/{one['metadata']['name']}/{part}"
        # Not merged: a status that is there already has lists.
        made["status"] = status
        cls.server.request("PUT", place, made)

    def both(self, *arguments):
        kubectl = self.server.kubectl("get", "-n", SPACE, *arguments)
        own = said_by([options.kinform, "get", "-n", SPACE, *arguments], self.server.environment)
        self.assertEqual(own.status, 0, own)
        self.assertRegex(own.err, r"\A(Warning: .*\n)*\Z")  # which are the server's words
        return without_seconds(cells(kubectl)), without_seconds(cells(own.out))

    def test_each_kind(self):
        for resource in THINGS:
            for output in ((), ("-o", "wide")):
                with self.subTest(resource, output=output):
                    kubectl, own = self.both(resource, *output)
                    if resource in WITHOUT_ORDER:
                        kubectl[1:], own[1:] = sorted(kubectl[1:]), sorted(own[1:])
                    self.assertGreater(len(kubectl), 1)
                    self.assertEqual(own[0], kubectl[0])
                    for row, expected in zip(own[1:], kubectl[1:]):
                        self.assertEqual(dict(zip(own[0], row)), dict(zip(own[0], expected)))
                    self.assertEqual(len(own), len(kubectl))

    def test_no_kind_is_forgotten(self):
        """Each that the server has more columns of than the name and the age is among those above."""
        documents = {"/api/v1"} | {f"/apis/{version['groupVersion']}" for group in self.server.request("GET", "/apis")["groups"]
                                   for version in group["versions"] if group["name"] != "away.example.com"}
        for document in documents:
            for resource in self.server.request("GET", document)["resources"]:
                if "list" not in resource["verbs"] or "/" in resource["name"] or resource["name"] in THINGS:
                    continue
                table = self.server.request("GET", f"{document}/{resource['name']}", accept=TABLE)
                self.assertEqual([column["name"] for column in table["columnDefinitions"]], ["Name", "Age"], resource["name"])

    def test_all_namespaces_and_labels(self):
        for arguments in (["services", "-A"], ["pods", "-A", "-o", "wide"], ["events", "-A"], ["storageclasses", "-A"],
                          ["nodes", "--show-labels"], ["deployments", "--show-labels"]):
            with self.subTest(arguments):
                kubectl, own = self.both(*arguments)
                self.assertEqual(own, kubectl)


def main():
    parser = argparse.ArgumentParser(prog="test_tables.py")
    parser.add_argument("--kinform", required=True)
    parser.add_argument("--cache", required=True, type=Path)
    known, rest = parser.parse_known_args()
    status = find_server()
    if status is not None:
        return status
    try:
        options.kubectl = find_kubectl(known.cache)
    except kubectls.NotThere as why:
        print(f"skipped: {why}")
        return SKIPPED
    options.kinform = str(Path(known.kinform).resolve())
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main())
