"""`python -m standins.forge --config FILE`"""

from __future__ import annotations

from serving.port import bind, url_of
from serving.server import serve
from standins.config import secret_of, standin_config
from standins.forge.app import make_app

if __name__ == "__main__":
    config = standin_config("standins.forge")
    listener = bind(config)
    serve(make_app(config, url_of(config, listener), secret_of(config)), config, listener)
