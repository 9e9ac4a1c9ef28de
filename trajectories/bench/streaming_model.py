"""A model in a process of its own: `python streaming_model.py CHUNKS BYTES` streams so many events of so many bytes to every request; prints its port."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def events(chunks: int, size: int) -> list[bytes]:
    """The answer as HTTP chunks, usage in the last event but one."""
    delta = {"choices": [{"index": 0, "delta": {"content": "x" * max(1, size - 60)}}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 1_000, "completion_tokens": chunks}}
    said = [f"data: {json.dumps(each)}\n\n".encode() for each in [*[delta] * chunks, usage]]
    return [f"{len(each):x}\r\n".encode() + each + b"\r\n" for each in [*said, b"data: [DONE]\n\n"]]


async def main(chunks: int, size: int) -> None:
    made = events(chunks, size)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0] or 0))
                writer.write(HEAD)
                for each in made:
                    writer.write(each)
                    await writer.drain()
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 24, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
