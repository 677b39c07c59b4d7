# SPDX-License-Identifier: Apache-2.0
"""`kinform serve` for tests: a server that is gone when the test is, however that ends."""
import re
import subprocess
from pathlib import Path

from running import DEADLINE


class Server:
    """A server that is up, until close() or kill(); start() has it serve again, at the same port."""

    def __init__(self, program, kubeconfig, *arguments):
        self.kubeconfig = Path(kubeconfig)
        self.command = [program, "serve", "--until-eof", "--write-kubeconfig", str(kubeconfig),
                        *arguments]
        self.port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([*self.command, "--port", str(self.port)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("export KUBECONFIG="), f"the server did not start: {line!r}"
        self.url = re.search(r'server: "?([^"\s]+)', self.kubeconfig.read_text())[1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def close(self):
        """Ends it; its exit status."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        self.process.stdout.close()
        return status

    def kill(self):
        self.process.kill()
        self.close()
