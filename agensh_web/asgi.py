"""HTTP and sockets on one ASGI application."""

from __future__ import annotations

import gc
import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agensh_web.settings")
http = get_asgi_application()  # loads the apps; the imports below need them

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

from agensh_web.warm import Warm  # noqa: E402
from trajectories import memory  # noqa: E402
from trajectories.routing import websocket_urlpatterns  # noqa: E402
from trajectories.swift import Swift  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": Swift(Warm(http)),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)

memory.frugal()

# What is loaded by now stays, and a batch of 500 items is some ten thousand small things that live for milliseconds: looking
# for garbage after every 700 of them, as Python does by itself, cost a tenth to a quarter of taking a batch in.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 20)
