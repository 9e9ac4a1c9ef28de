"""`python -m standins.chat --config FILE`"""

from __future__ import annotations

from serving.port import bind, url_of
from serving.server import serve
from standins.chat.app import make_app
from standins.config import secret_of, standin_config

if __name__ == "__main__":
    config = standin_config("standins.chat")
    listener = bind(config)
    serve(make_app(config, url_of(config, listener), secret_of(config)), config, listener)
