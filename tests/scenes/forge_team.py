"""Three workers on a repository that the product's own bootstrap made ready, and a receiver of its webhooks."""

from __future__ import annotations

import http.server
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

from runs.bootstrap import forge as forges
from runs.bootstrap.accounts import ensure_accounts
from tests.docker.standins.team import ForgeTeam, until
from tests.scenes.forges import ADMIN, ForgePlace
from trajectories.sources import gitea

NAMES = ["w0001", "w0002", "w0003"]


class Receiver:
    """Takes webhooks as the app's door does: the signature is checked over the raw bytes. It can be away."""

    def __init__(self, secret: str) -> None:
        self.secret, self.heard = secret, list[tuple[str, bool]]()
        self.server = self._listen(0)
        self.port = self.server.server_address[1]

    def _listen(self, port: int) -> http.server.ThreadingHTTPServer:
        heard, secret = self.heard, self.secret

        class Door(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                heard.append((self.headers["X-Gitea-Event-Type"], gitea.verify(secret, body, dict(self.headers))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Door)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def leave(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def come_back(self) -> None:
        self.server = self._listen(self.port)


class SceneTeam(ForgeTeam):
    """`api["w0001"]` speaks for a worker with the rights a run gives it, `api["agensh"]` for the administrator."""

    def __init__(self, place: ForgePlace, owner: str, folder: Path) -> None:
        self.place, self.folder = place, folder / "clones"
        self.folder.mkdir()
        seed = folder / "seed"
        seed.mkdir()
        (seed / "README.md").write_text("calc\n")
        (seed / "core.txt").write_text("one\ntwo\nthree\n")
        self.forge, self.secrets = place.forge(owner), place.secrets(folder / "secrets")
        # Accounts are one forge's, not one repository's: every scene derives the same passwords.
        self.secrets.keep("seed", "scenes")
        self.receiver = Receiver(self.secrets.ensure("hook"))
        forges.ensure_repository(self.forge, self.secrets, seed)
        forges.ensure_hook(self.forge, self.secrets, f"http://127.0.0.1:{self.receiver.port}/hook")
        users = ensure_accounts(self.forge, self.secrets, NAMES)
        self.repo = self.forge.path
        self.roster = [{"gitea_login": name, "gitea_id": users[name]["id"]} for name in NAMES]
        self.tokens = {name: str(self.secrets.get(f"{name}.forge")) for name in NAMES}
        self.tokens[ADMIN] = str(self.secrets.get("forge_token"))
        self.api = {name: place.client(token) for name, token in self.tokens.items()}
        self.endpoints = {
            "forge": {
                "url": place.url,
                "owner": owner,
                "repo": "calc",
                "outbox": place.outbox,
                "admin_token": {"token_file": str(self.secrets.path("forge_token"))},
                "sweep_s": 0.5,
                "conflict_s": 1,
            }
        }

    def settled(self) -> None:
        """What a push and a merge tell may come late, as it does to a run."""

    def commit(self, name: str, branch: str, files: dict[str, str], title: str, *, push: bool = True) -> str:
        sha = super().commit(name, branch, files, title, push=push)
        if push:
            # On a busy machine Gitea knows a branch a moment after git has taken it.
            until(lambda: self._head(branch), sha, within_s=90)
        return sha

    def _head(self, branch: str) -> str:
        answer = self.api[ADMIN].get(f"{self.repo}/branches/{quote(branch, safe='')}")
        return str(answer.json()["commit"]["id"]) if answer.is_success else ""

    def remote(self, name: str) -> str:
        return self.forge.clone_url.replace("://", f"://{name}:{self.tokens[name]}@")

    def close(self) -> None:
        self.receiver.leave()
        for client in self.api.values():
            client.close()
