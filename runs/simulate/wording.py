"""How a simulated team writes: its forms by occasion, what it works on, and how it spells that. A run has one wording.

`plain` is the wording of every run unless another is asked for. `second` and `third` are dealt from `forms_more_*.py`, one form to the
one and the next to the other: rules were read against the misses of all three (`third` was held out once). Of `held_out`
(`forms_unread_*.py`) only the figures are ever looked at, so it says how well rules read words that nobody wrote them for. `fresh`
(`forms_fresh_*.py`) was written when these rules were done; rules were read against its misses after its first look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from runs.simulate.forms_claims import CLAIMS, Forms
from runs.simulate.forms_fresh_claims import FRESH_AREAS, FRESH_CLAIMS, FRESH_THINGS
from runs.simulate.forms_fresh_work import FRESH_BLAMES, FRESH_MENDS, FRESH_NEIGHBOURS, FRESH_WORK
from runs.simulate.forms_more_claims import MORE_CLAIMS
from runs.simulate.forms_more_work import BLAMES, MENDS, MORE_WORK, NEIGHBOURS
from runs.simulate.forms_progress import MORE_PROGRESS, PROGRESS, UNREAD_PROGRESS
from runs.simulate.forms_unread_claims import UNREAD_AREAS, UNREAD_CLAIMS, UNREAD_THINGS
from runs.simulate.forms_unread_work import UNREAD_BLAMES, UNREAD_MENDS, UNREAD_NEIGHBOURS, UNREAD_WORK
from runs.simulate.forms_work import WORK
from runs.simulate.subjects import AREAS, MORE_AREAS, MORE_THINGS, THINGS

FOREIGN_SHARE = 0.1
T = TypeVar("T")


@dataclass(frozen=True)
class Wording:
    """`blames` and `mends`: what a FAIL says of a merged pull and the body of a fix of the pull it mends; `neighbours`: what a body
    says of a pull that it does not mend."""

    forms: Forms
    areas: tuple[str, ...]
    things: tuple[str, ...]
    spellings: tuple[str, ...]  # of `{title}`, `{TITLE}`, `{area}`, `{thing}`, `{path}`, `{slug}`
    blames: tuple[str, ...]
    mends: tuple[str, ...]
    neighbours: tuple[str, ...] = NEIGHBOURS

    def say(self, random: Random, occasion: str, *words: str) -> str:
        """One of the forms of an occasion, filled; a tenth of them in another language."""
        english, others = self.forms[occasion]
        form = random.choice(others if random.random() < FOREIGN_SHARE else english)
        return form.format(*words)

    def subject(self, number: int) -> tuple[str, str, str]:
        """(delegation id, path, title) of the `number`-th sub-task: areas by things, then again by part."""
        areas, things = self.areas, self.things
        area, thing = areas[number % len(areas)], things[(number // len(areas)) % len(things)]
        series = number // (len(areas) * len(things))
        tail, last = (f" part {series + 1}", f"{series + 1}") if series else ("", "")
        slug = f"{area.replace('/', '-')}-{thing.replace(' ', '-')}{f'-{last}' if series else ''}"
        path = f"src/{area}/{thing.replace(' ', '_')}{f'_{last}' if series else ''}.c"
        return slug, path, f"{area}: {thing}{tail}"

    def spelled(self, random: Random, number: int) -> str:
        """The sub-task as somebody happens to write it: title, other way round, path, id, capitals."""
        slug, path, title = self.subject(number)
        area, _, thing = title.partition(": ")
        facts = {"title": title, "TITLE": title.upper(), "area": area, "thing": thing, "path": path, "slug": slug}
        return random.choice(self.spellings).format(**facts)


PLAIN = Wording(
    forms={**CLAIMS, **WORK, **PROGRESS},
    areas=AREAS,
    things=THINGS,
    spellings=(
        *("{title}", "{title}", "{title}", "{thing} in {area}", "{area} {thing}"),
        *("{path}", "{slug}", "{TITLE}", "`{title}`"),
    ),
    blames=(
        *("#{0}: {1}", "pull {0} is wrong: {1}", "PR #{0}, {1}", "regression since !{0}: {1}"),
        *("#{0} again: {1}", "not true of pull {0}: {1}", "{1} That is PR {0}.", "!{0} is at fault: {1}"),
    ),
    mends=(
        *("Fixes #{0}.", "Reverts #{0}.", "Fix for #{0}.", "Repairs #{0}.", "Corrects #{0}."),
        *("A fix of #{0}.", "Mends #{0}.", "This repairs pull {0}."),
    ),
)


def _dealt(forms: Forms, which: int) -> Forms:
    return {name: (english[which::2], others[which::2]) for name, (english, others) in forms.items()}


def _further(which: int) -> Wording:
    spellings: Sequence[str] = (
        *("{title}", "{title}", "{title}", "{title}", "the {thing} of {area}", "{thing} ({area})", "{thing}, {area}"),
        *("{area} - {thing}", "**{title}**", "'{title}'", "{thing} for {area}", "{path}", "{path}", "{slug}"),
    )
    return Wording(
        forms=_dealt({**MORE_CLAIMS, **MORE_WORK, **MORE_PROGRESS}, which),
        areas=MORE_AREAS,
        things=MORE_THINGS,
        spellings=tuple(spellings[which::2]),
        blames=BLAMES[which::2] + PLAIN.blames[which::2],
        mends=MENDS[which::2] + PLAIN.mends[which::2],
    )


UNREAD = Wording(
    forms={**UNREAD_CLAIMS, **UNREAD_WORK, **UNREAD_PROGRESS},
    areas=UNREAD_AREAS,
    things=UNREAD_THINGS,
    spellings=(
        *("{title}", "{title}", "{title}", "{area} / {thing}", "[{area}] {thing}", "{thing} @ {area}", '"{title}"'),
        *("{area}'s {thing}", "{slug}", "`{path}`", "{path}", "{thing} (see {path})"),
    ),
    blames=UNREAD_BLAMES,
    mends=UNREAD_MENDS,
    neighbours=UNREAD_NEIGHBOURS,
)

FRESH = Wording(
    forms={**FRESH_CLAIMS, **FRESH_WORK},
    areas=FRESH_AREAS,
    things=FRESH_THINGS,
    spellings=(
        *("{title}", "{title}", "{title}", "{thing} in {area}", "the {area} {thing} bit", "{area} ({thing})"),
        *("{thing} stuff for {area}", "{area} -> {thing}", "`{slug}`", "{slug}", "{path}", "{path} ({thing})"),
    ),
    blames=FRESH_BLAMES,
    mends=FRESH_MENDS,
    neighbours=FRESH_NEIGHBOURS,
)

WORDINGS = {"plain": PLAIN, "second": _further(0), "third": _further(1), "held_out": UNREAD, "fresh": FRESH}
