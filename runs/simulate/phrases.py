"""What workers write, by occasion: some dozen forms each. Agents write freely, so no form is the only one.

These are the simulator's own; it has never seen how the product reads texts.
"""

from __future__ import annotations

from random import Random

from runs.simulate.forms_claims import CLAIMS
from runs.simulate.forms_work import WORK

FOREIGN_SHARE = 0.1
FORMS = {**CLAIMS, **WORK}


def say(random: Random, occasion: str, *words: str) -> str:
    """One of the forms of an occasion, filled; a tenth of them in another language."""
    english, others = FORMS[occasion]
    form = random.choice(others if random.random() < FOREIGN_SHARE else english)
    return form.format(*words)
