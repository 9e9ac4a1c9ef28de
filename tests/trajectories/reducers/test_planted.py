"""What the simulator planted is found, and little else; `make bench meaning` does the same over twenty seeds."""

from __future__ import annotations

import inspect
from pathlib import Path

from runs import simulate as simulator
from trajectories.bench.planted import FOUND, GOAL, one

SEEDS = (2, 9)
ENOUGH = 10  # facts of a kind, from which one miss is no longer a twentieth and more


def test_what_was_planted_is_found_and_little_is_invented(tmp_path: Path) -> None:
    planted, found, right = dict.fromkeys(FOUND, 0), dict.fromkeys(FOUND, 0), dict.fromkeys(FOUND, 0)
    for seed in SEEDS:
        truth, fold = one(seed, tmp_path, workers=32, hours=2.0)
        for kind, told in FOUND.items():
            facts = told(fold)
            planted[kind] += len(truth[kind])
            found[kind] += len(facts)
            right[kind] += len(truth[kind] & facts)
    assert sum(count >= ENOUGH for count in planted.values()) >= 5
    for kind, count in planted.items():
        if count >= ENOUGH:
            assert right[kind] >= (GOAL - 0.05) * count, (kind, right[kind], count)
            assert right[kind] >= (GOAL - 0.05) * found[kind], (kind, right[kind], found[kind])


def test_the_simulator_has_never_seen_a_reducer() -> None:
    folder = Path(inspect.getfile(simulator)).parent
    for file in folder.glob("*.py"):
        assert "trajectories" not in file.read_text(encoding="utf-8"), file.name
