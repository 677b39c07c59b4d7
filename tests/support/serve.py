# SPDX-License-Identifier: Apache-2.0
"""`kinform serve` for tests: a server that is gone when the test is, however that ends."""
import contextlib
import re
import subprocess
from pathlib import Path

from running import DEADLINE, reserved_port


class Server:
    """A server that is up, until end() or kill(); start() has it serve again, at the same port, until close()."""

    def __init__(self, program, kubeconfig, *arguments):
        self.kubeconfig = Path(kubeconfig)
        # Plain, unless it is about tokens: it is started again with the same kubeconfig.
        plain = () if "--token" in arguments else ("--plain",)
        self.command = [program, "serve", "--until-eof", "--write-kubeconfig", str(kubeconfig), *plain, *arguments]
        self.held = contextlib.ExitStack()
        self.port = int(self.held.enter_context(reserved_port()))
        self.start()

    def start(self):
        self.process = subprocess.Popen([*self.command, "--port", str(self.port)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("export KUBECONFIG="), f"the server did not start: {line!r}"
        self.url = re.search(r'server: "?([^"\s]+)', self.kubeconfig.read_text())[1]

    def end(self):
        """Its exit status. start() may follow."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        self.process.stdout.close()
        return status

    def kill(self):
        """The same, at once."""
        self.process.kill()
        self.end()

    def close(self):
        """Ends it for good; its exit status."""
        self.held.close()
        return self.end()
