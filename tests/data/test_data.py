#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test data is what its README says, judged without any code of the library."""
import base64
import copy
import re
import struct
import unittest
from pathlib import Path

import rfc

DATA = Path(__file__).resolve().parent
ERRORS = {"missing", "index", "type", "pointer", "malformed", "mismatch", "into-itself",
          "not-an-object"}


def files(folder, pattern):
    found = sorted((DATA / folder).glob(pattern))
    if not found:
        raise AssertionError(f"there is nothing in {folder}")
    return found


class JsonTest(unittest.TestCase):
    def test_valid(self):
        for path in files("json/valid", "*"):
            with self.subTest(path.name):
                value = rfc.parse(path.read_bytes())
                self.assertIsInstance(value, dict)
                self.assertLessEqual(rfc.depth(value), 100)
                if path.name.startswith("nesting-100"):
                    self.assertEqual(rfc.depth(value), 100)

    def test_invalid(self):
        for path in files("json/invalid", "*"):
            with self.subTest(path.name), self.assertRaises(ValueError):
                rfc.parse(path.read_bytes())

    def test_not_an_object(self):
        for path in files("json/not-an-object", "*"):
            with self.subTest(path.name):
                self.assertNotIsInstance(rfc.parse(path.read_bytes()), dict)

    def test_no_case_twice(self):
        seen = {}
        for path in files("json", "*/*"):
            with self.subTest(path.name):
                self.assertEqual(seen.setdefault(path.read_bytes(), path), path)


class SnapshotTest(unittest.TestCase):
    """docs/snapshot.md, read by somebody who has nothing but it. (Without the checksums.)"""

    def blocks(self, data, at):
        """Each block's method, objects and content."""
        while at < len(data):
            stored, raw, objects, method = struct.unpack_from("<IIII", data, at)
            at += 16
            content = data[at:at + stored]
            self.assertTrue(len(content) == stored <= raw <= 256 * stored)
            yield method, objects, content
            at += stored + 8
        self.assertEqual(at, len(data))

    def test_files(self):
        methods = set()
        for path in files("snapshot", "*.snapshot"):
            with self.subTest(path.name):
                data = path.read_bytes()
                magic, version, info, size, objects, _, blocks, last, _ = \
                    struct.unpack_from("<8sIIQQQQQQ", data)
                self.assertEqual((magic, version, size), (b"\x89KIN\r\n\x1a\0", 1, len(data)))
                self.assertEqual(last, struct.unpack("<Q", data[-8:])[0])
                self.assertEqual(rfc.parse(data[64:64 + info])["resourceVersion"], "77")
                found = list(self.blocks(data, 64 + info + 8))
                self.assertEqual(len(found), blocks)
                self.assertEqual(sum(n for _, n, _ in found), objects)
                methods |= {method for method, _, _ in found}
                for method, n, content in found:
                    if method == 1:
                        self.assertEqual(content[:4], b"\x28\xb5\x2f\xfd")
                        continue
                    while content:
                        length, = struct.unpack_from("<I", content)
                        self.assertEqual(rfc.parse(content[4:4 + length])["kind"], "Pod")
                        content, n = content[4 + length:], n - 1
                    self.assertEqual(n, 0)
        self.assertEqual(methods, {0, 1})


class PatchTest(unittest.TestCase):
    def check(self, name, function):
        cases = rfc.parse((DATA / "patch" / name).read_bytes())
        self.assertEqual(len({case["comment"] for case in cases}), len(cases))
        for case in cases:
            with self.subTest(case["comment"]):
                self.assertIn(set(case) - {"comment", "doc", "patch"}, ({"expected"}, {"error"}))
                self.assertIn(case.get("error", "missing"), ERRORS)
                self.assertIsInstance(case["doc"], dict)
                self.check_case(case, function)

    def check_case(self, case, function):
        before = copy.deepcopy(case["doc"])
        try:
            result = function(case["doc"], case["patch"])
            error = None if isinstance(result, dict) else "not-an-object"
        except rfc.PatchError as refusal:
            result, error = None, str(refusal)
        self.assertEqual(error, case.get("error"))
        if error is None:
            self.assertTrue(rfc.equal(result, case["expected"]), f"gives {result}")
        self.assertTrue(rfc.equal(before, case["doc"]))

    def test_merge_patch(self):
        self.check("merge-patch.json", rfc.merge)

    def test_json_patch(self):
        self.check("json-patch.json", rfc.apply)


class ObjectsTest(unittest.TestCase):
    def load(self, name):
        return rfc.parse((DATA / "objects" / name).read_bytes())

    def test_shape(self):
        for path in files("objects", "*.json"):
            with self.subTest(path.name):
                value = self.load(path.name)
                for name in ("kind", "apiVersion", "metadata"):
                    self.assertIn(name, value)
                for item in value.get("items", [value]):
                    if value["kind"] != "Status":
                        self.assertTrue(item["metadata"]["managedFields"])

    def test_two_styles(self):
        pretty = {path.name for path in files("objects", "*.json")
                  if path.read_bytes().count(b"\n") > 1}
        self.assertEqual(pretty, {"deployment.json", "secret.json", "service.json", "status.json"})

    def test_crd_is_deep(self):
        self.assertEqual(rfc.depth(self.load("crd.json")), 44)

    def test_list(self):
        pods = self.load("pod-list.json")
        self.assertEqual(len(pods["items"]), 5)
        self.assertEqual(set(pods["metadata"]),
                         {"resourceVersion", "continue", "remainingItemCount"})

    def test_watch(self):
        lines = (DATA / "objects" / "watch.jsonl").read_bytes().splitlines()
        events = [rfc.parse(line) for line in lines]
        self.assertEqual([event["type"] for event in events],
                         ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"])
        self.assertEqual(events[-1]["object"]["kind"], "Status")

    def test_micro_time(self):
        self.assertRegex(self.load("lease.json")["spec"]["acquireTime"], r"\.000007Z$")

    def test_secret_is_fake(self):
        for text in self.load("secret.json")["data"].values():
            plain = base64.b64decode(text, validate=True).decode()
            self.assertRegex(plain, "^$|not-a-real|not a cert|fake")

    def test_hosts_are_invented(self):
        allowed = ("example.com", "kubernetes.io", "k8s.io", "helm.sh", "kubebuilder.io",
                   "prometheus.io")
        for path in files("objects", "*"):
            for host in re.findall(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|io|org|net|dev|sh)\b",
                                   path.read_text(encoding="utf-8")):
                self.assertTrue(host.endswith(allowed), f"{path.name}: {host}")


class DiscoveryTest(unittest.TestCase):
    """One invented server, described in both formats."""

    def load(self, name):
        return rfc.parse((DATA / "discovery" / name).read_bytes())

    def plain(self):
        """(group, version, resource, kind, namespaced, short names) of each, in order."""
        places = [("", "v1", "api-v1.json")]
        for group in self.load("apis.json")["groups"]:
            self.assertEqual(group["preferredVersion"], group["versions"][0])
            places += [(group["name"], version["version"],
                        f"apis-{group['name']}-{version['version']}.json")
                       for version in group["versions"]]
        for group, version, name in places:
            if (DATA / "discovery" / name).exists():
                for item in self.load(name)["resources"]:
                    if "/" not in item["name"]:
                        yield (group, version, item["name"], item["kind"], item["namespaced"],
                               item.get("shortNames"))

    def aggregated(self, style):
        for name in (f"aggregated-api-{style}.json", f"aggregated-apis-{style}.json"):
            for group in self.load(name)["items"]:
                for version in group["versions"]:
                    for item in version.get("resources", []):
                        yield (group["metadata"].get("name", ""), version["version"],
                               item["resource"], item["responseKind"]["kind"],
                               item["scope"] == "Namespaced", item.get("shortNames"))

    def test_same_server(self):
        plain = list(self.plain())
        self.assertEqual(len(plain), 26)
        for style in ("v2", "v2beta1"):
            with self.subTest(style):
                self.assertEqual(list(self.aggregated(style)), plain)


if __name__ == "__main__":
    unittest.main()
