"""uvicorn's HTTP protocol, which hands over by itself what is on the shelf: a head and bytes that were made once, in one write.

An ASGI application costs each answer a task, an event and a check of every header; for bytes that are only handed over that is more than half
of what they cost. Everything else is uvicorn's, and so is an answer on a connection that is still busy: `warm.py` gives it then.
"""

from __future__ import annotations

import logging
from typing import Any

from httptools import parse_url
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from agensh_web.shelf import SHELF, Answer, once

_WITH_BODY = (b"content-length", b"transfer-encoding", b"expect", b"upgrade")


class ShelfHttp(HttpToolsProtocol):
    """A connection that knows the shelf."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.answered = False  # of the request that is being read

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()  # one request may follow another in the same bytes
        self.answered = False

    def on_headers_complete(self) -> None:
        if self.url.startswith(b"/api/") and self._idle():
            headers = once(self.headers)
            address = parse_url(self.url)
            known = SHELF.find(address.path.decode("ascii"), address.query or b"", headers)
            if known is not None and not any(name in headers for name in _WITH_BODY):
                self.answered = True
                self._hand_over(known, headers)
                return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.answered:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self.answered:
            super().on_message_complete()
            return
        self.on_response_complete()  # counts it, and waits for the next as long as a connection is kept

    def _idle(self) -> bool:
        """Whether the answer to a GET may be written now: nothing is before it, and the connection takes bytes and is kept."""
        return (
            self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and (self.cycle is None or self.cycle.response_complete)
            and not self.flow.write_paused
            and not (self.access_log and self.access_logger.isEnabledFor(logging.INFO))  # uvicorn writes that line
            and self.limit_concurrency is None
            and not self.root_path
        )

    def _hand_over(self, known: Answer, headers: dict[bytes, bytes]) -> None:
        same = known.held_by(headers)
        status, lines = (304, known.lines[1]) if same else (200, known.lines[0])
        own = (b"%s: %s\r\n" % each for each in self.server_state.default_headers)
        self.transport.write(b"".join((STATUS_LINE[status], *own, lines)))
        if not same:
            self.transport.write(known.body)
