# SPDX-License-Identifier: Apache-2.0
"""Random scripts for stores and queues; README.md has the format.

A script is a list of lines: a head, then steps. A step whose outcome is known to differ from
client-go's carries the name of the difference and is the last of its script, so that the two sides
never walk apart.
"""

KEYS = ["a", "b", "c", "d", "e", "f", "ns/a", "ns/b"]
TAGS = ["x", "y", "z", "x+y", "y+x+z", "z+z", ""]
STEPS_MAX = 200  # in a script


class Writer:
    """Draws what all kinds need. Versions only grow, so that each object is known by its own."""

    def __init__(self, rng):
        self.rng = rng
        self.version = 0
        self.keys = KEYS[:rng.choice((1, 2, 4, 8))]
        self.with_tags = False

    def key(self):
        return self.rng.choice(self.keys)

    def object(self, key=None):
        self.version += 1
        text = f"{key or self.key()}:{self.version}"
        tags = self.rng.choice(TAGS) if self.with_tags else ""
        return f"{text}:{tags}" if tags else text

    def tombstone(self):
        return f"~{self.key()}" if self.rng.random() < 0.2 else f"~{self.object()}"

    def deleted(self):
        return self.tombstone() if self.rng.random() < 0.3 else self.object()

    def objects(self, most):
        """Some keys, in any order, now and then twice, or none."""
        if self.rng.random() < 0.1:
            return []
        return [self.object() for _ in range(self.rng.randint(1, most))]

    def delta(self):
        name = self.rng.choice(("Added", "Updated", "Replaced", "Sync", "Deleted"))
        return name, self.deleted() if name == "Deleted" else self.object()

    def choose(self, weights):
        return self.rng.choices(list(weights), weights=list(weights.values()))[0]


class QueueWriter(Writer):
    """What DeltaFIFO, FIFO and the ordered FIFO have in common."""

    MODES = {"ok": 12, "fail": 2, "requeue": 3, "requeue-fail": 1}

    def __init__(self, rng):
        super().__init__(rng)
        self.populated = False  # whether something was put in: see failed-put-counts
        self.options = []
        self.ended = False
        self.pending = []  # steps that have to follow

    def put(self, op, obj):
        self.populated = True
        return f"{op} {obj}"

    def step_add(self):
        return self.put("add", self.object())

    def step_update(self):
        return self.put("update", self.object())

    def step_delete(self):
        return self.put("delete", self.deleted())

    def step_resync(self):
        return "resync"

    def step_close(self):
        return "close"

    def step_pop(self):
        return f"pop {self.choose(self.MODES)}"

    def step_get(self):
        return f"get {self.key()}"

    def step_get_object(self):
        return f"get-object {self.rng.choice((self.object(), self.tombstone(), '!k:1'))}"

    def step_list(self):
        return "list"

    def step_keys(self):
        return "keys"

    def step_closed(self):
        return "closed"

    def step_store(self):
        return "store"

    def last(self, step, name):
        """A step that ends the script."""
        self.ended = True
        return f"{step} #{name}"

    def write(self, head, weights, length):
        lines = [" ".join(["script", head, *self.options])]
        while len(lines) <= length and not self.ended:
            name = self.choose(weights)
            step = getattr(self, "step_" + name.replace("-", "_"))()
            if step:
                lines.append(step)
            lines += self.pending
            self.pending = []
        return lines


class DeltaFIFOWriter(QueueWriter):
    WEIGHTS = {"add": 12, "update": 12, "delete": 12, "batch": 4, "replace": 6, "resync": 5,
               "pop": 30, "pop-batch": 6, "again": 5, "get": 3, "get-object": 2, "list": 2,
               "keys": 3, "key-of": 1, "key-of-deltas": 1, "store": 2, "close": 0.2, "closed": 0.5,
               "bad-put": 2, "bad-list": 1, "odd": 0.1}

    def __init__(self, rng):
        super().__init__(rng)
        self.options = [name for name in ("known", "replaced", "transform") if rng.random() < 0.6]

    def step_batch(self):
        self.populated = True
        return " ".join(["batch", *(self.rng.choice("+*-") + self.object()
                                    for _ in range(self.rng.randint(1, 6)))])

    def step_replace(self):
        self.populated = True
        return " ".join(["replace", *self.objects(2 * len(self.keys))])

    def step_pop_batch(self):
        return f"pop-batch {self.rng.randint(1, 6)} {self.choose(self.MODES)}"

    def step_again(self):
        if self.rng.random() < 0.05:
            return "again"
        self.populated = True
        key = self.key()
        deltas = []
        for _ in range(self.rng.randint(1, 4)):
            name, _ = self.delta()
            tomb = "~" if name == "Deleted" and self.rng.random() < 0.3 else ""
            deltas.append(f"{name}={tomb}{self.object(key)}")
        return " ".join(["again", *deltas])

    def step_key_of(self):
        return f"key-of {self.rng.choice((self.object(), self.tombstone(), '!k:1'))}"

    def step_key_of_deltas(self):
        deltas = [self.delta() for _ in range(self.rng.randint(0, 3))]
        return " ".join(["key-of-deltas", *(f"{name}={obj}" for name, obj in deltas)])

    def step_bad_put(self):
        """A key that cannot be made, or an object that cannot be transformed."""
        bad = "!k:1"
        op = self.rng.choice(("add", "update", "delete"))
        if "transform" in self.options and op != "delete" and self.rng.random() < 0.6:
            bad = self.object() + ":!t"
        if self.populated or op == "delete":
            return f"{op} {bad}"
        return self.last(f"{op} {bad}", "failed-put-counts")

    def step_bad_list(self):
        """Nothing comes before the bad one, or the script ends there."""
        bad = "!k:1"
        if "transform" in self.options and self.rng.random() < 0.6:
            bad = self.object() + ":!t"
        if self.rng.random() < 0.9:
            return " ".join(["replace", bad, *self.objects(3)])
        self.pending.append(self.last("keys", "failed-list-stays-in-part"))
        return f"replace {self.key()}-new:1 {bad}"

    def step_odd(self):
        if self.rng.random() < 0.5:
            return self.last(f"replace {self.tombstone()}", "tombstone-in-list")
        key = self.key()
        return self.last(f"again Added={self.object(key)} Added={self.object(key + '-other')}",
                         "deltas-of-two-keys")


class FIFOWriter(QueueWriter):
    """Follows both lines, so as to know where they part.

    client-go gives a key that was deleted and comes again a second place, and forgets neither: a
    key that comes a third time may be popped at the second place. Here it has one.
    """

    WEIGHTS = {"add": 12, "update": 12, "delete": 6, "replace": 5, "resync": 2, "pop": 30,
               "again": 6, "get": 3, "get-object": 2, "list": 3, "keys": 3, "close": 0.2,
               "closed": 0.5}

    def __init__(self, rng):
        super().__init__(rng)
        self.there = set()  # keys with an object
        self.theirs = []  # client-go's line of keys
        self.ours = []
        self.initial = 0  # of the first list, not popped yet

    def enter(self, key):
        if key not in self.there:
            self.theirs.append(key)
        if key not in self.ours:
            self.ours.append(key)
        self.there.add(key)

    def put(self, op, obj):
        key = obj.removeprefix("~").split(":")[0]
        if op == "delete":
            self.there.discard(key)
        else:
            self.enter(key)
        return super().put(op, obj)

    def step_replace(self):
        objects = self.objects(2 * len(self.keys))
        keys = list(dict.fromkeys(obj.split(":")[0] for obj in objects))
        step = " ".join(["replace", *objects])
        if not keys and self.initial:
            return self.last(step, "short-second-list")
        if len(keys) < self.initial:
            return None  # they part later, where nothing happens
        if not self.populated:
            self.initial = len(keys)
        self.populated = True
        self.there = set(keys)
        self.theirs = keys
        self.ours = keys[:]
        return step

    def pop_first(self, line):
        """The first key that has an object, and how many places were passed."""
        passed = 0
        while line:
            passed += 1
            key = line.pop(0)
            if key in self.there:
                return key, passed
        return None, passed

    def step_pop(self):
        if not self.there:
            # client-go would wait, and pass places that are empty; its program does not ask it to.
            return None if self.ours or self.theirs else super().step_pop()
        step = super().step_pop()
        (theirs, passed), (ours, _) = self.pop_first(self.theirs), self.pop_first(self.ours)
        if theirs != ours:
            return self.last(step, "deleted-key-jumps")
        self.initial = max(0, self.initial - passed)
        self.there.discard(theirs)
        if step.startswith("pop requeue"):
            self.enter(theirs)
        return step

    def step_again(self):
        return self.put("again", self.object())


class OrderedFIFOWriter(QueueWriter):
    MODES = {"ok": 8, "fail": 1}
    WEIGHTS = {"add": 12, "update": 12, "delete": 12, "replace": 6, "resync": 5, "bookmark": 4,
               "pop": 30, "pop-batch": 15, "store": 2, "close": 0.2}

    def __init__(self, rng):
        super().__init__(rng)
        self.options = ["transform"] if rng.random() < 0.5 else []
        if rng.random() < 0.5:
            self.options += ["atomic", "bookmarks"]

    def step_replace(self):
        self.populated = True
        return " ".join(["replace", f"@{self.rng.randint(1, 99)}",
                         *self.objects(2 * len(self.keys))])

    def step_bookmark(self):
        return f"bookmark @{self.rng.randint(1, 99)}"

    def step_pop_batch(self):
        return f"pop-batch {self.choose(self.MODES)}"


class StoreWriter(QueueWriter):
    WEIGHTS = {"add": 15, "update": 15, "delete": 12, "replace": 4, "bookmark": 2, "resync": 0.5,
               "transaction": 8, "add-indexes": 1, "get": 5, "get-object": 3, "list": 3, "keys": 3,
               "index": 6, "by-index": 8, "index-keys": 8, "index-values": 5, "index-names": 1,
               "bad-put": 2, "bad-list": 1, "odd": 0.1}
    INDEXES = ("tags", "more-tags", "prefix", "none")

    def __init__(self, rng):
        super().__init__(rng)
        self.with_tags = True
        self.options = [name for name in ("tags", "transform") if rng.random() < 0.6]

    def step_replace(self):
        return " ".join(["replace", f"@{self.rng.randint(1, 99)}",
                         *self.objects(2 * len(self.keys))])

    def step_bookmark(self):
        return f"bookmark @{self.rng.randint(1, 99)}"

    def step_transaction(self):
        if "transform" in self.options:
            return None
        writes = [self.rng.choice("+-") + (self.object() if self.rng.random() < 0.9 else "!k:1")
                  for _ in range(self.rng.randint(1, 6))]
        return " ".join(["transaction", *writes])

    def step_add_indexes(self):
        names = self.rng.sample(self.INDEXES[:3], self.rng.randint(1, 2))
        return " ".join(["add-indexes", *names])

    def index_name(self):
        return self.rng.choice(self.INDEXES)

    def step_index(self):
        obj = f"{self.key()}:1:!i" if self.rng.random() < 0.05 else self.object()
        return f"index {self.index_name()} {obj}"

    def step_by_index(self):
        return f"by-index {self.index_name()} {self.rng.choice('xyzabn')}"

    def step_index_keys(self):
        return f"index-keys {self.index_name()} {self.rng.choice('xyzabn')}"

    def step_index_values(self):
        return f"index-values {self.index_name()}"

    def step_index_names(self):
        return "index-names"

    def bad(self):
        if "transform" in self.options and self.rng.random() < 0.6:
            self.version += 1
            return f"{self.key()}:{self.version}:!t"
        return "!k:1"

    def step_bad_put(self):
        return f"{self.rng.choice(('add', 'update'))} {self.bad()}"

    def step_bad_list(self):
        return " ".join(["replace", "@7", *self.objects(3), self.bad(), *self.objects(3)])

    def step_odd(self):
        odd = self.rng.randrange(3)
        if odd == 0 and "tags" in self.options:
            self.version += 1
            return self.last(f"add {self.key()}:{self.version}:!i", "index-error")
        if odd == 1 and "transform" in self.options:
            return self.last(f"transaction +{self.object()} +{self.bad()}", "transaction-transforms")
        return self.last(self.rng.choice(("bookmark @", "replace @")), "empty-version")


WRITERS = {"delta-fifo": DeltaFIFOWriter, "store": StoreWriter, "fifo": FIFOWriter,
           "ordered-fifo": OrderedFIFOWriter}


def make_script(kind, rng):
    writer = WRITERS[kind](rng)
    return writer.write(kind, writer.WEIGHTS, rng.randint(5, STEPS_MAX))
