"""The published scores (arXiv 2609.26781, pandoc, 6 h, GPT-5.6-sol, effort high), and a curve that ends on them."""

from __future__ import annotations

import math

TESTS = 5214
PUBLISHED = {1: 33.89, 8: 41.75, 32: 43.11, 128: 50.94, 1024: 55.06}


def final_percent(workers: int) -> float:
    """The score at six hours: published sizes exactly, others interpolated over the logarithm of the team size."""
    sizes = sorted(PUBLISHED)
    if workers >= sizes[-1]:
        return PUBLISHED[sizes[-1]]
    low = max(size for size in sizes if size <= workers)
    high = min(size for size in sizes if size >= workers)
    if low == high:
        return PUBLISHED[low]
    share = math.log(workers / low) / math.log(high / low)
    return PUBLISHED[low] + share * (PUBLISHED[high] - PUBLISHED[low])


def passed(workers: int, minutes: float, length_minutes: float) -> int:
    """Tests passed after `minutes` of a run of `length_minutes`: a saturating curve, steeper for larger teams."""
    progress = max(0.0, min(1.0, minutes / length_minutes))
    steep = 2.2 + 0.25 * math.log2(max(1, workers))
    share = (1 - math.exp(-steep * progress)) / (1 - math.exp(-steep))
    return round(TESTS * final_percent(workers) / 100 * share)
