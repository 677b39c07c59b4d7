# SPDX-License-Identifier: Apache-2.0
"""Programs at a terminal, for tests: a program writes to a pipe when it likes, to a terminal line by line."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from running import DEADLINE


class Typed:
    """A command that runs in a terminal of its own, until end()."""

    def __init__(self, command, **more):
        self.terminal, its_side = pty.openpty()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=its_side,
                                        stderr=its_side, start_new_session=True, **more)
        os.close(its_side)
        self.said = []  # the lines that were read
        self.end_at = 0  # of whoever reads
        self.lines = self.read_lines()

    def read_lines(self):
        text = b""
        while True:
            left = max(0, self.end_at - time.monotonic())
            assert select.select([self.terminal], [], [], left)[0], f"what was waited for did not follow {self.said[-10:]}"
            try:
                piece = os.read(self.terminal, 4096)
            except OSError:  # nobody has its other side any more
                return
            *lines, text = (text + piece).split(b"\n")
            for line in lines:
                self.said.append(line.decode().rstrip("\r"))
                yield self.said[-1]

    def wait_for(self, pattern):
        """The match of the next line that is like this."""
        self.end_at = time.monotonic() + DEADLINE
        for line in self.lines:
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"it never said /{pattern}/:\n" + "\n".join(self.said))

    def enter(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def interrupt(self):
        """Ctrl-C, which all in the terminal have."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self):
        """Its exit status, when it has said all."""
        self.end_at = time.monotonic() + DEADLINE
        for _ in self.lines:
            pass
        os.close(self.terminal)
        self.process.stdin.close()
        return self.process.wait(DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """It does not outlive a test that failed."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(DEADLINE)
