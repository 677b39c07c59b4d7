#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask Kubernetes' own Go code and the C library the same questions; the answers must be the same.

    run_oracle.py --build DIR [--count N] [--seed S] [--ops A,B] [--show K] ANSWERER [ARGUMENT...]

The Go program of this folder is built into DIR (or taken from --oracle) and is one side; ANSWERER
is the other. With --self the Go program is both. README.md has the protocol. Exit status: 0 all
equal, 1 not, 2 wrong usage, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import collections
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "side"))

import generate  # noqa: E402
import rfc  # noqa: E402  (generate has put its folder on the path)
import runner  # noqa: E402

ANSWER_SECONDS = 60

# Differences that are meant: {(operation, note): (fields, reason)}. Fields are those that may
# differ; with "ok" among them, the whole answer may. The notes are those of generate.py. An answer
# to a patch that is allowed to differ from Go's must be the one of the RFC.
ALLOWED = {
    ("label-parse", "zero-byte"): (
        ("ok",), "Go takes a zero byte for the end of the text or skips it; it is refused"),
    ("label-from-object", "repeated-value"): (
        ("string",), "Go prints a value as often as it was given; values are a set"),
    ("key-of", "zero-byte"): (
        ("key",), "keys are terminated texts; no name in Kubernetes holds a zero byte"),
    ("quantity", "beyond-int64"): (
        ("value", "milli"), "Go gives the low 64 bits; it is an error"),
    ("quantity", "milli-beyond-int64"): (
        ("milli",), "Go gives the low 64 bits; it is an error"),
    ("quantity", "negative-in-long-form"): (
        ("value", "milli"), "Go rounds these towards zero and overflows; all are rounded alike"),
    ("quantity", "beyond-the-suffixes"): (
        ("string", "value", "milli"), "where there is no suffix Go writes none: 1 for 1e21"),
    ("quantity", "exponent-beyond-int32"): (
        ("ok",), "Go takes the exponent modulo 2^32"),
    ("quantity", "more-than-38-digits"): (
        ("ok",), "quantities have a fixed size; more digits are an error"),
}
for _op in ("quantity-cmp", "quantity-add", "quantity-sub"):
    ALLOWED[_op, "more-than-38-digits"] = ALLOWED["quantity", "more-than-38-digits"]
for _op in ("quantity-add", "quantity-sub"):
    ALLOWED[_op, "beyond-the-suffixes"] = (
        ("string",), ALLOWED["quantity", "beyond-the-suffixes"][1])
    ALLOWED[_op, "binary-beyond-10^38"] = (
        ("string",), "beyond 10^38 there is no binary notation; decimal SI says the same")

# Where json-patch.v4 departs from the RFCs, or makes something else than an object of one.
for _op, _note, _reason in (
        ("merge-patch", "null-in-an-object-in-an-array", "in an array a null is a value"),
        ("merge-patch", "patch-is-no-object", "an object stays an object"),
        ("json-patch", "replace-missing", "what is not there cannot be replaced"),
        ("json-patch", "copy-missing", "what is not there cannot be copied"),
        ("json-patch", "test-missing", "what is not there is not null"),
        ("json-patch", "add-malformed", "value is mandatory"),
        ("json-patch", "replace-malformed", "value is mandatory"),
        ("json-patch", "test-malformed", "value is mandatory"),
        ("json-patch", "add-root", "the root is a location like others"),
        ("json-patch", "copy-root", "the root is a location like others"),
        ("json-patch", "move-root", "the root is a location like others"),
        ("json-patch", "result-is-an-array", "an object stays an object"),
        ("json-patch", "move-into-itself", "the RFC forbids it"),
        ("json-patch", "test-number-spelling", "1 and 1.0 are the same number"),
        ("json-patch", "test-null", "a null is equal to every other"),
        ("json-patch", "test-html-characters", "a copy is equal to what it was copied from"),
        *(("json-patch", f"{name}-pointer", "a pointer begins with a slash, ~ goes with 0 or 1")
          for name in ("add", "remove", "replace", "move", "copy", "test")),
        *(("json-patch", f"{name}-index", "an index has digits alone, and no zero in front")
          for name in ("add", "remove", "replace", "move", "copy", "test"))):
    ALLOWED[_op, _note] = (("ok", "result"), _reason)


Case = collections.namedtuple("Case", "request note")


# ---- the questions


def make_cases(operations, count, seed):
    """Those of an operation depend on the seed and its name, not on the other operations."""
    cases = []
    for op in operations:
        rng = random.Random(f"{seed}:{op}")
        for _ in range(count):
            request, note = generate.GENERATORS[op](rng)
            cases.append(Case({"op": op, **request}, note))
    return cases


def ask(command, cases):
    """The answers of a program that was given all requests."""
    with tempfile.TemporaryFile() as questions:
        for case in cases:
            questions.write(json.dumps(case.request, ensure_ascii=False).encode() + b"\n")
        questions.seek(0)
        try:
            result = subprocess.run(command, stdin=questions, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, timeout=ANSWER_SECONDS)
            output, said, status = result.stdout, result.stderr, result.returncode
        except subprocess.TimeoutExpired as late:
            output, said, status = late.stdout or b"", late.stderr or b"", "no end in time"
        except OSError as error:
            raise runner.Failure(f"{command[0]}: {error}") from None
    lines = output.split(b"\n")[:-1]
    if status != 0 or len(lines) != len(cases):
        raise runner.Failure(f"{command[0]}: status {status}, {len(lines)} answers to {len(cases)} "
                      "requests" + told(said) + culprit(lines, cases))
    return [decode(command[0], line, case) for line, case in zip(lines, cases)]


def told(said):
    text = said.decode(errors="replace").strip()
    return f"\n{text[-2000:]}" if text else ""


def culprit(lines, cases):
    """The first request without an answer, provided that each answer was flushed."""
    if len(lines) >= len(cases):
        return ""
    return f"\nnot answered: {json.dumps(cases[len(lines)].request, ensure_ascii=False)}"


def decode(program, line, case):
    try:
        value = json.loads(line.decode())
        if not isinstance(value, dict):
            raise ValueError("it is no object")
        return value
    except ValueError as error:
        raise runner.Failure(f"{program}: no answer: {line[:500]!r}: {error}\n"
                      f"to {json.dumps(case.request, ensure_ascii=False)}") from None


# ---- the comparison


def same_float(a, b):
    """Kubernetes' own is approximate: a product of two rounded numbers."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return (not isinstance(a, bool) and not isinstance(b, bool)
            and math.isclose(a, b, rel_tol=1e-14, abs_tol=0))


def same_document(a, b):
    try:
        return rfc.equal(rfc.parse(a.encode()), rfc.parse(b.encode()))
    except (ValueError, AttributeError):
        return False


def same_plain(a, b):
    return type(a) is type(b) and a == b


COMPARE = {"float": same_float, "result": same_document}


def differing(oracle, answer):
    """The names of the fields in which two answers differ."""
    if not same_plain(oracle.get("ok"), answer.get("ok")) or "ok" not in oracle:
        return {"ok"}
    names = (oracle.keys() | answer.keys()) - {"error"}
    return {name for name in names
            if name not in oracle or name not in answer
            or not COMPARE.get(name, same_plain)(oracle[name], answer[name])}


def is_allowed(case, fields, given):
    allowed, _ = ALLOWED.get((case.request["op"], case.note), ((), ""))
    if "ok" not in allowed and not fields <= set(allowed):
        return False
    return case.request["op"] not in ("merge-patch", "json-patch") or is_by_rfc(case, given)


def is_by_rfc(case, given):
    wanted = generate.by_rfc(case.request)
    if wanted is None:
        return given.get("ok") is False
    try:
        return given.get("ok") is True and rfc.equal(rfc.parse(given["result"].encode()), wanted)
    except (ValueError, KeyError, AttributeError):
        return False


class Tally:
    """What became of the cases of one operation."""

    def __init__(self):
        self.cases = self.refused = self.noted = self.panics = self.allowed = 0
        self.wrong = []


def compare(cases, oracle, answers):
    tallies = collections.defaultdict(Tally)
    for case, expected, given in zip(cases, oracle, answers):
        tally = tallies[case.request["op"]]
        tally.cases += 1
        tally.noted += bool(case.note)
        if "panic" in expected:
            tally.panics += 1
            continue
        if "unknown" in expected:
            raise runner.Failure(f"the oracle does not know {case.request['op']}")
        tally.refused += not expected.get("ok")
        fields = differing(expected, given)
        if fields and is_allowed(case, fields, given):
            tally.allowed += 1
        elif fields:
            tally.wrong.append((case, expected, given, fields))
    return tallies


def report(tallies, show):
    """Say how it went; whether all is well."""
    for op, tally in tallies.items():
        print(f"{op:22} {tally.cases:6} asked, {tally.refused:5} refused, {tally.noted:5} odd, "
              f"{tally.panics:4} unanswerable, {tally.allowed:4} allowed, "
              f"{len(tally.wrong):4} different")
    for op, tally in tallies.items():
        for case, expected, given, fields in tally.wrong[:show]:
            print(f"\n{op}{' (' + case.note + ')' if case.note else ''}: "
                  f"{', '.join(sorted(fields))} differ"
                  f"\n  request {json.dumps(case.request, ensure_ascii=False)}"
                  f"\n  go      {json.dumps(expected, ensure_ascii=False)}"
                  f"\n  answer  {json.dumps(given, ensure_ascii=False)}")
        notes = collections.Counter(case.note for case, *_ in tally.wrong)
        if notes:
            print(f"\n{op}: differences by note: "
                  + ", ".join(f"{note or 'plain'} {n}" for note, n in notes.most_common()))
    idle = {op for op, tally in tallies.items() if tally.panics == tally.cases}
    for op in sorted(idle):
        print(f"{op}: nothing was compared")
    return not idle and not any(tally.wrong for tally in tallies.values())


# ---- running


def operation_names(text):
    names = text.split(",")
    for name in names:
        if name not in generate.GENERATORS:
            raise argparse.ArgumentTypeError(
                f"no operation {name}; there are {', '.join(generate.GENERATORS)}")
    return names


def main(arguments):
    parser = runner.make_parser(__file__, __doc__)
    parser.add_argument("--count", type=runner.positive, default=2000, help="requests per operation")
    parser.add_argument("--ops", type=operation_names, default=list(generate.GENERATORS))
    parser.add_argument("--show", type=runner.positive, default=5,
                        help="differences shown per operation")
    options = runner.parse(parser, arguments)
    cases = make_cases(options.ops, options.count, options.seed)
    print(f"seed {options.seed}, {len(cases)} requests", flush=True)

    def check(oracle, program):
        return report(compare(cases, ask(oracle, cases), ask(program, cases)), options.show)

    return runner.run(options, "kin-oracle", HERE, check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
