# SPDX-License-Identifier: Apache-2.0
"""What a line needs before it can run: programs, the Go peer, data sets.

Unavailable means that something is not there (and the line or contestant is skipped, aloud);
process.ChildError means that it is there and does not work, which is a failure.
"""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Sequence

from . import process
from .machine import available_memory
from .measures import ProtocolError, parse
from .suite import Command, Line

BUILD_SECONDS = 1800
DATA_SECONDS = 3600
Say = Callable[[str], None]


class Unavailable(Exception):
    """A program that this machine does not have."""


class Inputs:
    """Finds, builds and caches, each thing once per invocation."""

    def __init__(self, root: Path, build: Path, preset: str, say: Say) -> None:
        self.root, self.build, self.preset, self._say = root, build, preset, say
        self.bin = build / preset / "bin"
        self._peer: Path | Exception | None = None
        self._hashes: dict[Path, str] = {}

    def builtins(self, **more: str) -> dict[str, str]:
        """The values of the built-in variables."""
        return {"root": str(self.root), "bin": str(self.bin), "client_go": str(self.peer_path), **more}

    @property
    def peer_path(self) -> Path:
        """Where the Go peer is built to."""
        return self.build / "peers" / "client-go" / "kin-bench-client-go"

    def neutral(self, text: str) -> str:
        """The text without this machine's folders: tables and records are there to be shown."""
        folders = {"{root}": self.root}
        if not self.build.is_relative_to(self.root):
            folders["{build}"] = self.build
        for name, folder in folders.items():
            text = re.sub(re.escape(str(folder)) + r"(?![\w-])", name, text)
        return text

    def require(self, command: Command) -> None:
        """Unavailable, with the reason, unless the command's program can be executed."""
        if command.uses("client_go"):
            self._require_peer()
        argv = command.argv(self.builtins(data="", url="", ca="", kubeconfig=""))
        self._require_program(argv[0])
        if "--" in argv[:-1]:       # a program that is measured by another one
            self._require_program(argv[argv.index("--") + 1])

    def _require_program(self, program: str) -> None:
        if "/" not in program:
            if shutil.which(program) is None:
                raise Unavailable(f"there is no {program} here")
            return
        path = self.root / program
        if not (path.is_file() and os.access(path, os.X_OK)):
            hint = f" (build the {self.preset} preset)" if path.parent == self.bin else ""
            raise Unavailable(f"{program} is missing{hint}")

    def _require_peer(self) -> None:
        """Build the Go peer at first need; later needs get the same answer."""
        if self._peer is None:
            try:
                self._peer = self._build_peer()
            except (Unavailable, process.ChildError) as e:
                self._peer = e
        if isinstance(self._peer, Exception):
            raise self._peer

    def _build_peer(self) -> Path:
        target = self.peer_path
        source = self.root / "bench" / "peers" / "client-go"
        if shutil.which("go") is None:
            if not target.is_file():
                raise Unavailable("the Go peer needs Go to be built, and there is no go here")
            self._say(f"no go here: using {target} as it is")
            return target
        if not (source / "go.mod").is_file():
            raise Unavailable(f"the Go peer's source is missing ({source})")
        # Without the commit in it, so that the program changes only with its source.
        argv = ["go", "build", "-buildvcs=false", "-o", str(target), "."]
        self._say(f"building the Go peer in {source}: {' '.join(argv)}")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            process.run(argv, BUILD_SECONDS, source)
        except process.ChildError as e:
            raise process.ChildError(f"go build of the Go peer: {e}") from None
        return target

    def peer_version(self) -> str | None:
        """What the Go peer says it is made of, if it has been built."""
        if not isinstance(self._peer, Path):
            return None
        try:
            _, notes = parse(process.run([str(self._peer), "version"], 30).stdout)
        except (process.ChildError, ProtocolError):
            return None
        return "; ".join(notes) or None

    def data_set(self, line: Line) -> Path | None:
        """The line's data, made if it has not been, and not prepared."""
        if line.data is None:
            return None
        generator = self.bin / "kin-bench-pods"
        self._require_program(str(generator))
        words = Command(line.data).argv(self.builtins())
        folder = self.build / "bench-data" / _digest([*words, self._hash(generator)])
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder.with_suffix(".lock")):
            if not (folder / "manifest.json").is_file():
                self._generate(generator, words, folder)
                _settle(folder)
        return folder

    def _generate(self, generator: Path, words: Sequence[str], folder: Path) -> None:
        """Into another name first: what is under the real one is always whole."""
        self._say(f"making data: {generator.name} {' '.join(words)} -> {folder}")
        half = folder.with_suffix(".half")
        for rest in (half, folder):
            if rest.exists():
                shutil.rmtree(rest)
        half.mkdir()
        try:
            process.run([str(generator), *words, "--out", str(half)], DATA_SECONDS, self.root)
            if not (half / "manifest.json").is_file():
                raise process.ChildError("wrote no manifest.json")
            half.rename(folder)
        except process.ChildError as e:
            raise process.ChildError(f"{generator.name}: {e}") from None
        finally:
            shutil.rmtree(half, ignore_errors=True)

    def prepare(self, command: Command, folder: Path) -> None:
        """Once for this command and program; a mark in the data set remembers it."""
        self.require(command)
        with _lock(folder.with_suffix(".lock")):
            self._prepare(command, folder)

    def _prepare(self, command: Command, folder: Path) -> None:
        argv = command.argv(self.builtins(data=str(folder)))
        program = self.root / (argv[0] if "/" in argv[0] else shutil.which(argv[0]) or argv[0])
        mark = folder / f".prepared-{_digest([*command.words, self._hash(program)])}"
        if mark.is_file():
            return
        # What an older program or command made is about to be overwritten, perhaps in part.
        for older in folder.glob(".prepared-*"):
            older.unlink()
        self._say(f"preparing data: {' '.join(argv)}")
        try:
            process.run(argv, DATA_SECONDS, self.root)
        except process.ChildError as e:
            raise process.ChildError(f"prepare: {e}") from None
        mark.write_text(json.dumps(argv) + "\n", encoding="utf-8")
        _settle(folder)

    def _hash(self, file: Path) -> str:
        if file not in self._hashes:
            with open(file, "rb") as f:
                digest = hashlib.sha256()
                while block := f.read(1 << 20):
                    digest.update(block)
            self._hashes[file] = digest.hexdigest()
        return self._hashes[file]


def warm_cache(folder: Path) -> None:
    """Read a data set, so that a run does not measure the disk.

    Before each run: a contestant that takes much memory evicts what the next one is to read.
    Not if it would take more than half of the free memory: that would evict what it has just read.
    """
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    if sum(path.stat().st_size for path in files) > available_memory() / 2:
        return
    for path in files:
        with open(path, "rb", buffering=0) as f:
            while f.read(1 << 22):
                pass


def _settle(folder: Path) -> None:
    """Wait until new data is on the disk: its write-back must not run during the first round."""
    for path in folder.iterdir():
        if path.is_file():
            with open(path, "rb") as f:
                os.fsync(f.fileno())


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(words)).encode()).hexdigest()[:16]


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Two runners at the same time must not make the same data set."""
    with open(file, "w", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield
