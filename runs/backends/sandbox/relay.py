"""Carries connections from a sandbox's loopback to the same ports of this machine's. Single-threaded, bounded, unbuffered."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

CHUNK = 1 << 16
MOST = 512  # connections at once; more are refused, not queued


class Relay:
    """Watches listeners that live in the sandbox. `turn(seconds)` does what is ready and returns."""

    def __init__(self, listeners: list[socket.socket]) -> None:
        self._select = selectors.DefaultSelector()
        self._open = 0
        for listener in listeners:
            listener.setblocking(False)
            self.watch(listener, partial(self._accept, listener))

    def watch(self, source: socket.socket, ready: Callable[[], Any]) -> None:
        """Call `ready` whenever the source can be read."""
        self._select.register(source, selectors.EVENT_READ, ready)

    def turn(self, seconds: float) -> None:
        """Wait at most so long, then serve what is ready."""
        for key, _ in self._select.select(seconds):
            try:
                key.data()
            except OSError:
                continue

    def _accept(self, listener: socket.socket) -> None:
        inner, _ = listener.accept()
        if self._open >= MOST:
            inner.close()
            return
        try:
            outer = socket.create_connection(listener.getsockname(), timeout=5)
        except OSError:
            inner.close()  # the service is away: the agent sees the connection end
            return
        self._open += 1
        pair = _Pair(self._select, inner, outer, self._closed)
        pair.arm()

    def _closed(self) -> None:
        self._open -= 1


class _Pair:
    """Two sockets and what is on its way between them: never more than one chunk in each direction."""

    def __init__(
        self, select: selectors.BaseSelector, inner: socket.socket, outer: socket.socket, closed: Callable[[], None]
    ) -> None:
        self._select, self._closed = select, closed
        self._sides = (inner, outer)
        self._waiting: list[bytes] = [b"", b""]  # to be sent to this side
        self._ended = [False, False]  # this side will send no more
        self._shut = [False, False]  # this side was told that the other will send no more
        for side in self._sides:
            side.setblocking(False)
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def arm(self) -> None:
        """Watch each side for what it may do next: read only when the other has taken the last chunk."""
        for n, side in enumerate(self._sides):
            other = 1 - n
            events = selectors.EVENT_WRITE if self._waiting[n] else 0
            events |= selectors.EVENT_READ if not self._ended[n] and not self._waiting[other] else 0
            known = side in self._select.get_map()
            if events and known:
                self._select.modify(side, events, partial(self._ready, n))
            elif events:
                self._select.register(side, events, partial(self._ready, n))
            elif known:
                self._select.unregister(side)

    def _ready(self, n: int) -> None:
        try:
            self._send(n)
            if not self._ended[n] and not self._waiting[1 - n]:
                self._receive(n)
        except BlockingIOError:
            pass
        except OSError:
            self._close()
            return
        for side in (0, 1):
            if self._ended[1 - side] and not self._waiting[side] and not self._shut[side]:
                self._shut[side] = True
                _quietly(self._sides[side].shutdown, socket.SHUT_WR)
        if all(self._shut):
            self._close()
        else:
            self.arm()

    def _send(self, n: int) -> None:
        if self._waiting[n]:
            self._waiting[n] = self._waiting[n][self._sides[n].send(self._waiting[n]) :]

    def _receive(self, n: int) -> None:
        data = self._sides[n].recv(CHUNK)
        self._ended[n] = not data
        self._waiting[1 - n] = data
        self._send(1 - n)

    def _close(self) -> None:
        for side in self._sides:
            if side in self._select.get_map():
                self._select.unregister(side)
            side.close()
        self._closed()


def _quietly(act: Callable[[int], None], how: int) -> None:
    try:
        act(how)
    except OSError:
        pass
