#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client-go's shared informers beside ours, at the same server under the same faults.

    beside_client_go.py --kinform kinform --side kin-test-informer-side --build FOLDER

Both watch the same kinds of an embedded API server while clients write and the server misbehaves:
it breaks off, stalls and garbles answers, forgets the past, and is killed. After quiet, what the
handlers of both were told leads to the same state, their caches have it, and it is what the server
says to whoever asks it without any of them. Once by streaming lists, once by lists in pages, each at
a server of its own.

KIN_TEST_SEED picks other writes and faults. KIN_FAULT_SECONDS (6) says how long these last in all:
half of it with each way to list, beside each other. Exit status: 0 all is well, 1 not, 77 skipped
since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import base64
import contextlib
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import serve
from sides import Side, Wrong, differences, key_of

SKIPPED = 77
WRITERS = 4
NAMES = 30
NAMESPACES = ("default", "other")
KINDS = {"configmaps": "ConfigMap", "secrets": "Secret"}
GO_MODULE = Path(__file__).resolve().parent.parent / "integration" / "apiserver" / "client-go"

# What a client has to survive. An event that is lost is none of them: nothing tells a client of it.
FAULTS = (
    {"type": "Reset", "verb": "watch", "bytes": 700},
    {"type": "Reset", "verb": "list", "bytes": 100},
    {"type": "Reset"},
    {"type": "Refuse", "times": 4},
    {"type": "Status", "verb": "watch", "status": 410, "times": 2},
    {"type": "Status", "verb": "list", "status": 410, "times": 2},
    {"type": "Status", "verb": "list", "status": 429, "retryAfterSeconds": 1},
    {"type": "Status", "verb": "watch", "status": 429, "retryAfterSeconds": 1},
    {"type": "Status", "times": 3, "status": 500},
    {"type": "Status", "verb": "watch", "status": 503, "times": 2},
    {"type": "Stall", "verb": "watch", "bytes": 900},
    {"type": "Stall", "verb": "patch"},
    {"type": "Garbage", "verb": "watch", "bytes": 500},
    {"type": "Garbage", "verb": "list", "bytes": 300},
    {"type": "Truncate", "verb": "watch", "bytes": 1000},
    {"type": "Truncate", "verb": "list", "bytes": 50},
    {"type": "Drip", "verb": "watch", "bytes": 200, "intervalMilliseconds": 5},
    {"type": "Delay", "times": 5, "delayMilliseconds": 50},
    {"type": "WatchError"},
    {"type": "WatchError", "status": 500},
    {"type": "WatchError", "status": 429, "retryAfterSeconds": 1},
    {"type": "WatchOversize", "bytes": 100000},
    {"type": "OversizeObject", "verb": "list", "bytes": 100000},
    {"type": "WatchEnd", "times": 2},
    {"type": "WatchDuplicate", "times": 5},
    {"type": "WatchNoBookmarks", "times": 3},
    {"type": "WatchNoInitialEnd"},
)


class Server(serve.Server):
    """It keeps its objects in a file, so that it can be killed."""

    def __init__(self, program, folder):
        super().__init__(program, folder / "kubeconfig", "--control", "--data", str(folder / "data"))

    def stop(self, kill):
        if kill:
            self.kill()
            return
        status = self.end()
        if status != 0:
            raise Wrong(f"the server ended with {status}")

    def restart(self, kill):
        self.stop(kill)
        self.start()

    def request(self, method, path, body=None, content_type="application/json", seconds=10):
        """The answer; raises OSError or HTTPException if there is none that can be used."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, path, body=None if body is None else json.dumps(body),
                               headers={"Content-Type": content_type})
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status} {text[:200]}")
        return json.loads(text) if text else None

    def state(self, resource):
        """What is there, by key, asked for without any informer."""
        answer = self.request("GET", f"/api/v1/{resource}")
        return {key_of(item): {"apiVersion": "v1", "kind": KINDS[resource], **item}
                for item in answer["items"]}


# ---- what happens

def thing(resource, name, value):
    text = base64.b64encode(value.encode()).decode() if resource == "secrets" else value
    return {"apiVersion": "v1", "kind": KINDS[resource], "metadata": {"name": name},
            "data": {"value": text}}


def write(server, chance):
    """Something is done to one of the objects. That it may fail is in the nature of the test."""
    resource = chance.choice(list(KINDS))
    name = f"o{chance.randrange(NAMES):02}"
    folder = f"/api/v1/namespaces/{chance.choice(NAMESPACES)}/{resource}"
    one = thing(resource, name, str(chance.randrange(1000)))
    what = chance.randrange(5)
    if what < 2:
        server.request("POST", folder, one, seconds=2)
    elif what < 4:
        server.request("PATCH", f"{folder}/{name}", {"data": one["data"]},
                       "application/merge-patch+json", seconds=2)
    else:
        server.request("DELETE", f"{folder}/{name}", seconds=2)


class Writers:
    """Clients that write until they are told to end."""

    def __init__(self, server, seed):
        self.over = threading.Event()
        self.written = [0] * WRITERS
        self.threads = [threading.Thread(target=self.run, daemon=True,
                                         args=(i, server, random.Random(seed * 100 + i)))
                        for i in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def run(self, number, server, chance):
        while not self.over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                write(server, chance)
                self.written[number] += 1

    def end(self):
        """How many writes have succeeded."""
        self.over.set()
        for thread in self.threads:
            thread.join()
        return sum(self.written)


def misbehave(server, chance, seconds):
    """Faults at random; how many."""
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        n += 1
        with contextlib.suppress(OSError, http.client.HTTPException):
            if n % 40 == 0:
                server.restart(kill=chance.random() < 0.5)
            elif n % 15 == 0:
                server.request("POST", "/_kinform/restart")
            elif n % 10 == 0:
                server.request("POST", "/_kinform/compact")
            else:
                server.request("POST", "/_kinform/faults", chance.choice(FAULTS))
        time.sleep(chance.uniform(0.02, 0.08))  # the distance of faults, not a wait
    return n


# ---- what must hold

def await_equal(server, sides, when):
    """All handlers were told, and all caches have, what the server has."""
    for resource in KINDS:
        expected = server.state(resource)
        if not expected:
            raise Wrong("nothing is there to compare")
        for side in sides:
            for name in names_of(side, resource):
                wrong = side.await_replica(name, expected)
                if wrong:
                    status = side.statuses().get(name) if side.is_strict else None
                    raise Wrong(f"{when}: {side.title} {name} was told something else: {wrong}; "
                                f"status: {status}")
    for side in sides:
        side.check_streams()
        for name, cached in side.caches(side.informers).items():
            wrong = differences(server.state(name.split("-")[0]), cached)
            if wrong:
                raise Wrong(f"{when}: the cache of {side.title} {name}: {wrong}")
    for resource in KINDS:
        states = [side.replicas[name].state for side in sides for name in names_of(side, resource)]
        if any(state != states[0] for state in states):
            raise Wrong(f"{when}: handlers of {resource} were told different things")


def names_of(side, resource):
    return [name for name in side.informers if name.startswith(resource)]


def change_a_bit(server):
    """Whoever follows is told of this by a watch."""
    for resource in KINDS:
        folder = f"/api/v1/namespaces/default/{resource}"
        server.request("POST", folder, thing(resource, "at-the-end", "1"))
        server.request("POST", folder, thing(resource, "and-gone", "1"))
        server.request("PATCH", f"{folder}/at-the-end", {"data": thing(resource, "", "2")["data"]},
                       "application/merge-patch+json")
        server.request("DELETE", f"{folder}/and-gone")


def start_side(stack, title, program, server, modes, environment=None):
    informers = [f"{resource}-{mode}" for resource in KINDS for mode in modes]
    side = Side(title, [program, str(server.kubeconfig), "",
                        *(f"{name}={name.replace('-', '/')}" for name in informers)],
                environment, is_strict=environment is None)
    side.informers = informers
    stack.callback(side.kill)
    return side


def run_round(options, go_side, mode, seed, seconds):
    """What is to be said of it; raises Wrong."""
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kin-e2e-")))
        server = Server(options.kinform, folder)
        stack.callback(server.held.close)
        stack.callback(lambda: server.process.poll() is None and server.process.kill())
        for name in NAMESPACES[1:]:
            server.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        theirs = {**os.environ,
                  "KUBE_FEATURE_WatchListClient": "true" if mode == "streaming" else "false"}
        sides = [start_side(stack, "kinform", options.side, server,
                            [mode, "ordered"] if mode == "streaming" else [mode]),
                 start_side(stack, "client-go", go_side, server, [mode], theirs)]
        writers = Writers(server, seed)
        n_faults = misbehave(server, random.Random(seed), seconds)
        n_writes = writers.end()
        # Rules go with it, and so do the watches that were stalled.
        server.restart(kill=True)
        quiet = time.monotonic()
        await_equal(server, sides, "after quiet")
        took = time.monotonic() - quiet
        change_a_bit(server)
        await_equal(server, sides, "after changes in peace")
        if n_writes < NAMES:
            raise Wrong(f"only {n_writes} writes have succeeded")
        said = [f"{mode}: {n_writes} writes, {n_faults} faults, equal {took:.1f} s behind the last, "
                f"{time.monotonic() - began:.1f} s in all"]
        for side in sides:
            said.append(f"{mode}: {side.summary()}")
            side.close()
        server.stop(kill=False)
    return "\n".join(said)


def build_go_side(folder):
    """client-go's side; the first time this takes a while."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder.resolve() / "client-go-side"
    subprocess.run(["go", "build", "-buildvcs=false", "-o", str(target), "./side"], cwd=GO_MODULE,
                   check=True)
    return str(target)


def main():
    parser = argparse.ArgumentParser(prog="beside_client_go.py")
    parser.add_argument("--kinform", required=True)
    parser.add_argument("--side", required=True)
    parser.add_argument("--build", required=True, type=Path)
    options = parser.parse_args()
    if shutil.which("go") is None:
        strict = os.environ.get("KIN_STRICT") == "1"
        print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
        return 1 if strict else SKIPPED
    seed = int(os.environ.get("KIN_TEST_SEED", "1"))
    seconds = float(os.environ.get("KIN_FAULT_SECONDS", "6")) / 2
    print(f"KIN_TEST_SEED={seed}", flush=True)
    go_side = build_go_side(options.build)
    status = 0
    with ThreadPoolExecutor() as pool:
        rounds = {mode: pool.submit(run_round, options, go_side, mode, seed, seconds)
                  for mode in ("streaming", "pages")}
        for mode, one in rounds.items():
            try:
                print(one.result(), flush=True)
            except Wrong as why:
                print(f"{mode}, KIN_TEST_SEED={seed}: {why}", flush=True)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
