# SPDX-License-Identifier: Apache-2.0
"""Children: contestants, servers, generators.

Each child leads a session and process group of its own. What is killed is that group and nothing
else, and always before its leader is reaped, while the number cannot belong to anybody else.
Output goes to unnamed files, so that no child ever blocks on a pipe that nobody reads.

An interrupt can come between the start of a child and the statement that would take care of it.
So interrupts are held back while a child is started or reaped, all live children are known here, and
kill_all() is what the program ends with.
"""
from __future__ import annotations

import os
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

OUTPUT_LIMIT = 16 << 20     # a contestant prints a few lines; more than this is a runaway
STOP_SECONDS = 10.0         # how long a server may take to stop once its stdin is closed
NOT_HERE = 77               # the exit status of a server that lacks a program; ctest skips by it, too
POLL_SECONDS = 0.1


_live: set[Child] = set()
_holding = False
_pending: type[BaseException] | None = None


def interrupt(kind: type[BaseException]) -> None:
    """For signal handlers: raise it now, or as soon as no child is half started or half reaped."""
    global _pending
    if not _holding:
        raise kind
    _pending = kind


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    global _holding, _pending
    outer, _holding = _holding, True
    try:
        yield
    finally:
        _holding = outer
        if _pending and not _holding:
            kind, _pending = _pending, None
            raise kind


def kill_all() -> None:
    """Nothing that was started here is left."""
    for child in list(_live):
        child.finish()


class ChildError(Exception):
    """A child that could not be started, failed, or had to be killed."""


class NotHere(Exception):
    """A server ended with NOT_HERE: what it needs is not on this machine."""


@dataclass(frozen=True)
class Usage:
    """What the kernel says a finished child has used."""
    wall: float
    user: float
    system: float
    peak_rss: int
    peak_rss_source: str    # wait4, sampled (a lower bound) or bound (an upper bound)

    @property
    def cpu(self) -> float:
        """User and system time together."""
        return self.user + self.system


@dataclass(frozen=True)
class Finished:
    """A child that has ended by itself with status 0, or whose end the caller wants to judge."""
    status: int
    stdout: str
    stderr: str
    usage: Usage


class Child:
    """A running child. As a context manager it is gone, group and all, when the block is left."""

    def __init__(self, argv: Sequence[str], cwd: Path | None = None, stdin_pipe: bool = False) -> None:
        self.argv = list(argv)
        self._out = tempfile.TemporaryFile()
        self._err = tempfile.TemporaryFile()
        self._sampled = 0
        self._finished: Finished | None = None
        self.started = time.monotonic()
        with _hold_interrupts():
            try:
                self._popen = subprocess.Popen(
                    self.argv, stdin=subprocess.PIPE if stdin_pipe else subprocess.DEVNULL,
                    stdout=self._out, stderr=self._err, cwd=cwd, start_new_session=True)
            except OSError as e:
                self._out.close()
                self._err.close()
                raise ChildError(f"cannot start {self.argv[0]}: {e.strerror}") from None
            # Not before: what was allocated up to the fork is part of the mark that it inherits.
            self._floor = _own_peak_rss()
            self.pid = self._popen.pid
            self._pidfd = os.pidfd_open(self.pid)
            _live.add(self)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def output(self) -> str:
        """Standard output so far; pread leaves the child's own file offset alone."""
        return os.pread(self._out.fileno(), OUTPUT_LIMIT, 0).decode("utf-8", "replace")

    def output_size(self) -> int:
        """Bytes on standard output and standard error so far."""
        return os.fstat(self._out.fileno()).st_size + os.fstat(self._err.fileno()).st_size

    def close_stdin(self) -> None:
        """End of file, which is how a server is told to stop."""
        if self._popen.stdin:
            self._popen.stdin.close()

    def has_ended(self, seconds: float) -> bool:
        """Wait up to so long for the child to end, noting its peak memory on the way."""
        ended = bool(select.select([self._pidfd], [], [], seconds)[0])
        if not ended:
            self._sampled = max(self._sampled, _peak_rss_of(self.pid))
        return ended

    def kill(self) -> None:
        """Kill the whole process group. Harmless once the child has ended."""
        if self._finished is None:
            with suppress(ProcessLookupError, PermissionError):     # nothing left, or not ours
                os.killpg(self.pid, signal.SIGKILL)

    def finish(self) -> Finished:
        """Kill what still runs of the group, reap the leader, and collect what it left."""
        with _hold_interrupts():
            if self._finished is None:
                self._finished = self._reap()
                _live.discard(self)
        return self._finished

    def _reap(self) -> Finished:
        self.kill()
        _, status, used = os.wait4(self.pid, 0)
        wall = time.monotonic() - self.started
        code = os.waitstatus_to_exitcode(status)
        self._popen.returncode = code       # it was not Popen that reaped it
        peak, source = self._peak(used.ru_maxrss * 1024)
        stderr = os.pread(self._err.fileno(), OUTPUT_LIMIT, 0).decode("utf-8", "replace")
        finished = Finished(code, self.output(), stderr,
                            Usage(wall, used.ru_utime, used.ru_stime, peak, source))
        self.close_stdin()
        os.close(self._pidfd)
        self._out.close()
        self._err.close()
        return finished

    def _peak(self, reported: int) -> tuple[int, str]:
        """The child's own peak memory.

        Linux carries the high-water mark over exec: before it, the child was a copy of this Python.
        A figure that is not above ours says nothing about the child, and what was sampled from
        /proc while it ran is closer to the truth.
        """
        if reported > self._floor:
            return reported, "wait4"
        return (self._sampled, "sampled") if self._sampled else (reported, "bound")


def run(argv: Sequence[str], timeout: float, cwd: Path | None = None) -> Finished:
    """Run to the end. ChildError if it cannot be started, fails, prints too much or hangs."""
    with Child(argv, cwd) as child:
        deadline = child.started + timeout
        while not child.has_ended(min(POLL_SECONDS, max(0.0, deadline - time.monotonic()))):
            if child.output_size() > OUTPUT_LIMIT:
                raise ChildError(f"printed more than {OUTPUT_LIMIT >> 20} MiB: killed")
            if time.monotonic() >= deadline:
                raise ChildError(f"took longer than {timeout:g} s: killed" + _tail(child.finish()))
        finished = child.finish()
    check(finished)
    return finished


def check(finished: Finished, what: str = "") -> None:
    """ChildError unless the child ended with status 0."""
    if finished.status:
        raise ChildError(f"{what}{_how(finished.status)}{_tail(finished)}")


def _how(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _tail(finished: Finished) -> str:
    """The last words on standard error: enough to see what was wrong."""
    lines = finished.stderr.strip().splitlines()[-5:]
    return ": " + " | ".join(line.strip()[:300] for line in lines) if lines else ""


# What a server says when it is ready. Files may have blanks in their names.
_PLACE = re.compile(r"listening (?P<url>\S+)(?: ca (?P<ca>.+?))?(?: kubeconfig (?P<kubeconfig>.+?))?"
                    r"(?: pid (?P<pid>[0-9]+))?")


class Server:
    """A server that says `listening URL [ca FILE] [kubeconfig FILE] [pid N]`, and stops at the end of its stdin.

    The process whose time and memory are the server's is the child, or that with the pid that it names.
    """

    def __init__(self, argv: Sequence[str], start_timeout: float, cwd: Path | None = None) -> None:
        self._child = Child(argv, cwd, stdin_pipe=True)
        try:
            place = self._read_place(start_timeout)
            self.url = place["url"]
            self.ca = place["ca"] or ""
            self.kubeconfig = place["kubeconfig"] or ""
            self._pid = int(place["pid"] or self._child.pid)
        except BaseException:
            self._child.finish()
            raise

    def _read_place(self, timeout: float) -> re.Match[str]:
        deadline = self._child.started + timeout
        while True:
            ended = self._child.has_ended(0.005)
            line, newline, _ = self._child.output().partition("\n")
            if newline:
                place = _PLACE.fullmatch(line.strip())
                if not place:
                    raise ChildError(f"server said {line[:200]!r} instead of 'listening URL'")
                return place
            if ended:
                finished = self._child.finish()
                if finished.status == NOT_HERE:
                    raise NotHere(_tail(finished).removeprefix(": ") or "the server is not here")
                raise ChildError("server ended before it listened: "
                                 f"{_how(finished.status)}{_tail(finished)}")
            if time.monotonic() >= deadline:
                raise ChildError(f"server did not say 'listening URL' within {timeout:g} s: killed")

    def cpu(self) -> float:
        """CPU seconds used so far."""
        return _cpu_of(self._pid)

    def forget_peak(self) -> None:
        """Let the peak memory begin anew. Of a process that is not ours to change it stays."""
        with suppress(OSError):
            Path(f"/proc/{self._pid}/clear_refs").write_text("5", encoding="ascii")

    def peak_rss(self) -> int:
        """The most memory so far."""
        return _peak_rss_of(self._pid)

    def stop(self) -> Usage:
        """Ask it to stop, wait, and insist if need be. ChildError if it did not end as it should."""
        early = self._child.has_ended(0)
        self._child.close_stdin()
        stopped = self._child.has_ended(STOP_SECONDS)
        finished = self._child.finish()
        if early:
            raise ChildError(f"server ended during the run: {_how(finished.status)}{_tail(finished)}")
        if not stopped:
            raise ChildError(f"server did not stop within {STOP_SECONDS:g} s: killed")
        check(finished, "server: ")
        return finished.usage

    def abandon(self) -> None:
        """Get rid of it at once, after an interrupt."""
        self._child.finish()


def _own_peak_rss() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _peak_rss_of(pid: int) -> int:
    """VmHWM of a live process; 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _cpu_of(pid: int) -> float:
    """User and system time of a live process, in seconds; 0 if it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()    # the name before it may hold anything
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
