# SPDX-License-Identifier: Apache-2.0
"""Programs with informers, seen from outside: what handlers were told, and what caches have.

A program is tests/e2e/informer_side.c, or its counterpart with client-go's informers. Its events
are replayed as they come; whoever waits for a state is woken by events.
"""
import json
import subprocess
import threading
import time

from running import DEADLINE


class Wrong(AssertionError):
    """Something is not as it must be."""


def key_of(thing):
    meta = thing["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else meta["name"]


def version_of(thing):
    return thing["metadata"]["resourceVersion"]


def without_padding(members):
    """
    Faults make objects larger by this member. A client that takes them has it until the object
    comes again, and nothing tells it to ask.
    """
    members.pop("kinformPadding", None)
    return members


def differences(expected, actual):
    """What differs between two states, by key; "" if nothing does."""
    said = []
    for key in sorted(expected.keys() | actual.keys()):
        if key not in actual:
            said.append(f"{key} is missing")
        elif key not in expected:
            said.append(f"{key} should not be there")
        elif expected[key] != actual[key]:
            said.append(f"{key} is {actual[key]}, not {expected[key]}")
    return "; ".join(said[:3])[:2000]


class Replica:
    """
    What the events of one handler add up to. client-go tells deletions of objects that it never
    told of, such as those that a server sends twice: it is not held to that.
    """

    def __init__(self, name, is_strict):
        self.name = name
        self.is_strict = is_strict
        self.state = {}
        self.count = {"add": 0, "update": 0, "delete": 0, "tombstone": 0}
        self.wrong = None

    def say(self, text):
        if self.wrong is None:
            self.wrong = f"{self.name}: {text}"

    def check_update(self, key, event):
        known = version_of(self.state[key])
        if event["old"] != known:
            self.say(f"{key} is updated from {event['old']}, but was told as {known}")
        if int(version_of(event["object"])) < int(known):
            self.say(f"{key} goes back from {known} to {version_of(event['object'])}")

    def replay(self, event):
        what, key = event["event"], event["key"]
        self.count[what] += 1
        self.count["tombstone"] += bool(event.get("tombstone"))
        if event["object"] is None or key_of(event["object"]) != key:
            self.say(f"{what} of {key} has another object: {event['object']}")
        elif what == "add" and key in self.state:
            self.say(f"{key} is added twice")
        elif what != "add" and key not in self.state:
            if self.is_strict or what == "update":
                self.say(f"{what} of {key}, which was never added")
        elif what == "update":
            self.check_update(key, event)
        if what == "delete":
            self.state.pop(key, None)
        else:
            self.state[key] = event["object"]


class Side:
    """A program with informers. Its lines are read by a thread."""

    def __init__(self, title, command, environment=None, is_strict=True):
        self.title = title
        self.is_strict = is_strict
        self.replicas = {}
        self.answers = []
        self.done = []
        self.ended = False
        self.news = threading.Condition()
        self.process = subprocess.Popen(command, text=True, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for text in self.process.stdout:
            line = json.loads(text, object_hook=without_padding)
            with self.news:
                if "event" in line:
                    self.replica(line["informer"]).replay(line)
                elif "done" in line:
                    self.done.append(line["done"])
                else:
                    self.answers.append(line)
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def replica(self, name):
        return self.replicas.setdefault(name, Replica(f"{self.title} {name}", self.is_strict))

    def wait(self, holds, seconds=DEADLINE):
        """Until it holds, or the time is over; whether it does."""
        end = time.monotonic() + seconds
        with self.news:
            while not holds():
                if self.ended:
                    raise Wrong(f"{self.title} has ended: {self.process.wait(DEADLINE)}")
                if not self.news.wait(max(0.0, end - time.monotonic())) and \
                        time.monotonic() >= end:
                    return holds()
            return True

    def order(self, what):
        """What it answers."""
        with self.news:
            self.answers, self.done = [], []
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        if not self.wait(lambda: what in self.done):
            raise Wrong(f"{self.title} does not answer to {what}")
        return self.answers

    def caches(self, names, which="dump"):
        """What each cache has, by key."""
        found = {name: {} for name in names}
        for line in self.order(which):
            found[line["informer"]][key_of(line["cached"])] = line["cached"]
        return found

    def statuses(self):
        return {line["informer"]: line for line in self.order("status")}

    def check_streams(self):
        with self.news:
            for replica in self.replicas.values():
                if replica.wrong:
                    raise Wrong(replica.wrong)

    def await_replica(self, name, expected, seconds=DEADLINE):
        """Until what its handler was told leads to this state; "" or what differs."""
        with self.news:
            replica = self.replica(name)
        self.wait(lambda: replica.state == expected, seconds)
        with self.news:
            return differences(expected, replica.state)

    def summary(self):
        total = {}
        with self.news:
            for replica in self.replicas.values():
                for what, n in replica.count.items():
                    total[what] = total.get(what, 0) + n
        return f"{self.title}: " + ", ".join(f"{n} {what}s" for what, n in total.items())

    def close(self):
        """It ends well."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
        self.process.stdout.close()
        if status != 0:
            raise Wrong(f"{self.title} ended with {status}")

    def kill(self):
        """For the case that something else has failed."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
