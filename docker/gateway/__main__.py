"""`python -m gateway --config FILE`: serve the gateway until SIGTERM."""

from __future__ import annotations

import sys

from gateway.app import App
from gateway.door import Door
from gateway.ledger import Ledger
from gateway.service import Service
from gateway.settings import BadSettings, Settings
from serving.config import read_config
from serving.port import bind
from serving.server import serve


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, open the ledger, serve."""
    config = read_config("gateway", argv, required=("data_dir", "tokens_file", "model"))
    try:
        settings = Settings.read(config)
    except BadSettings as fault:
        print(f"gateway: configuration: {fault}", file=sys.stderr)
        return 2
    ledger = Ledger(settings.data_dir / "gateway.db")
    service = Service(settings, ledger)
    try:
        serve(
            App(service, Door(settings.ingest_url) if settings.ingest_url else None),
            config,
            bind(config),
            stopping=service.close,
            lifespan="off",
            h11_max_incomplete_event_size=65_536,
        )
    finally:
        ledger.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
