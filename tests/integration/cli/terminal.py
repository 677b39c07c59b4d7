# SPDX-License-Identifier: Apache-2.0
"""Terminals for tests: tmux."""
import os
import select
import shlex
import shutil
import subprocess
import sys
import time

from command import DEADLINE, SKIPPED, environment, is_strict


def need_tmux():
    """Without it the test ends here."""
    if shutil.which("tmux") is None:
        print("skipped: there is no tmux", file=sys.stderr)
        sys.exit(1 if is_strict() else SKIPPED)


class Terminal:
    """
    A terminal in which one command runs, and what is on its screen. All output also comes through a
    pipe, so that the screen is looked at when there is something new on it.
    """

    def __init__(self, folder, line, columns=100, rows=30, **changes):
        self.socket = str(folder / f"tmux{time.monotonic_ns()}")
        pipe = f"{self.socket}.pipe"
        os.mkfifo(pipe)
        # Ctrl-C reaches the shell, too, which stays to tell how the command has ended.
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  f"trap : INT; read -r _; {line}; status=$?; echo; echo ended with $status.; read -r _", **changes)
        self.tmux("pipe-pane", f"cat > {shlex.quote(pipe)}")
        self.output = os.open(pipe, os.O_RDONLY)
        self.received = ""  # of the pipe, as far as it was waited for
        self.press("Enter")

    def tmux(self, *arguments, **changes):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], text=True,
                              env=environment(TERM="xterm-256color", **changes),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        return done.stdout

    def screen(self):
        """With colours as escape sequences."""
        return self.tmux("capture-pane", "-p", "-e")

    def lines(self):
        """Without colours."""
        return self.tmux("capture-pane", "-p").split("\n")

    def wait_for(self, text):
        """The screen with it."""
        return self.wait_until(lambda screen: text in screen, f"{text!r} on it")

    def wait_until(self, is_wanted, what):
        """The first screen of which it is true."""
        end = time.monotonic() + DEADLINE
        while True:
            screen = self.screen()
            if is_wanted(screen):
                return screen
            ready, _, _ = select.select([self.output], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self.output, 65536) if ready else b""
            self.received += data.decode(errors="replace")
            if not data:
                raise AssertionError(f"no screen with {what}:\n{screen}")

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def ask(self, name):
        """A variable of tmux: alternate_on, cursor_flag."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def close(self):
        self.tmux("kill-server")
        os.close(self.output)
