"""What the monitor sampled of a worker's memory and processor stands on its page, peaks and new lives included."""

from __future__ import annotations

import json

from django.test import Client

from runs.models import Run
from trajectories.joined.usage import POINTS, usage
from trajectories.models import EventRow


def sampled(run: Run, *samples: tuple[int, int, int], worker: int = 2) -> None:
    """Rows of (second, MiB, ms of processor) as the run's outbox becomes them."""
    first = 1_000_000 + worker * 10_000
    EventRow.objects.filter(run=run, kind="usage.sampled").exclude(n__gte=1_000_000).delete()
    EventRow.objects.bulk_create(
        EventRow(
            run=run,
            n=first + n,
            at=second * 1000,
            rank=0,
            seq=first + n,
            source="run",
            key=str(first + n),
            part=0,
            kind="usage.sampled",
            worker=worker,
            fields=json.dumps({"rss_mb": mib, "cpu": cpu}),
        )
        for n, (second, mib, cpu) in enumerate(samples)
    )


def test_a_workers_page_shows_what_it_takes(run: Run, eve: Client) -> None:
    sampled(run, (10, 60, 1_000), (20, 91, 3_500), (30, 70, 4_000))
    told = usage(run.pk, 2, 0, 8)
    assert told is not None and (told.memory_now, told.memory_peak, told.samples) == (70, 91, 3)
    assert told.processor == [(20, 250), (30, 50)]
    page = eve.get("/runs/first-run/workers/2").text
    assert "Memory and processor" in page and "peak 91 MiB" in page and "0.05" in page and "mean 0.15" in page


def test_a_next_life_counts_its_processor_from_zero(run: Run) -> None:
    sampled(run, (10, 60, 9_000), (20, 20, 100), (30, 30, 1_100))
    told = usage(run.pk, 2, 0, 8)
    assert told is not None and told.processor == [(30, 100)], "no negative figure"


def test_a_peak_between_two_pixels_is_drawn(run: Run) -> None:
    sampled(run, *((10 * n, 999 if n == 501 else 50, 10 * n) for n in range(1, 1_001)))
    told = usage(run.pk, 2, 0, 8)
    assert told is not None and told.memory_peak == 999 and len(told.memory) <= POINTS + 1 and told.samples == 1_000


def test_nothing_is_said_where_nothing_was_sampled(run: Run, eve: Client) -> None:
    sampled(run, (10, 60, 1_000), worker=3)
    assert usage(run.pk, 2, 0, 8) is None
    assert "Memory and processor" not in eve.get("/runs/first-run/workers/2").text
