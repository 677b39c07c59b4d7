# SPDX-License-Identifier: Apache-2.0
"""The machine: what it is, and how busy the rest of it was meanwhile."""
from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Sequence

DISTURBED_CORES = 0.3
# /proc/stat counts in ticks of 10 ms on each core: less than this is not a finding in a short run.
_LEAST_SECONDS = 0.03


def busy_seconds() -> float:
    """CPU seconds the whole machine has spent on processes since it was started.

    Interrupt time is left out: with a server on the loopback it is our own traffic. Stolen time is
    in, for a neighbour on the same host disturbs like one on the same kernel.
    """
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(field) for field in stat.readline().split()[1:]]
    user, nice, system = fields[:3]
    steal = fields[7] if len(fields) > 7 else 0
    return (user + nice + system + steal) / os.sysconf("SC_CLK_TCK")


class Meter:
    """How many cores everything that is not ours used, from construction to others()."""

    def __init__(self) -> None:
        self._own = time.process_time()
        self._began = time.monotonic()
        self._busy = busy_seconds()

    def others(self, children_cpu: float) -> tuple[float, bool]:
        """(cores, disturbed); children_cpu is what our children used in the same span."""
        busy = busy_seconds() - self._busy
        wall = max(time.monotonic() - self._began, 1e-9)
        return judge(busy - children_cpu - (time.process_time() - self._own), wall)


def judge(seconds: float, wall: float) -> tuple[float, bool]:
    """Cores used by others, and whether that is too many."""
    cores = max(0.0, seconds) / wall
    return cores, cores > DISTURBED_CORES and seconds > _LEAST_SECONDS


def environment(root: Path, build: Path, preset: str) -> dict[str, Any]:
    """Everything about this place that a figure could depend on."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "cores_usable": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "load": list(os.getloadavg()),
        "kernel": f"{platform.system()} {_version(platform.release())}",
        "machine": platform.machine(),
        "preset": preset,
        **_compiler(build / preset / "CMakeCache.txt"),
        "python": platform.python_version(),
        "go": _first_line(["go", "version"]),
        "git_commit": _first_line(["git", "-C", str(root), "rev-parse", "HEAD"]),
        "git_dirty": _dirty(root),
        "go_settings": {k: os.environ[k] for k in ("GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GODEBUG")
                        if k in os.environ},
    }


def available_memory() -> int:
    """Bytes that can be had without swapping; the page cache counts, since it can be dropped."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", _read("/proc/meminfo") or "", re.MULTILINE)
    return int(found.group(1)) * 1024 if found else 0


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _version(release: str) -> str:
    """Major and minor number of a kernel. The rest tells whose kernel and host it is."""
    found = re.match(r"\d+\.\d+", release)
    return found.group() if found else ""


def _cpu_model() -> str:
    found = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$",
                      _read("/proc/cpuinfo") or "", re.MULTILINE)
    return found.group(1).strip() if found else platform.machine()


def _first_line(argv: Sequence[str]) -> str | None:
    """What a program says first; None if it is missing or fails."""
    if shutil.which(argv[0]) is None:
        return None
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=True,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0].strip() or None


def _dirty(root: Path) -> bool | None:
    """Are there changes that no commit has? None where there is no git."""
    try:
        done = subprocess.run(["git", "-C", str(root), "status", "--porcelain"], check=True, timeout=60,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return bool(done.stdout.strip())


def _compiler(cache_file: Path) -> dict[str, str | None]:
    """The compiler and flags that the preset was built with, as CMake remembers them."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", _read(str(cache_file)) or "", re.MULTILINE))
    build_type = cache.get("CMAKE_BUILD_TYPE", "")
    flags = " ".join(filter(None, (cache.get("CMAKE_C_FLAGS"),
                                   cache.get(f"CMAKE_C_FLAGS_{build_type.upper()}"))))
    compiler = cache.get("CMAKE_C_COMPILER")
    return {"compiler": _first_line([compiler, "--version"]) if compiler else None,
            "build_type": build_type or None, "c_flags": flags or None}
