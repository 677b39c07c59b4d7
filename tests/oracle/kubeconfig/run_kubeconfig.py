#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resolve the same random sets of kubeconfigs with clientcmd and with the C library.

    run_kubeconfig.py --build DIR [--sets N] [--seed S] [--self] [PROGRAM]

The Go program of this folder is built into DIR and is one side; PROGRAM is the other. With --self
the Go program is both. README.md has the format. KIN_ORACLE_SETS overrides N. Exit status: 0 all
equal, 1 not, 2 wrong usage, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import collections
import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "side"))

import generate_sets  # noqa: E402
import runner  # noqa: E402

RUN_SECONDS = 300
BATCH = 500
SHRINK_RUNS = 400
STALE_SETS = 10000  # a run of so many in which a name never differs says that it is no difference

# What client-go leaves out where there is no TLS, and what we keep for credentials to decide on.
SECURE = ("tls_server_name", "ca_file", "ca_data", "insecure", "certificate_file", "certificate_data",
          "key_file", "key_data", "token", "token_file", "username", "password", "exec")


def differing(theirs, ours):
    return {key for key in theirs.keys() | ours.keys() if theirs.get(key) != ours.get(key)}


def refused_for(*reasons):
    return lambda given, theirs, ours: not ours["ok"] and any(r in ours["error"] for r in reasons)


def only_fields(condition, *fields):
    return lambda given, theirs, ours: (theirs["ok"] and ours["ok"] and condition(given, theirs)
                                        and differing(theirs, ours) <= set(fields))


# Differences that are meant: docs/client-go.md has the reasons.
EXCUSED = {
    "missing-entry": refused_for("there is no cluster \"", "there is no user \""),
    "insecure-with-ca": refused_for("set together with a certificate authority"),
    "exec-api-version": refused_for("is not client.authentication.k8s.io/v1 or /v1beta1"),
    "auth-provider": refused_for("is not supported; use an exec plugin"),
    "server-url": refused_for(".server: not a valid URL", "option server: not a valid URL"),
    "data-as-list": refused_for("-data: must be a string, not a list"),
    "proxy-url": refused_for("proxy-url: not a valid URL", "option proxy_url: not a valid URL"),
    "plain-http": lambda given, theirs, ours: (
        theirs["ok"] and theirs["server"].startswith("http://")
        and (differing(theirs, ours) <= set(SECURE) if ours["ok"] else "tokenFile: /" in ours["error"])),
    "token-override": only_fields(
        lambda given, theirs: given["options"].keys() & {"token", "token_file"}, "token", "token_file"),
    "token-file-overridden": lambda given, theirs, ours: (
        "token_file" in given["options"] and "token" not in given["options"]
        and ("more than one authentication method" in theirs.get("error", "")
             or ours.get("error", "").startswith("option token_file: "))),
}


# ---- the programs


def text_in(given, path):
    return generate_sets.text_of(given["files"][path], f"{given['style']}:{path}")


def write_set(given, folder):
    for path in given["files"]:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text_in(given, path).replace("@/", f"{folder}/"), encoding="utf-8")


def request_of(given, folder):
    request = {key: given[key] for key in ("kubeconfig", "list", "home", "options") if key in given}
    request.setdefault("home", "@/nobody")
    return json.dumps(request).replace("@/", f"{folder}/")


def run(command, requests):
    """The answers of a program. After a crash it is said in the place of the first one missing."""
    environment = {k: v for k, v in os.environ.items() if k not in ("KUBECONFIG", "POD_NAMESPACE")
                   and not k.startswith("KUBERNETES_")}
    try:
        result = subprocess.run(command, input="".join(r + "\n" for r in requests).encode(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                                timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        raise runner.Failure(f"{command[0]} does not end") from None
    except OSError as error:
        raise runner.Failure(f"{command[0]}: {error}") from None
    lines = result.stdout.decode(errors="replace").split("\n")[:-1]
    if result.returncode != 0 or len(lines) != len(requests):
        at = min(len(lines), len(requests) - 1)
        raise runner.Failure(f"{command[0]} ended with {result.returncode} at\n{requests[at]}\n"
                      f"{result.stderr.decode(errors='replace')[-2000:]}")
    return [json.loads(line) for line in lines]


def resolve(sets, oracle, program):
    """Pairs of answers."""
    with tempfile.TemporaryDirectory() as folder:
        requests = []
        for i, given in enumerate(sets):
            place = Path(folder).resolve() / str(i)
            place.mkdir()
            write_set(given, place)
            requests.append(request_of(given, place))
        return list(zip(run(oracle, requests), run(program, requests)))


# ---- the comparison


def judge(given, theirs, ours):
    """"equal", "refused" (by both), the name of a difference that is meant, or None."""
    if not theirs["ok"] and not ours["ok"]:
        return "refused"
    if not differing(theirs, ours):
        return "equal"
    for name, applies in EXCUSED.items():
        if applies(given, theirs, ours):
            return name
    return None


def smaller(value):
    """Copies of a value with one thing less in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        less = copy.copy(value)
        del less[key]
        yield less
    for key in keys:
        for inner in smaller(value[key]):
            other = copy.copy(value)
            other[key] = inner
            yield other


def shrink(given, differs):
    """Drop parts for as long as a difference that is not meant stays."""
    runs = 0
    found = True
    while found and runs < SHRINK_RUNS:
        found = False
        for part in ("files", "options"):
            for less in smaller(given[part]):
                runs += 1
                trial = {**given, part: less}
                if runs < SHRINK_RUNS and differs(trial):
                    given, found = trial, True
                    break
    return given


def show(given, oracle, program):
    (theirs, ours), = resolve([given], oracle, program)
    for path, document in given["files"].items():
        if not isinstance(document, str) or path.endswith("config"):
            print(f"  {path}:\n    {text_in(given, path)!r}")
    print("  " + request_of(given, Path("")))
    if theirs["ok"] and ours["ok"]:
        for key in sorted(differing(theirs, ours)):
            print(f"    {key}: go {theirs.get(key)!r}, ours {ours.get(key)!r}")
    else:
        print(f"    go   {theirs.get('error', 'ok')}\n    ours {ours.get('error', 'ok')}")


def check(count, seed, oracle, program):
    rng = random.Random(seed)
    tally = collections.Counter()
    done = 0
    while done < count:
        sets = [generate_sets.make_set(rng) for _ in range(min(BATCH, count - done))]
        done += len(sets)
        for given, pair in zip(sets, resolve(sets, oracle, program)):
            verdict = judge(given, *pair)
            tally[verdict or "different"] += 1
            if verdict is None:
                print("made small:")
                show(shrink(given, lambda g: judge(g, *resolve([g], oracle, program)[0]) is None),
                     oracle, program)
                return report(done, tally, False)
    good = True
    for name in EXCUSED:
        if oracle != program and count >= STALE_SETS and not tally[name]:
            print(f"{name} is no difference any more")
            good = False
    return report(done, tally, good)


def report(done, tally, good):
    print(f"{done} sets: " + ", ".join(f"{tally[name]} {name}" for name in sorted(tally)))
    return good


# ---- running


def main(arguments):
    parser = runner.make_parser(__file__, __doc__)
    parser.add_argument("--sets", type=runner.positive, default=2000)
    options = runner.parse(parser, arguments, sets="KIN_ORACLE_SETS")
    print(f"seed {options.seed}, {options.sets} sets", flush=True)
    return runner.run(options, "kin-oracle-kubeconfig", HERE,
                      lambda oracle, program: check(options.sets, options.seed, oracle, program))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
