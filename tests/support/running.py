# SPDX-License-Identifier: Apache-2.0
"""Programs that tests run: what they say, line by line, and how they end."""
import contextlib
import os
import queue
import re
import select
import signal
import socket
import subprocess
import threading
import time

DEADLINE = 120  # of anything that is waited for, in seconds


def let_signals_reach_programs():
    """
    A shell that starts us in the background may have us ignore SIGINT, and programs that we start would,
    too. Those begin with the default if we have a handler, and ours does nothing.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


let_signals_reach_programs()


@contextlib.contextmanager
def reserved_port():
    """A port for servers that come and go: while one is away, the kernel gives it to nobody else."""
    with socket.socket() as reserve:
        reserve.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserve.bind(("127.0.0.1", 0))
        yield str(reserve.getsockname()[1])


def wait_until(is_so, what):
    """For what nobody tells us: look again and again, with a breath between."""
    end = time.monotonic() + DEADLINE
    pause = threading.Event()
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"it took too long until {what}")
        pause.wait(0.005)


def read_until(descriptor, pattern):
    """The match, of all that is said there from now on."""
    seen = b""
    end = time.monotonic() + DEADLINE
    while not (found := re.search(pattern, seen)):
        if not select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError(f"no {pattern!r} in {seen!r}")
        seen += os.read(descriptor, 65536)
    return found


class Said:
    """What a program has said."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self):
        return f"exit status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def said_by(command, env, text=None):
    """What it says, with this as its input, and how it ends."""
    done = subprocess.run(command, env=env, input=text, stdin=None if text else subprocess.DEVNULL,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=DEADLINE)
    return Said(done.returncode, done.stdout, done.stderr)


class Running:
    """A program that runs. Threads read its lines, so that waiting for one has an end."""

    def __init__(self, command, env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE):
        self.process = subprocess.Popen(command, text=True, env=env, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=stderr)
        streams = {"out": self.process.stdout, "err": self.process.stderr}
        self.lines = {name: queue.Queue() for name, stream in streams.items() if stream}
        self.seen = {name: [] for name in self.lines}
        self.readers = [threading.Thread(target=self.read, args=(name, streams[name]), daemon=True)
                        for name in self.lines]
        for reader in self.readers:
            reader.start()

    def read(self, name, stream):
        for line in stream:
            self.lines[name].put(line.rstrip("\n"))
        self.lines[name].put(None)

    def wait_for(self, pattern, name="out"):
        """The match of the next line in which it is found."""
        end = time.monotonic() + DEADLINE
        while True:
            try:
                line = self.lines[name].get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line with {pattern!r} behind {self.seen}") from None
            if line is None:
                raise AssertionError(f"it ended without {pattern!r}: {self.seen}")
            self.seen[name].append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def signal(self, number):
        self.process.send_signal(number)

    def is_running(self):
        return self.process.poll() is None

    def wait(self):
        """Its exit status; all lines are in `seen` then."""
        status = self.process.wait(DEADLINE)
        for reader in self.readers:
            reader.join(DEADLINE)
        for name, lines in self.lines.items():
            while not lines.empty():
                line = lines.get()
                if line is not None:
                    self.seen[name].append(line)
        return status

    def close(self):
        if self.is_running():
            self.process.kill()
        self.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
