#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Informers of all the usual kinds at a real kube-apiserver with etcd.

    real_cluster.py --side kin-test-informer-side --cache FOLDER

The server is that of tools/kube-apiserver. One program has two informers of each kind, one by
streaming lists and one by lists in pages, over TLS with a token. Objects are made and changed by
kubectl and by plain requests; the network is cut while things go on, etcd forgets the past, the
server is killed, and ends in good order. After each of these, handlers were told, and caches have,
what kubectl gets.

KIN_TEST_SEED picks other changes. Exit status: 0 all is well, 1 not, 77 skipped: there is no kubectl, or
nobody has asked for it by KIN_KUBE_APISERVER=1 (which builds the server if it is not there) or the
folder of the programs in its place. `make cluster` does.
"""
import argparse
import contextlib
import json
import os
import random
import sys
import time
from pathlib import Path

import kubectls
from gate import Gate
from kinds import CRD, KINDS, NAMESPACE, path_of, path_of_all, api_version, thing
from real_server import SKIPPED, RealServer, find_kubectl, find_server, without_proxies
from sides import DEADLINE, Side, Wrong, differences, key_of

MODES = ("streaming", "pages")
INFORMERS = [f"{resource}-{mode}" for resource in KINDS for mode in MODES]


class Cluster(RealServer):
    """With a network that can be cut."""

    def __init__(self, stack, kubectl):
        super().__init__(stack, kubectl)
        self.gate = Gate(int(self.url.rsplit(":", 1)[1]))
        stack.callback(self.gate.close)

    def kubeconfig_behind_gate(self):
        self.config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{self.gate.port}"
        path = self.folder / "kubeconfig"
        path.touch(mode=0o600)
        path.write_text(json.dumps(self.config))
        return str(path)

    def state(self, resource):
        """What kubectl gets, by key, as the server has sent it."""
        items = json.loads(self.kubectl("get", "--raw", path_of_all(resource)))["items"]
        named = {"apiVersion": api_version(resource), "kind": KINDS[resource][1]}
        return {key_of(item): {**named, **item} for item in items}


class Changes:
    """What happens to objects: seeded, and in a fixed order."""

    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.chance = random.Random(seed)
        self.names = {resource: [] for resource in KINDS}
        self.made = 0

    def create(self, resource):
        self.made += 1
        name = f"e2e-{self.made}"
        self.cluster.request("POST", path_of(resource), thing(resource, name))
        self.names[resource].append(name)

    def patch(self, resource):
        name = self.chance.choice(self.names[resource])
        labels = {"step": str(self.chance.randrange(1000000))}
        self.cluster.request("PATCH", f"{path_of(resource)}/{name}",
                             {"metadata": {"labels": labels}}, "application/merge-patch+json")

    def delete(self, resource):
        name = self.names[resource].pop(self.chance.randrange(len(self.names[resource])))
        # Nobody is there who would end a Pod, or collect what belonged to a Job.
        self.cluster.request("DELETE", f"{path_of(resource)}/{name}",
                             {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})

    def begin(self):
        """The first objects, half of them by kubectl."""
        things = []
        for resource in KINDS:
            for i in range(4):
                name = f"e2e-k{i}"
                things.append(thing(resource, name))
                self.names[resource].append(name)
        self.cluster.apply(*things)
        for resource in KINDS:
            for _ in range(4):
                self.create(resource)

    def some(self, n):
        """n changes of each kind."""
        work = [resource for resource in KINDS for _ in range(n)]
        self.chance.shuffle(work)
        for resource in work:
            what = self.chance.choice(("create", "patch", "patch", "delete"))
            if len(self.names[resource]) < 3:
                what = "create"
            getattr(self, what)(resource)

    def by_kubectl(self):
        run = self.cluster.kubectl
        name = self.names["deployments"][0]
        run("-n", NAMESPACE, "scale", "deployment", name, "--replicas=7")
        run("-n", NAMESPACE, "label", "--overwrite", "pods", "--all", "by=kubectl")
        run("-n", NAMESPACE, "annotate", "--overwrite", "widgets", "--all", "by=kubectl")
        run("-n", NAMESPACE, "delete", "configmap", self.names["configmaps"].pop())
        run("-n", NAMESPACE, "delete", "secrets", *self.names["secrets"][2:])
        del self.names["secrets"][2:]
        run("cordon", self.names["nodes"][0])


# ---- what must hold

def await_streams(cluster, side, resource, end):
    """Some objects are changed by the server itself, so what is there is asked for again."""
    while True:
        expected = cluster.state(resource)
        wrong = [f"{resource}-{mode}: {difference}" for mode in MODES
                 if (difference := side.await_replica(f"{resource}-{mode}", expected, 1))]
        if not wrong:
            return
        if time.monotonic() > end:
            raise Wrong("handlers were told something else: " + "; ".join(wrong))


def await_caches(cluster, side, resource, end):
    while True:
        caches = side.caches([f"{resource}-{mode}" for mode in MODES], f"dump {resource}-")
        expected = cluster.state(resource)
        wrong = [f"{name}: {difference}" for name, cached in caches.items()
                 if (difference := differences(expected, cached))]
        if not wrong:
            return
        if time.monotonic() > end:
            raise Wrong("caches have something else: " + "; ".join(wrong))


def check(cluster, side, when):
    began = time.monotonic()
    end = began + DEADLINE
    try:
        for resource in KINDS:
            await_streams(cluster, side, resource, end)
            await_caches(cluster, side, resource, end)
        side.check_streams()
    except Wrong as why:
        statuses = side.statuses()
        bad = [one for one in statuses.values() if one["state"] != "watching"]
        raise Wrong(f"{when}: {why}; {bad}") from None
    for name, status in side.statuses().items():
        if not status["synced"] or status["skipped"]:
            raise Wrong(f"{when}: {name} is {status}")
    print(f"{when}: equal after {time.monotonic() - began:.1f} s", flush=True)


def tombstones(side):
    return sum(replica.count["tombstone"] for replica in side.replicas.values())


def lose_the_past(cluster, side, changes):
    """Much happens that nobody sees, and nobody remembers it when the network is back."""
    before, lists = tombstones(side), {n: s["lists"] for n, s in side.statuses().items()}
    cluster.gate.shut()
    changes.some(6)
    cluster.order("kill")
    cluster.order("compact")
    cluster.order("start")
    cluster.gate.open()
    check(cluster, side, "cut off, etcd compacted, the server killed")
    statuses = side.statuses()
    for mode in MODES:
        status = statuses[f"controllerrevisions-{mode}"]
        if status["last_status"] != 410:
            raise Wrong(f"the past is gone, and nobody was told: {status}")
    listed_again = [name for name, status in statuses.items() if status["lists"] > lists[name]]
    if len(listed_again) != len(INFORMERS):
        raise Wrong(f"only {listed_again} have listed again")
    if tombstones(side) == before:
        raise Wrong("no deletion was missed")


def run(options, kubectl, seed):
    with contextlib.ExitStack() as stack:
        cluster = Cluster(stack, kubectl)
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        side = Side("kinform", [options.side, cluster.kubeconfig_behind_gate(), "token",
                                *(f"{name}={name.replace('-', '/')}" for name in INFORMERS)],
                    without_proxies())
        stack.callback(side.kill)
        # The informers of this one are there before it is.
        cluster.apply(CRD)
        cluster.kubectl("wait", "--for=condition=Established", f"crd/{CRD['metadata']['name']}",
                        "--timeout=60s")
        changes = Changes(cluster, seed)
        changes.begin()
        check(cluster, side, "objects of all kinds")
        changes.some(8)
        changes.by_kubectl()
        check(cluster, side, "changes")
        cluster.order("compact")
        changes.some(3)
        check(cluster, side, "etcd compacted")
        lose_the_past(cluster, side, changes)
        cluster.order("kill")
        cluster.order("start")
        changes.some(3)
        check(cluster, side, "the server killed")
        began = time.monotonic()
        cluster.order("restart")
        took = time.monotonic() - began
        changes.some(3)
        check(cluster, side, f"the server restarted in {took:.1f} s")
        print(side.summary())
        side.close()
        cluster.close()


def main():
    parser = argparse.ArgumentParser(prog="real_cluster.py")
    parser.add_argument("--side", required=True)
    parser.add_argument("--cache", required=True, type=Path)
    options = parser.parse_args()
    status = find_server()
    if status is not None:
        return status
    seed = int(os.environ.get("KIN_TEST_SEED", "1"))
    print(f"KIN_TEST_SEED={seed}", flush=True)
    try:
        run(options, find_kubectl(options.cache), seed)
    except kubectls.NotThere as why:
        print(f"skipped: {why}")
        return SKIPPED
    except AssertionError as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
