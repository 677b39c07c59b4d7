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

    def make(self, proto=PROTO, types=TYPES):
        for module in self.tool.MODULES:
            (self.folder / "k8s.io" / f"{module}@{self.tool.VERSION}").mkdir(parents=True)
        core = self.folder / "k8s.io" / f"api@{self.tool.VERSION}" / "core" / "v1"
        core.mkdir(parents=True)
        (core / "generated.proto").write_text(proto)
        (core / "types.go").write_text(types)
        tables = self.tool.Tables(self.tool.Sources(self.folder))
        tables.number("k8s.io.api.core.v1.Thing")
        tables.build()
        return tables.messages

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
                (PROTO, TYPES.replace("title,omitempty", "title,omitzero"), "not known here")):
            with self.subTest(words), self.assertRaisesRegex(self.tool.Failure, words):
                for path in sorted(self.folder.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() else path.unlink()
                self.make(proto, types)

    def test_without_modules(self):
        run = self.run_tool()
        self.assertEqual((run.returncode, run.stderr), (77, ""))
        self.assertIn("skipped", run.stdout)
        self.assertEqual(self.run_tool(KIN_STRICT="1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
