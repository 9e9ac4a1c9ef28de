"""The way from a worker's network to the app's ingest, where the app itself is not on it: paths of the ingest and nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping

import httpx

from gateway.answers import Answer, problem

PATH = re.compile(r"/ingest/[A-Za-z0-9_-]{1,80}/(acp|blobs/[0-9a-f]{64})")
METHODS = {"acp": "POST", "blobs": "PUT"}
PASSED_ON = ("authorization", "content-type", "content-encoding", "x-agensh-harness")
GIVEN_BACK = ("content-type", "retry-after")
TIMEOUT_S = 60


class Door:
    """Passes a worker's batches and blobs to the app at `url`. The worker's own token is what the app looks at."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._client = httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False, limits=httpx.Limits(max_connections=64))

    async def carry(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """The app's answer as it is; 502 where there is none: the worker keeps what it has and asks again."""
        found = PATH.fullmatch(path)
        if not found:
            return problem(404, f"{path[:100]} is no address of the ingest")
        if method != METHODS[found[1].split("/")[0]]:
            return problem(405, f"use {METHODS[found[1].split('/')[0]]}")
        passed = {name: headers[name] for name in PASSED_ON if name in headers}
        try:
            answer = await self._client.request(method, self._url + path, headers=passed, content=body)
        except httpx.HTTPError as fault:
            return problem(502, f"the app does not answer ({type(fault).__name__}); ask again")
        kept = {name: answer.headers[name] for name in GIVEN_BACK if name in answer.headers}
        return Answer(answer.status_code, answer.content, kept)
