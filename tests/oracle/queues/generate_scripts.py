# SPDX-License-Identifier: Apache-2.0
"""Random scripts for stores and queues; README.md has the format.

A script is a list of lines: a head, then steps. A step whose outcome is known to differ from
client-go's carries the name of the difference and is the last of its script, so that the two sides
never walk apart.
"""

KEYS = ["a", "b", "c", "d", "e", "f", "ns/a", "ns/b"]
TAGS = ["x", "y", "z", "x+y", "y+x+z", "z+z", ""]
STEPS_MAX = 200  # in a script


def key_of(obj):
    """Of an object or a tombstone."""
    return obj.removeprefix("~").partition(":")[0]


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

    def batch_word(self):
        op = self.rng.choice("+*-")
        return op + (self.deleted() if op == "-" else self.object())

    def step_batch(self):
        self.populated = True
        return " ".join(["batch", *(self.batch_word() for _ in range(self.rng.randint(1, 6)))])

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

    def opening(self):
        """Steps to begin with."""
        return []

    def last(self, step, name):
        """A step that ends the script."""
        self.ended = True
        return f"{step} #{name}"

    def write(self, head, weights, length):
        lines = [" ".join(["script", head, *self.options]), *self.opening()]
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

    def batch_word(self):
        """Now and then a deletion that concerns nobody, and could not be transformed."""
        return "-nobody:1:!t" if self.rng.random() < 0.05 else super().batch_word()

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
    """Knows what is in line on both sides, to see where they are about to walk apart.

    client-go has a key in line twice if it was deleted and came again before its place was reached:
    the second place outlives the pop of the first and is used again. And the number of pops that
    it waits for does not shrink when another list does.
    """

    WEIGHTS = {"add": 12, "update": 12, "delete": 6, "replace": 5, "resync": 2, "pop": 30,
               "again": 6, "get": 3, "get-object": 2, "list": 3, "keys": 3, "close": 0.2,
               "closed": 0.5, "bad-put": 1, "bad-list": 0.3, "odd": 0.03}
    APART = 0.3  # how often the sides are let walk apart where they would

    def __init__(self, rng):
        super().__init__(rng)
        self.line = []  # client-go's, in which a key may be twice
        self.ours = []
        self.live = set()  # keys with an object
        self.unsynced = 0  # pops until the first list is through

    def opening(self):
        return [self.step_replace()] if self.rng.random() < 0.5 else []

    def any_object(self):
        """Nothing keeps a tombstone out."""
        return self.tombstone() if self.rng.random() < 0.05 else self.object()

    def orders(self):
        """Which keys will be popped, on each side."""
        return ([key for key in dict.fromkeys(self.line) if key in self.live],
                [key for key in self.ours if key in self.live])

    def enter(self, key):
        """A key gets an object; false if it was not to be, since the sides would walk apart."""
        if key in self.live:
            return True
        before = self.line[:], self.ours[:]
        self.line.append(key)
        if key not in self.ours:
            self.ours.append(key)
        self.live.add(key)
        theirs, ours = self.orders()
        if theirs == ours:
            return True
        if self.rng.random() >= self.APART:
            self.line, self.ours = before
            self.live.remove(key)
            return False
        same = next(i for i, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1])
        self.pending += ["pop ok"] * same
        self.pending.append(self.last("pop ok", "deleted-key-jumps"))
        return True

    def put(self, op, obj):
        return super().put(op, obj) if self.enter(key_of(obj)) else None

    def step_add(self):
        return self.put("add", self.any_object())

    def step_update(self):
        return self.put("update", self.any_object())

    def step_again(self):
        return self.put("again", self.any_object())

    def step_delete(self):
        obj = self.deleted()
        self.populated = True
        self.live.discard(key_of(obj))
        return f"delete {obj}"

    def step_replace(self):
        objects = self.objects(2 * len(self.keys))
        step = " ".join(["replace", *objects])
        keys = list(dict.fromkeys(map(key_of, objects)))
        if not self.populated:
            self.populated = True
            self.unsynced = len(keys)
        if len(keys) < self.unsynced:
            if self.rng.random() >= self.APART:
                return None
            if not keys:
                return self.last(step, "short-second-list")
            self.pending += ["pop ok"] * (len(keys) - 1)
            self.pending.append(self.last("pop ok", "short-second-list"))
        self.line, self.ours, self.live = keys[:], keys[:], set(keys)
        return step

    def take(self, line):
        """The first key of a line that has an object, and how many places were left behind."""
        n = 0
        while n < len(line) and line[n] not in self.live:
            n += 1
        key = line[n] if n < len(line) else None
        del line[:n + 1]
        return key, n + (key is not None)

    def step_pop(self):
        mode = self.choose(self.MODES)
        key, n = self.take(self.line)
        self.take(self.ours)
        self.unsynced = max(0, self.unsynced - n)
        self.live.discard(key)
        if key and mode.startswith("requeue") and not self.enter(key):
            mode = "fail"
        return f"pop {mode}"

    def step_bad_put(self):
        return f"{self.rng.choice(('add', 'update', 'delete', 'again'))} !k:1"

    def step_bad_list(self):
        return " ".join(["replace", *self.objects(2), "!k:1", *self.objects(2)])

    def step_odd(self):
        return self.last(f"replace {self.tombstone()}", "tombstone-in-list")


class OrderedFIFOWriter(QueueWriter):
    MODES = {"ok": 8, "fail": 1}
    WEIGHTS = {"add": 12, "update": 12, "delete": 12, "batch": 4, "replace": 6, "resync": 5,
               "bookmark": 4, "pop": 30, "pop-batch": 15, "length": 2, "store": 2, "close": 0.2,
               "closed": 0.5, "bad-put": 2, "bad-list": 1, "odd": 0.03}
    WIDE = 2500  # keys: more than two batches have

    def __init__(self, rng):
        super().__init__(rng)
        self.options = ["transform"] if rng.random() < 0.5 else []
        if rng.random() < 0.5:
            self.options += ["atomic"] + (["bookmarks"] if rng.random() < 0.8 else [])
        self.is_wide = "atomic" not in self.options and rng.random() < 0.015

    def opening(self):
        """Half of the scripts begin with a list, some with what does not count as put in before
        it. A few lists are more than a batch."""
        if not self.is_wide:
            before = [self.rng.choice((self.step_bookmark, self.step_resync))()
                      for _ in range(self.rng.choice((0, 0, 1, 2)))]
            return [*before, self.step_replace()] if self.rng.random() < 0.5 else []
        self.populated = True
        wide = [self.object(f"w{i}") for i in range(self.rng.randint(990, self.WIDE))]
        return [" ".join(["replace", "@1", *wide]), "pop-batch ok", "pop ok", "pop-batch ok",
                "resync", "pop-batch ok", "pop-batch ok", "length", "replace @2", "pop-batch ok"]

    def step_replace(self):
        self.populated = True
        return " ".join(["replace", f"@{self.rng.randint(1, 99)}",
                         *self.objects(2 * len(self.keys))])

    def step_bookmark(self):
        return f"bookmark @{self.rng.randint(1, 99)}"

    def step_pop_batch(self):
        return f"pop-batch {self.choose(self.MODES)}"

    def step_length(self):
        return "length"

    def bad_object(self):
        return self.object() + ":!t"

    def step_bad_put(self):
        """A key that cannot be made, or an object that cannot be transformed."""
        bad = "!k:1"
        op = self.rng.choice(("add", "update", "delete"))
        if "transform" in self.options and self.rng.random() < 0.6:
            bad = self.bad_object()
        step = f"{op} {bad}"
        if op == "delete" and bad != "!k:1":
            return self.last(step, "rejected-deletion")
        return step if self.populated else self.last(step, "failed-put-counts")

    def step_bad_list(self):
        """client-go sees a bad key before it begins if it spells the list out, and not at all if
        not; a bad object before it begins if not, and half-way if it does."""
        bad_key = "transform" not in self.options or self.rng.random() < 0.3
        apart = bad_key == ("atomic" in self.options)
        if apart and self.rng.random() < 0.9:
            return None
        bad = "!k:1" if bad_key else self.bad_object()
        step = " ".join(["replace", "@7", *self.objects(3), bad, *self.objects(3)])
        if not apart:
            return step
        if bad_key:
            return self.last(step, "bad-key-in-atomic-list")
        self.pending.append(self.last("length", "failed-list-stays-in-part"))
        return f"replace @7 {self.object()} {bad}"

    def step_odd(self):
        return self.last(f"replace @7 {self.tombstone()}", "tombstone-in-list")


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


class WorkQueueWriter(QueueWriter):
    WEIGHTS = {"add": 25, "add-after": 10, "add-limited": 10, "forget": 4, "requeues": 3, "get": 20,
               "done": 20, "done-all": 1, "len": 3, "advance": 12, "metrics": 2,
               "shutting-down": 0.5, "shut-down": 0.3, "odd": 0.1}
    LIMITERS = ("exponential", "fast-slow", "bucket", "max-wait", "max-of")
    MILLISECOND = 1000000

    def __init__(self, rng):
        super().__init__(rng)
        self.shut = False
        self.options = [rng.choice(self.LIMITERS)]

    def first_some_time(self, step):
        """client-go has no order for keys whose times are the same: no two are."""
        self.pending.append(step)
        return f"advance {self.rng.randint(1, self.MILLISECOND)}"

    def step_add(self):
        return f"add {self.key()}"

    def step_add_after(self):
        delay = self.rng.randint(-5, 60 * self.MILLISECOND)
        if self.rng.random() < 0.1:
            delay = self.rng.choice((0, -self.MILLISECOND))
        return self.first_some_time(f"add-after {self.key()} {delay}")

    def step_add_limited(self):
        return self.first_some_time(f"add-limited {self.key()}")

    def step_forget(self):
        return f"forget {self.key()}"

    def step_requeues(self):
        return f"requeues {self.key()}"

    def step_get(self):
        return "get"

    def step_done(self):
        return f"done {self.rng.randint(0, 7)}"

    def step_done_all(self):
        return "done-all"

    def step_len(self):
        return "len"

    def step_advance(self):
        most = self.rng.choice((10, 100, 1000, 20000)) * self.MILLISECOND
        return f"advance {self.rng.randint(0, most)}"

    def step_metrics(self):
        return "metrics"

    def step_shutting_down(self):
        return "shutting-down"

    def step_shut_down(self):
        self.shut = True
        return "shut-down"

    def step_odd(self):
        """Nothing is worked on, and something is queued."""
        if self.shut:
            return None
        self.pending += [f"add {self.key()}", self.last("drain", "drain-leaves-queued")]
        return "done-all"


WRITERS = {"delta-fifo": DeltaFIFOWriter, "store": StoreWriter, "fifo": FIFOWriter,
           "ordered-fifo": OrderedFIFOWriter, "work-queue": WorkQueueWriter}


def make_script(kind, rng):
    writer = WRITERS[kind](rng)
    return writer.write(kind, writer.WEIGHTS, rng.randint(5, STEPS_MAX))
