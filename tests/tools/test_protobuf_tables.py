#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/protobuf-tables on small pretended modules, and where there are none."""
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent.parent / "tools" / "protobuf-tables"

PROTO = """
syntax = "proto2";
package k8s.io.api.core.v1;
// A Thing.
message Thing {
  // Its name = 9;
  optional string name = 1;
  optional int32 count = 2;
  repeated string tags = 3;
  map<string, bytes> data = 4;
  optional Inner inner = 5;
  optional Inner spec = 6; // a pointer
  optional bytes hidden = 7;
  optional .k8s.io.api.core.v1.Inner other = 8;
}
message Inner {
  optional bool on = 1;
}
"""
TYPES = """
package v1

type Thing struct {
	TypeMeta `json:",inline"`
	// Name is `json:"no" protobuf:"bytes,9,opt,name=no"`
	Name string `json:"title,omitempty" protobuf:"bytes,1,opt,name=name"`
	Count *int32 `json:"count" protobuf:"varint,2,opt,name=count"`
	Tags []string `json:"tags" protobuf:"bytes,3,rep,name=tags"`
	Data map[string][]byte `json:"data,omitempty" protobuf:"bytes,4,rep,name=data"`
	Inner `json:"" protobuf:"bytes,5,opt,name=inner"`
	Spec *Inner `json:"spec" protobuf:"bytes,6,opt,name=spec"`
	Hidden []byte `json:"-" protobuf:"bytes,7,opt,name=hidden"`
	// protobuf:"bytes,8" was another
	Other Inner `json:"other,omitempty" protobuf:"bytes,8,opt,name=other"`
}

type Inner struct {
	On bool `json:"on,omitempty" protobuf:"varint,1,opt,name=on"`
}
"""
LISTS = """
message ThingList {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1;
  repeated Thing items = 2;
}
message ThingOptions {
}
message Words {
  repeated string items = 1;
}
message Copy {
  optional bool on = 1;
}
message Holder {
  optional Words words = 1;
  optional Words some = 2;
  optional Copy copy = 3;
}
"""
LIST_TYPES = """
type Words []string
type Copy other.Inner

type Holder struct {
	Words Words `json:"words" protobuf:"bytes,1,rep,name=words"`
	Some Words `json:"some,omitempty" protobuf:"bytes,2,rep,name=some"`
	Copy Copy `json:"copy,omitempty" protobuf:"bytes,3,opt,name=copy"`
}
"""
REGISTER = """
// GroupName is the group
const GroupName = "group.example.com"

var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
		&Thing{},
		&ThingList{},
		&ThingOptions{},
		&Elsewhere{},
	)
}
"""


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("protobuf_tables", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class ProtobufTablesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tool = load()

    def make(self, proto=PROTO, types=TYPES, register="", message="Thing"):
        for module in self.tool.MODULES:
            (self.folder / "k8s.io" / f"{module}@{self.tool.VERSION}").mkdir(parents=True)
        core = self.folder / "k8s.io" / f"api@{self.tool.VERSION}" / "core" / "v1"
        core.mkdir(parents=True)
        (core / "generated.proto").write_text(proto)
        (core / "types.go").write_text(types)
        (core / "register.go").write_text(register)
        self.tables = self.tool.Tables(self.tool.Sources(self.folder, self.tool.VERSION))
        self.tables.number(f"k8s.io.api.core.v1.{message}")
        self.tables.build()
        return self.tables.messages

    def run_tool(self, **environment):
        return subprocess.run([sys.executable, str(TOOL), "--check", "--modules", str(self.folder)],
                              capture_output=True, text=True,
                              env={**os.environ, "KIN_STRICT": "", **environment})

    def test_fields(self):
        messages = self.make()
        form, fields = messages["k8s.io.api.core.v1.Thing"]
        self.assertEqual(form, "OBJECT")
        self.assertEqual(
            [(f.number, f.name, f.kind, f.message, f.flags) for f in fields],
            [(1, "title", "STRING", None, {"OMIT_ZERO"}),
             (2, "count", "INT32", None, {"NULL"}),
             (3, "tags", "STRING", None, {"REPEATED", "NULL"}),
             (4, "data", "MESSAGE", "map of bytes", {"MAP"}),
             (5, "", "MESSAGE", "k8s.io.api.core.v1.Inner", {"INLINE"}),
             (6, "spec", "MESSAGE", "k8s.io.api.core.v1.Inner", {"NULL"}),
             (8, "other", "MESSAGE", "k8s.io.api.core.v1.Inner", set())])
        self.assertEqual(messages["map of bytes"][0], "ENTRY")

    def test_what_is_not_understood_is_not_passed_over(self):
        for proto, types, words in (
                (PROTO.replace("optional int32", "optional fixed32"), TYPES, "there is no such message"),
                (PROTO.replace("count = 2;", "count;"), TYPES, "what is this"),
                (PROTO, TYPES.replace("varint,2,", "varint,22,"), "has no member in Go"),
                (PROTO, TYPES + "func (t *Inner) MarshalJSON() ([]byte, error) {", "needs a form"),
                (PROTO, TYPES.replace("title,omitempty", "title,omitzero"), "not known here")):
            with self.subTest(words), self.assertRaisesRegex(self.tool.Failure, words):
                for path in sorted(self.folder.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
                self.make(proto, types)

    def test_kinds_are_those_that_a_package_registers(self):
        self.make(PROTO + LISTS, TYPES + LIST_TYPES, REGISTER)
        roots = self.tables.sources.roots()
        self.assertEqual(roots, sorted(roots, key=lambda root: (root[1], root[0])))
        self.assertEqual(roots[0], ("", "", self.tool.ENVELOPE))
        self.assertEqual([root for root in roots if root not in self.tool.OTHER_ROOTS],
                         [("group.example.com/v1", "Thing", "k8s.io.api.core.v1.Thing")])

    def test_a_package_without_a_group(self):
        self.make()
        with self.assertRaisesRegex(self.tool.Failure, "does not say which group"):
            self.tables.sources.roots()

    def test_a_list_of_another_form(self):
        self.make(PROTO + LISTS.replace("repeated Thing", "repeated Inner"), TYPES, REGISTER)
        with self.assertRaisesRegex(self.tool.Failure, "is not metadata and items"):
            self.tables.sources.roots()

    def test_types_that_are_lists_or_defined_as_others(self):
        types = TYPES.replace("package v1\n", 'package v1\n\nimport (\n\tother "k8s.io/api/core/v1"\n)\n')
        messages = self.make(PROTO + LISTS, types + LIST_TYPES, message="Holder")
        core = "k8s.io.api.core.v1"
        self.assertEqual([(f.name, f.flags) for f in messages[f"{core}.Holder"][1]],
                         [("words", {"NULL"}), ("some", set()), ("copy", set())])
        self.assertEqual(messages[f"{core}.Words"][0], "CHOICE")
        self.assertEqual([(f.name, f.flags) for f in messages[f"{core}.Copy"][1]], [("on", {"OMIT_ZERO"})])

    def test_messages_that_are_the_same_share_a_number(self):
        messages = self.make(PROTO.replace(".k8s.io.api.core.v1.Inner", "Twin") + "message Twin {\n"
                             "  optional bool on = 1;\n}\n",
                             TYPES + TYPES[TYPES.index("type Inner"):].replace("Inner", "Twin"))
        numbers = self.tables.numbers()
        self.assertEqual(len(messages), 4)
        self.assertEqual(sorted(set(numbers.values())), [0, 1, 2])
        self.assertEqual(numbers["k8s.io.api.core.v1.Inner"], numbers["k8s.io.api.core.v1.Twin"])

    def test_the_oracle_has_the_same_release(self):
        module = (self.tool.ORACLE / "go.mod").read_text()
        versions = {line.split()[1] for line in module.splitlines()
                    if line.startswith("\tk8s.io/") and "// indirect" not in line}
        self.assertEqual(versions, {self.tool.VERSION})

    def test_a_release_is_a_version(self):
        run = subprocess.run([sys.executable, str(TOOL), "--release", "1.38"], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("v0.38.0", run.stderr)

    def test_without_modules(self):
        run = self.run_tool()
        self.assertEqual((run.returncode, run.stderr), (77, ""))
        self.assertIn("skipped", run.stdout)
        self.assertEqual(self.run_tool(KIN_STRICT="1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
