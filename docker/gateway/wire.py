"""HTTP/1.1 to a model without a layer too many: one request, its head, its body as it comes. Connections are kept.

`httpx` does the same for four times the processor time of a request, which is what a gateway for a thousand workers has least of. The
parser is uvicorn's (`httptools`); errors are httpx's, so that either client may stand behind `upstream`. No proxies, no redirects.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

import httptools
import httpx

PIECE = 1 << 18
KEPT_S, KEPT = 30.0, 256  # connections at rest: how long, how many to one address


@dataclass(slots=True)
class _Line:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rested_at: float = 0.0

    @property
    def usable(self) -> bool:
        gone = self.writer.is_closing() or self.reader.at_eof()
        return not gone and time.monotonic() - self.rested_at < KEPT_S


class Client:
    """Asks models. `idle_s` = the longest silence in an answer, `connect_s` = the longest wait for a connection."""

    def __init__(self, idle_s: float, connect_s: float) -> None:
        self.idle_s, self.connect_s = idle_s, connect_s
        self._resting: dict[tuple[str, str, int], list[_Line]] = {}
        self._secure: ssl.SSLContext | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Response:
        """The answer, its body still to be read. Raises httpx.TransportError."""
        to = httpx.URL(url)
        place = (to.scheme, to.host, to.port or (443 if to.scheme == "https" else 80))
        line = self._rested(place) or await self._connect(place)
        lines = [f"POST {to.raw_path.decode('ascii')} HTTP/1.1", f"host: {to.netloc.decode('ascii')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode("latin-1")
        answer = Response(self, place, line)
        try:
            async with asyncio.timeout(self.idle_s):
                line.writer.write(head)
                line.writer.write(body)
                await line.writer.drain()
        except TimeoutError:
            await answer.aclose()
            raise httpx.WriteTimeout("the model does not take the request") from None
        except OSError:
            pass  # it may have answered before it had read all: what it said is still to be read
        except BaseException:
            await answer.aclose()
            raise
        try:
            await answer.read_head()
        except BaseException:
            await answer.aclose()
            raise
        return answer

    def _rested(self, place: tuple[str, str, int]) -> _Line | None:
        waiting = self._resting.get(place, [])
        while waiting:
            line = waiting.pop()
            if line.usable:
                return line
            line.writer.close()
        return None

    async def _connect(self, place: tuple[str, str, int]) -> _Line:
        scheme, host, port = place
        if scheme == "https" and self._secure is None:
            self._secure = httpx.create_ssl_context()
        try:
            async with asyncio.timeout(self.connect_s):
                pair = await asyncio.open_connection(
                    host, port, ssl=self._secure if scheme == "https" else None, limit=PIECE
                )
        except TimeoutError:
            raise httpx.ConnectTimeout("no connection in time") from None
        except (OSError, ssl.SSLError) as fault:
            raise httpx.ConnectError(str(fault) or type(fault).__name__) from None
        return _Line(*pair)

    def rest(self, place: tuple[str, str, int], line: _Line) -> None:
        """Keep a connection whose answer was read to its end."""
        waiting = self._resting.setdefault(place, [])
        if len(waiting) >= KEPT:
            waiting.pop(0).writer.close()
        line.rested_at = time.monotonic()
        waiting.append(line)

    async def aclose(self) -> None:
        """Let go of connections."""
        for waiting in self._resting.values():
            for line in waiting:
                line.writer.close()
        self._resting.clear()


@dataclass(slots=True)
class Response:
    """One answer. Header names are lower case; of a header said twice the last holds."""

    _client: Client
    _place: tuple[str, str, int]
    _line: _Line
    status_code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    _parser: httptools.HttpResponseParser = field(init=False)
    _pieces: list[bytes] = field(default_factory=list)
    _whole: bool = False
    _closed: bool = False

    def __post_init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)

    async def read_head(self) -> None:
        """Until the head is there. Raises httpx.TransportError."""
        while not self.status_code:
            await self._more()

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        """The body in the pieces in which it arrives. Raises httpx.TransportError."""
        while True:
            if self._pieces:
                piece = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
                self._pieces.clear()
                yield piece
            elif self._whole:
                return
            else:
                await self._more()

    async def aclose(self) -> None:
        """Done with it: a connection that is at the end of its answer is kept, any other closed."""
        if self._closed:
            return
        self._closed = True
        if self._whole and self._parser.should_keep_alive() and not self._line.reader.at_eof():
            self._client.rest(self._place, self._line)
        else:
            self._line.writer.close()

    async def _more(self) -> None:
        try:
            async with asyncio.timeout(self._client.idle_s):
                data = await self._line.reader.read(PIECE)
        except TimeoutError:
            raise httpx.ReadTimeout("the model was silent") from None
        except OSError as fault:
            raise httpx.ReadError(str(fault) or type(fault).__name__) from None
        if data:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserError as fault:
                raise httpx.RemoteProtocolError(str(fault)) from None
        elif self.status_code and not {"content-length", "transfer-encoding"} & self.headers.keys():
            self._whole = True  # its end is the connection's
        else:
            raise httpx.RemoteProtocolError("the connection was closed in the middle of an answer")

    def on_message_begin(self) -> None:
        """The parser's: a message begins; those before the last are interim (1xx)."""
        self.headers.clear()

    def on_header(self, name: bytes, value: bytes) -> None:
        """The parser's: one header."""
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The parser's: the head is over."""
        status = self._parser.get_status_code()
        self.status_code = status if status >= 200 else 0

    def on_body(self, piece: bytes) -> None:
        """The parser's: a stretch of the body."""
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        """The parser's: the message is over."""
        self._whole = self.status_code != 0
