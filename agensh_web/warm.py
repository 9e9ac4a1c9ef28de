"""In front of Django: what is on the shelf is answered from there, and what Django says is heard (`shelf.py` says whose and how long)."""

from __future__ import annotations

from typing import Any

from agensh_web.shelf import PIECE, SHELF, Answer, Shelf, kept_until, once, place_of, timeline_of


class Warm:
    """An ASGI application in front of another."""

    def __init__(self, app: Any, shelf: Shelf = SHELF) -> None:
        self.app, self.shelf = app, shelf

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer from memory, or ask and listen."""
        headers = once(scope["headers"])
        person, path = headers.get(b"cookie", b""), timeline_of(scope["path"])
        if scope["method"] != "GET" or not path or not person or b"authorization" in headers:
            await self.app(scope, receive, send)
            return
        known = self.shelf.find(scope["path"], scope["query_string"], headers)
        if known is None:
            place = place_of(scope["path"], scope["query_string"], headers)
            await self.app(scope, receive, self._listening(send, path, person, place))
        elif known.held_by(headers):
            await send({"type": "http.response.start", "status": 304, "headers": known.unchanged})
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": known.headers})
            await send({"type": "http.response.body", "body": known.body})

    def _listening(self, send: Any, path: str, person: bytes, place: str) -> Any:
        """`send`, which also remembers who was let in and what never changes."""
        began: dict[str, Any] = {}
        parts: list[bytes] = []

        async def heard(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                began.update(message)
                if message["status"] in {200, 304}:
                    self.shelf.welcome(path, person)
                elif PIECE in place:
                    self.shelf.forget(f"{place.partition('?')[0]}?")
            elif began.get("status") == 200 and (until := kept_until(place, began["headers"])):
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    self.shelf.keep(place, Answer(list(began["headers"]), b"".join(parts), until))
            await send(message)

        return heard
