#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_oracle.py with scripts in the place of both programs; no Go is needed."""
import json
import os
import random
import sys
import unittest
from pathlib import Path
from unittest import mock

import generate
import rfc
import run_oracle
import runner_case  # the runner has put its folder on the path

# A program that answers each request r with the value of an expression.
PROGRAM = """#!{python}
import json, os, sys
for n, line in enumerate(sys.stdin.buffer):
    r = json.loads(line)
    answer = {expression}
    sys.stdout.write(answer if isinstance(answer, str) else json.dumps(answer) + chr(10))
    sys.stdout.flush()
"""
REFUSE = '{"ok": False, "error": "no"}'


class RunTest(runner_case.RunnerCase):
    MODULE = run_oracle
    PROGRAM = PROGRAM

    def compare(self, oracle, answer, *options):
        return self.run_main("--oracle", self.program("oracle", oracle), "--count", "20",
                             "--ops", "key-split", *options, self.program("answerer", answer))

    def test_equal(self):
        echo = '{"ok": True, "name": r["key"]}'
        status, output = self.compare(echo, echo)
        self.assertEqual(status, 0, output)
        self.assertIn("seed 1, 20 requests", output)

    def test_error_texts_are_not_compared(self):
        self.assertEqual(self.compare(REFUSE, '{"ok": False, "error": "nein"}')[0], 0)
        self.assertEqual(self.compare(REFUSE, '{"ok": False}')[0], 0)

    def test_differences(self):
        good = '{"ok": True, "name": "a"}'
        for other in (REFUSE, '{"ok": True, "name": "b"}', '{"ok": True}', '{"ok": 1, "name": "a"}',
                      '{"ok": True, "name": "a", "more": 1}', '{"unknown": "key-split"}', "{}"):
            with self.subTest(other):
                status, output = self.compare(good, other)
                self.assertEqual(status, 1, output)
                self.assertIn("20 different", output)
                self.assertIn('request {"op": "key-split"', output)
                self.assertIn("plain 20", output)

    def test_one_difference_is_enough(self):
        status, output = self.compare(REFUSE, '{"ok": n == 13, "error": ""}')
        self.assertEqual(status, 1)
        self.assertIn("1 different", output)

    def test_show(self):
        output = self.compare(REFUSE, "{}", "--show", "3")[1]
        self.assertEqual(output.count("request {"), 3)

    def test_types_count(self):
        self.assertEqual(self.compare('{"ok": True, "x": 1}', '{"ok": True, "x": True}')[0], 1)
        self.assertEqual(self.compare('{"ok": True, "x": 1}', '{"ok": True, "x": 1.0}')[0], 1)

    def test_floats_are_close(self):
        first = '{"ok": True, "float": 0.1}'
        self.assertEqual(self.compare(first, '{"ok": True, "float": 0.10000000000000002}')[0], 0)
        self.assertEqual(self.compare(first, '{"ok": True, "float": 0.100000000001}')[0], 1)
        self.assertEqual(self.compare(first, '{"ok": True, "float": "Infinity"}')[0], 1)

    def test_documents_by_value(self):
        def result(text):
            return json.dumps({"ok": "@", "result": text}).replace('"@"', "True")

        first = result('{"a":1,"b":[2]}')
        self.assertEqual(self.compare(first, result('{ "b": [2.0], "a": 1e0 }'))[0], 0)
        self.assertEqual(self.compare(first, result('{"b":[2],"a":9}'))[0], 1)
        self.assertEqual(self.compare(first, result("{"))[0], 1)

    def test_panics_are_skipped(self):
        status, output = self.compare('{"panic": "x"} if n else {"ok": True}', '{"ok": True}')
        self.assertEqual(status, 0, output)
        self.assertIn("19 unanswerable", output)

    def test_nothing_compared_is_a_failure(self):
        status, output = self.compare('{"panic": "x"}', '{"ok": True}')
        self.assertEqual(status, 1)
        self.assertIn("nothing was compared", output)

    def test_oracle_must_know(self):
        status, output = self.compare('{"unknown": r["op"]}', '{"ok": True}')
        self.assertEqual(status, 1)
        self.assertIn("does not know key-split", output)

    def test_crash(self):
        status, output = self.compare(REFUSE, f"os._exit(3) if n == 7 else {REFUSE}")
        self.assertEqual(status, 1)
        self.assertIn("status 3, 7 answers to 20 requests", output)
        case = run_oracle.make_cases(["key-split"], 20, "1")[7]
        self.assertIn("not answered: " + json.dumps(case.request, ensure_ascii=False), output)

    def test_bad_status_after_all_answers(self):
        status, output = self.compare(REFUSE, f"os._exit(9) if n == 20 else {REFUSE}")
        self.assertEqual(status, 0, output)
        path = self.program("late", REFUSE)
        Path(path).write_text(Path(path).read_text() + "sys.exit(5)\n")
        status, output = self.run_main("--oracle", path, "--count", "1", "--ops", "time", "--self")
        self.assertEqual(status, 1)
        self.assertIn("status 5", output)

    def test_garbage(self):
        for answer in ("'nonsense' + chr(10)", "[]", "'\\n'"):
            with self.subTest(answer):
                status, output = self.compare(REFUSE, answer)
                self.assertEqual(status, 1)
                self.assertIn("no answer", output)

    def test_missing_program(self):
        status, output = self.run_main("--oracle", self.folder / "none", "--self")
        self.assertEqual(status, 1)
        self.assertIn("none", output)

    def test_hang(self):
        with mock.patch.object(run_oracle, "ANSWER_SECONDS", 1):
            status, output = self.compare(REFUSE, "__import__('time').sleep(60)")
        self.assertEqual(status, 1)
        self.assertIn("no end in time", output)

    def test_usage(self):
        for arguments in ((), ("--self",), ("--build", "x"), ("--build", "x", "--self", "prog"),
                          ("--build", "x", "--oracle", "y", "--self"),
                          ("--oracle", "x", "--count", "0", "--self"),
                          ("--oracle", "x", "--ops", "nonsense", "--self")):
            with self.subTest(arguments):
                self.assertEqual(self.run_main(*arguments)[0], 2)

    def test_without_go(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder), "KIN_STRICT": ""}):
            status, output = self.run_main("--build", self.folder / "b", "--self")
            self.assertEqual(status, 77)
            self.assertIn("skipped", output)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder), "KIN_STRICT": "1"}):
            self.assertEqual(self.run_main("--build", self.folder / "b", "--self")[0], 1)

    def test_broken_build(self):
        go = self.folder / "go"
        go.write_text("#!/bin/sh\necho 'no such module'\nexit 1\n")
        go.chmod(0o755)
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        with mock.patch.dict(os.environ, {"PATH": path}):
            status, output = self.run_main("--build", self.folder / "b", "--self")
        self.assertEqual(status, 1)
        self.assertIn("no such module", output)


class AllowTest(unittest.TestCase):
    def judge(self, case, given, expected, allowed):
        with mock.patch.object(run_oracle, "ALLOWED", allowed):
            return run_oracle.compare([case], [expected], [given])[case.request["op"]]

    def test_by_note_and_field(self):
        case = run_oracle.Case({"op": "quantity", "text": "1E"}, "odd")
        go, ours = {"ok": True, "milli": 0, "value": 1}, {"ok": True, "milli": 7, "value": 1}
        for allowed, count in (({}, 0), ({("quantity", "odd"): (("milli",), "because")}, 1),
                               ({("quantity", "odd"): (("value",), "because")}, 0),
                               ({("quantity", ""): (("milli",), "because")}, 0),
                               ({("time", "odd"): (("milli",), "because")}, 0),
                               ({("quantity", "odd"): (("ok",), "because")}, 1)):
            with self.subTest(allowed):
                tally = self.judge(case, ours, go, allowed)
                self.assertEqual((tally.allowed, len(tally.wrong)), (count, 1 - count))

    def test_patch_must_be_the_rfcs(self):
        case = run_oracle.Case({"op": "json-patch", "doc": {"a": 1},
                                "patch": [{"op": "add", "path": "", "value": {"b": 2}}]},
                               "add-root")
        allowed = {("json-patch", "add-root"): (("ok",), "because")}
        go = {"ok": False}
        good = {"ok": True, "result": '{"b":2}'}
        self.assertEqual(self.judge(case, good, go, allowed).allowed, 1)
        for other in ({"ok": True, "result": '{"a":1}'}, {"ok": True}, {"ok": True, "result": "{"}):
            with self.subTest(other):
                self.assertEqual(len(self.judge(case, other, go, allowed).wrong), 1)

    def test_patch_that_the_rfc_refuses(self):
        case = run_oracle.Case({"op": "json-patch", "doc": {},
                                "patch": [{"op": "replace", "path": "/a", "value": 1}]},
                               "replace-missing")
        allowed = {("json-patch", "replace-missing"): (("ok",), "because")}
        go = {"ok": True, "result": '{"a":1}'}
        self.assertEqual(self.judge(case, {"ok": False}, go, allowed).allowed, 1)
        self.assertEqual(len(self.judge(case, {"ok": True, "result": "{}"}, go, allowed).wrong), 1)

    def test_table_gives_reasons(self):
        for (op, note), (fields, reason) in run_oracle.ALLOWED.items():
            self.assertIn(op, generate.GENERATORS)
            self.assertTrue(note and fields and reason)


class GenerateTest(unittest.TestCase):
    def test_seeds(self):
        def texts(seed):
            return [json.dumps(case.request)
                    for case in run_oracle.make_cases(list(generate.GENERATORS), 30, seed)]

        self.assertEqual(texts("1"), texts("1"))
        self.assertNotEqual(texts("1"), texts("2"))

    def test_an_operation_stands_alone(self):
        both = run_oracle.make_cases(["time", "quantity"], 10, "1")
        self.assertEqual(both[10:], run_oracle.make_cases(["quantity"], 10, "1"))

    def test_requests_are_utf8(self):
        for case in run_oracle.make_cases(list(generate.GENERATORS), 500, "u"):
            json.dumps(case.request, ensure_ascii=False).encode()

    def test_variety(self):
        for op in generate.GENERATORS:
            cases = run_oracle.make_cases([op], 500, "v")
            with self.subTest(op):
                self.assertGreater(len({json.dumps(case.request) for case in cases}), 150)
                self.assertGreater(sum(not case.note for case in cases), 200)

    def test_exponents_stay_small(self):
        rng = random.Random("e")
        for _ in range(5000):
            amount = generate.quantity_amount(generate.safe_quantity(rng))
            self.assertTrue(amount is None or amount.adjusted() < 500)

    def test_quantity_notes(self):
        for text, note in (("1", ""), ("9223372036854775807m", ""), ("-", "no-digits"),
                           ("k", "no-digits"), ("9223372036854776", "milli-beyond-int64"),
                           ("9223372036854775", ""), ("8Ei", "beyond-int64"),
                           ("7Ei", "milli-beyond-int64"), ("-10E", "beyond-int64"),
                           ("-.6Mi", "negative-in-long-form"), (".6Mi", ""), ("-6Mi", ""),
                           ("-855Ti", "negative-in-long-form"), ("-1.5", ""),
                           ("-1.5n", "negative-in-long-form"), ("1e21", "beyond-the-suffixes"),
                           ("1e20", "beyond-int64"), ("1" * 38, "beyond-int64"),
                           ("1" * 39, "more-than-38-digits"),
                           ("1" * 39 + "Ki", "beyond-int64"),
                           ("1e4294967296", "exponent-beyond-int32"), ("1x", ""), ("", "")):
            with self.subTest(text):
                self.assertEqual(generate.quantity_note(text), note)

    def test_quantity_pair_notes(self):
        for a, b, note in (("1", "2", ""), ("1x", "1", ""), ("1E", "1n", ""), ("0", "8Ei", ""),
                           ("1" * 38, "1m", "more-than-38-digits"),
                           ("-", "1e21", "beyond-the-suffixes"),
                           ("E32", "1e21", "beyond-the-suffixes"),
                           ("9e20", "1e20", "beyond-the-suffixes"),
                           ("1Ki", "123e36", "more-than-38-digits"),
                           ("1000Ki", "123456e34", "binary-beyond-10^38"),
                           ("123456e34", "1000Ki", "beyond-the-suffixes")):
            with self.subTest((a, b)):
                self.assertEqual(generate.quantity_pair_note(a, b), note)

    def test_selector_notes(self):
        def note(*values):
            return generate.repeated_value_note({"matchExpressions": [{"values": list(values)}]})

        self.assertEqual(note("a", "b", ""), "")
        self.assertEqual(note("a", "b", "a"), "repeated-value")
        self.assertEqual(note("", None), "repeated-value")
        self.assertEqual(note(1, 1, []), "")
        for odd in ({}, {"matchExpressions": None}, {"matchExpressions": [None, 1, {"values": 2}]}):
            self.assertEqual(generate.repeated_value_note(odd), "")
        self.assertEqual(generate.zero_byte_note("a", "b\0"), "zero-byte")

    def test_patch_notes(self):
        doc = rfc.parse(b'{"a":1,"b":[null,"<"]}')
        for patch, note in ((b"[]", ""), (b'[{"op":"remove","path":"/x"}]', "remove-missing"),
                            (b'[{"op":"test","path":"/a","value":1}]', ""),
                            (b'[{"op":"test","path":"/a","value":1.0}]', "test-number-spelling"),
                            (b'[{"op":"test","path":"/b","value":[null,"<"]}]', "test-null"),
                            (b'[{"op":"test","path":"/b/0","value":null}]', "test-null"),
                            (b'[{"op":"test","path":"/b/1","value":"<"}]', "test-html-characters"),
                            (b'[{"op":"spam","path":"/b"}]', "unknown-malformed"),
                            (b'[{"op":"replace","path":"","value":[]}]', "result-is-an-array"),
                            (b'[{"op":"replace","path":"","value":1}]', "replace-root-scalar"),
                            (b'[{"op":"copy","from":"","path":"/c"}]', "copy-root")):
            with self.subTest(patch):
                self.assertEqual(generate.json_patch_note(doc, rfc.parse(patch)), note)


if __name__ == "__main__":
    unittest.main()
