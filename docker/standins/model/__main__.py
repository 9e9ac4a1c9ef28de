"""`python -m standins.model --config FILE`"""

from __future__ import annotations

from standins.model.app import make_app
from standins.service import bind, read_config, serve


def main() -> None:
    config = read_config()
    serve(make_app(config), config, bind(config))


if __name__ == "__main__":
    main()
