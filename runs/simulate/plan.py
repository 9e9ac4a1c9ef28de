"""What this run will hold on top of its everyday noise: scenes to play and the thresholds they go to, drawn by seed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

#: scene -> how often it is played per worker and hour.
RATES = {
    "interface": 0.16,
    "refusal": 0.10,
    "trusted": 0.05,
    "hand_over": 0.10,
    "no_hand_over": 0.08,
    "integrator": 0.07,
    "coordinator": 0.03,
    "overlap": 0.40,
    "contradiction": 0.10,
    "quotation": 0.08,
    "near_miss": 0.10,
}
BODIES = (
    "{title}.",
    "{title}\n\nSummary: {title}\nTests: {tests}",
    "## What\n{title}\n\n## Why\nThe hidden tests ask for it.",
    "Implements {title}. All green here.",
    "- [x] code\n- [x] tests\n\n{title}",
    "Scope: {title}\nRisk: low",
)
SHARED = (
    "What: {title}\nEvidence: {tests}\nReviewed-by: nobody yet",
    "## Change\n{title}\n\n## Evidence\n{tests}\n\n## Merge order\nany",
    "Subject: {title}\nChecked: {tests}\nRebased: yes\nRisk: none",
)


@dataclass
class Plan:
    """`deck`: scenes in the order of play. Counts a scene goes to are drawn per scene between these bounds."""

    deck: list[str]
    merges: tuple[int, int]
    asks: tuple[int, int]
    led: tuple[int, int]
    form: str
    converges_after: float  # share of the run; above 1 = never

    @classmethod
    def drawn(cls, random: Random, workers: int, hours: float) -> Plan:
        """Drawn anew for every run: no threshold is a constant of anything that reads it."""
        deck = [
            name
            for name, rate in RATES.items()
            for _ in range(round(rate * workers * hours * random.uniform(0.6, 1.4)))
        ]
        random.shuffle(deck)
        low = random.randint(4, 5)
        merges, asks, led = ((low, low + random.randint(1, 4)) for _ in range(3))
        converges = random.uniform(0.25, 0.5) if workers >= 8 and random.random() < 0.8 else 2.0
        return cls(deck, merges, asks, led, random.choice(SHARED), converges)

    def body(self, random: Random, done: float, title: str, tests: str) -> tuple[str, bool]:
        """The body of a pull after that share of the run, and whether it has the form the team came to share."""
        shares = done > self.converges_after and random.random() < 0.95
        form = self.form if shares else random.choice(BODIES)
        return form.format(title=title, tests=tests), shares
