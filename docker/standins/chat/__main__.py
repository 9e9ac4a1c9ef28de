"""`python -m standins.chat --config FILE`"""

from __future__ import annotations

from standins.chat.app import make_app
from standins.service import bind, read_config, secret_of, serve, url_of

if __name__ == "__main__":
    config = read_config()
    listener = bind(config)
    serve(make_app(config, url_of(config, listener), secret_of(config)), config, listener)
