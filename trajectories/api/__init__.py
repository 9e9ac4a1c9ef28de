"""HTTP API of trajectories: State, changes, events, timeline, evidence, bundle, feeds."""

from __future__ import annotations

from ninja import Router

from runs.access import ApiAuth
from trajectories.api.exports import router as exports
from trajectories.api.files import router as files
from trajectories.api.finding import router as finding
from trajectories.api.joined import router as joined
from trajectories.api.meaning import router as meaning
from trajectories.api.reading import router as reading
from trajectories.api.speakers import router as speakers
from trajectories.api.transcripts import router as transcripts

router = Router(auth=ApiAuth(), tags=["trajectories"])
router.add_router("", reading)
router.add_router("", files)
router.add_router("", exports)
router.add_router("", transcripts)
router.add_router("", finding)
router.add_router("", meaning)
router.add_router("", joined)
router.add_router("", speakers)
