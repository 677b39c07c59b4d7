# SPDX-License-Identifier: Apache-2.0
"""A network between a client and a server that can be cut: bytes pass, or nobody is there."""
import contextlib
import socket
import threading


def pump(source, target):
    """All that comes, until one of them ends."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Gate:
    """A port of loopback that leads to another one."""

    def __init__(self, port):
        self.target = ("127.0.0.1", port)
        self.lock = threading.Lock()
        self.ends = set()  # (lock)
        # Bound as long as this lives: nobody else gets the port while nobody listens on it.
        self.held = socket.socket()
        self.held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.held.bind(("127.0.0.1", 0))
        self.port = self.held.getsockname()[1]
        self.listener = None
        self.open()

    def accept(self, listener):
        while True:
            try:
                near = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.connect, args=(listener, near), daemon=True).start()

    def connect(self, listener, near):
        with near, contextlib.suppress(OSError), socket.create_connection(self.target) as far:
            with self.lock:
                if listener is not self.listener:
                    return
                self.ends |= {near, far}
            back = threading.Thread(target=pump, args=(far, near), daemon=True)
            back.start()
            pump(near, far)
            back.join()
            with self.lock:
                self.ends -= {near, far}

    def shut(self):
        """Connections break off, and new ones are refused."""
        with self.lock:
            # A thread that waits in accept() would keep it open.
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            self.listener = None
            for end in self.ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def open(self):
        listener = socket.create_server(("127.0.0.1", self.port), backlog=128, reuse_port=True)
        with self.lock:
            self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def close(self):
        self.shut()
        self.held.close()
