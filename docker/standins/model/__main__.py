"""`python -m standins.model --config FILE`"""

from __future__ import annotations

from serving.port import bind
from serving.server import serve
from standins.config import standin_config
from standins.model.app import make_app

if __name__ == "__main__":
    config = standin_config("standins.model")
    serve(make_app(config), config, bind(config))
