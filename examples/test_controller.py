#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Deployment controller at work on an API server: what it makes, keeps, repairs and deletes.

    test_controller.py KINFORM KINFORM-CONTROLLER

Nothing here sleeps: each step waits for what a watch tells.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

import serve

APPS = "/apis/apps/v1/namespaces/default/"
TIMEOUT = 120


class Server(serve.Server):
    def ask(self, method, path, body=None, content="application/json"):
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Content-Type": content},
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)

    def patch(self, path, body):
        return self.ask("PATCH", path, body, "application/merge-patch+json")

    def wait(self, path, what, condition):
        """The object of a path, once it is as it should be; None once it is gone, if that is."""
        folder, name = path.rsplit("/", 1)
        items = self.ask("GET", folder)
        version = items["metadata"]["resourceVersion"]
        found = next((i for i in items["items"] if i["metadata"]["name"] == name), None)
        if condition(found):
            return found
        query = f"?watch=1&resourceVersion={version}&fieldSelector=metadata.name%3D{name}"
        with urllib.request.urlopen(self.url + folder + query, timeout=TIMEOUT) as events:
            for line in events:
                event = json.loads(line)
                found = None if event["type"] == "DELETED" else event["object"]
                if condition(found):
                    return found
        raise SystemExit(f"{what}: never")


class Controller:
    """The program, and what it has said so far. A thread reads that, so that waiting for a line has an end."""

    def __init__(self, program, kubeconfig):
        self.process = subprocess.Popen([program], env={**os.environ, "KUBECONFIG": kubeconfig}, text=True,
                                        stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = ""
        self.has_ended = False
        self.news = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.wait_for("running; press Enter\n")

    def read(self):
        for line in self.process.stderr:
            with self.news:
                self.text += line
                self.news.notify_all()
        with self.news:
            self.has_ended = True
            self.news.notify_all()

    def wait_for(self, words):
        with self.news:
            self.news.wait_for(lambda: words in self.text or self.has_ended, TIMEOUT)
            if words not in self.text:
                raise SystemExit(f"no {words!r} in {self.text!r}")

    def stop(self):
        """All that it has said."""
        self.process.stdin.write("\n")
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT)
        self.reader.join(TIMEOUT)
        if status != 0:
            raise SystemExit(f"it ended with {status}: {self.text}")
        return self.text


def deployment(name, replicas, image):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [{"name": "main", "image": image}]}}}}


def image_of(item):
    return item["spec"]["template"]["spec"]["containers"][0]["image"]


def creates_and_owns(server, _):
    made = server.ask("POST", APPS + "deployments", deployment("web", 3, "web:1"))
    item = server.wait(APPS + "replicasets/web", "a ReplicaSet", bool)
    assert item["spec"]["replicas"] == 3 and image_of(item) == "web:1", item
    assert item["spec"]["selector"] == made["spec"]["selector"], item
    (owner,) = item["metadata"]["ownerReferences"]
    assert owner["uid"] == made["metadata"]["uid"] and owner["controller"] is True, owner
    assert (owner["kind"], owner["name"]) == ("Deployment", "web"), owner


def follows(server, _):
    server.patch(APPS + "deployments/web", {"spec": {"replicas": 5}})
    server.wait(APPS + "replicasets/web", "5 replicas", lambda i: i["spec"]["replicas"] == 5)
    new = deployment("web", 5, "web:2")["spec"]["template"]
    server.patch(APPS + "deployments/web", {"spec": {"template": new}})
    server.wait(APPS + "replicasets/web", "web:2", lambda i: image_of(i) == "web:2")


def keeps_status(server, _):
    server.patch(APPS + "replicasets/web/status", {"status": {"replicas": 4}})
    item = server.wait(APPS + "deployments/web", "a status",
                       lambda i: i.get("status", {}).get("replicas") == 4)
    server.wait(APPS + "deployments/web", "the generation", lambda i:
                i["status"].get("observedGeneration") == item["metadata"]["generation"])


def repairs(server, _):
    server.patch(APPS + "replicasets/web", {"spec": {"replicas": 1}})
    server.wait(APPS + "replicasets/web", "repaired", lambda i: i["spec"]["replicas"] == 5)
    old = server.ask("GET", APPS + "replicasets/web")["metadata"]["uid"]
    server.ask("DELETE", APPS + "replicasets/web")
    server.wait(APPS + "replicasets/web", "made again",
                lambda i: i is not None and i["metadata"]["uid"] != old)


def tries_again(server, _):
    """Somebody else was faster, and the server was out of sorts."""
    for status in (409, 503):
        server.ask("POST", "/_kinform/faults", {"type": "Status", "status": status, "verb": "update",
                                                "path": "*/replicasets/web"})
        server.patch(APPS + "deployments/web", {"spec": {"replicas": status}})
        server.wait(APPS + "replicasets/web", "tried again", lambda i: i["spec"]["replicas"] == status)
    server.patch(APPS + "deployments/web", {"spec": {"replicas": 5}})
    server.wait(APPS + "replicasets/web", "5 again", lambda i: i["spec"]["replicas"] == 5)


def is_done(server, name):
    server.wait(APPS + f"deployments/{name}", f"the status of {name}",
                lambda i: "observedGeneration" in i.get("status", {}))


def leaves_others_alone(server, run):
    other = deployment("taken", 7, "other:1")
    other["kind"] = "ReplicaSet"
    before = server.ask("POST", APPS + "replicasets", other)
    server.ask("POST", APPS + "deployments", deployment("taken", 2, "mine:1"))
    run.wait_for("taken is not ours")
    # It holds up nobody.
    server.ask("POST", APPS + "deployments", deployment("behind", 1, "mine:1"))
    server.wait(APPS + "replicasets/behind", "the next one", bool)
    assert server.ask("GET", APPS + "replicasets/taken") == before
    # And once there is room, it is tried again, although nobody tells it that.
    server.ask("DELETE", APPS + "replicasets/taken")
    item = server.wait(APPS + "replicasets/taken", "its own", lambda i: i and "ownerReferences" in i["metadata"])
    assert item["spec"]["replicas"] == 2, item
    for name in ("taken", "behind"):
        is_done(server, name)


def deletes(server, _):
    server.ask("DELETE", APPS + "deployments/web")
    server.wait(APPS + "replicasets/web", "gone", lambda i: i is None)


def versions(server):
    items = [i for kind in ("deployments", "replicasets") for i in server.ask("GET", APPS + kind)["items"]]
    return {(i["metadata"]["uid"], i["metadata"]["resourceVersion"]) for i in items}


def begins_where_it_ended(server, program, kubeconfig):
    """What happened while it was away is made good, and what is as it should be is not written."""
    before = versions(server)
    server.ask("POST", APPS + "deployments", deployment("late", 1, "late:1"))
    run = Controller(program, kubeconfig)
    is_done(server, "late")
    run.stop()
    assert before <= versions(server), "something was written that was as it should be"


def main(kinform, controller):
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = str(Path(folder) / "kubeconfig")
        server = Server(kinform, kubeconfig, "--control")
        try:
            run = Controller(controller, kubeconfig)
            for step in (creates_and_owns, follows, keeps_status, repairs, tries_again, leaves_others_alone, deletes):
                step(server, run)
                print(step.__name__, flush=True)
            text = run.stop()
            assert re.search(r"tried again.*default/web.*(modified|conflict)", text, re.I), text
            begins_where_it_ended(server, controller, kubeconfig)
        finally:
            status = server.close()
    if status != 0:
        raise SystemExit(f"the server ended with {status}")
    print("all is as it should be")


if __name__ == "__main__":
    main(*sys.argv[1:])
