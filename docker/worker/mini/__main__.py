"""`python -m worker.mini`: the agent on stdin and stdout, until stdin closes."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys

from worker.mini.settings import BadSettings, Settings


def main() -> int:
    """Read the environment and serve."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        settings = Settings.read()
    except BadSettings as error:
        print(f"mini: {error}", file=sys.stderr)
        return 2
    import acp

    from worker.mini.agent import Mini

    async def serve() -> None:
        serving = asyncio.create_task(acp.run_agent(Mini(settings)))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
        try:
            await serving
        except asyncio.CancelledError:
            pass

    asyncio.run(serve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
