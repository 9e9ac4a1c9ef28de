"""Behind a TLS proxy one setting says how people reach the app; the teams and the health check go on over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, django
from django.conf import settings
from django.test import Client
django.setup()
def ask(path, **more):
    answer = Client(headers={"host": "web:8000"}).get(path, **more)
    return [answer.status_code, answer.headers.get("Location", "")]
print(json.dumps({
    "page": ask("/sign-in"), "health": ask("/health/live"), "ingest": ask("/ingest/some-run/acp"),
    "hosts": settings.ALLOWED_HOSTS, "origins": settings.CSRF_TRUSTED_ORIGINS, "cookie": settings.SESSION_COOKIE_SECURE,
}))
"""


def test_https_is_for_people_and_http_goes_on_for_teams(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AGENSH_", "DATABASE_URL", "REDIS_URL"))
    }
    env |= {
        "AGENSH_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "agensh_web.settings",
        "AGENSH_ALLOWED_HOSTS": "web",
    }
    env |= {"AGENSH_PUBLIC_URL": "https://runs.example.org:8443/"}
    done = subprocess.run([sys.executable, "-c", ASK], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["page"] == [301, "https://web:8000/sign-in"]
    assert told["health"] == [200, ""]
    assert told["ingest"][0] not in {301, 302}, "a batch of a worker is not sent elsewhere"
    assert "runs.example.org" in told["hosts"] and told["cookie"] is True
    assert "https://runs.example.org:8443" in told["origins"]
