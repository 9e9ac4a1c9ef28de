"""The web process of production, as `docker/compose.yaml` starts it: `python -m agensh_web.serve`, on port 8000 behind a proxy.

uvicorn's own command cannot name protocols of ours, so this says what it would say and them.
"""

from __future__ import annotations

import uvicorn

from agensh_web.shelf_http import ShelfHttp
from agensh_web.sockets import FrameSockets


def main() -> None:
    """Serve until stopped."""
    uvicorn.run(
        "agensh_web.asgi:application",
        host="0.0.0.0",  # noqa: S104  a container's only door
        port=8000,
        http=ShelfHttp,
        ws=FrameSockets,
        ws_per_message_deflate=False,
        proxy_headers=True,
        forwarded_allow_ips="*",
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=5,
    )


if __name__ == "__main__":
    main()
