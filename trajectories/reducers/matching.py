"""When two texts are about the same sub-task, and an index that finds those without a look at every claim."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from trajectories.reducers.about import SHARED, Subject, words_of
from trajectories.reducers.rules import Limits, rule
from trajectories.reducers.state import State

_MORE_THAN_NAMED: Final = 4  # words a text may hold beside those of the delegation id it names
_MANY_ODD: Final = 8  # such words, once what tells sub-tasks apart is known
_SURPLUS: Final = 2  # words one of two texts may hold more than the other
_MANY_KNOWN: Final = 40  # words of delegation ids: what tells sub-tasks apart here is among them by then
_NAMED: Final = 4  # the place of a Subject's words of its delegation id
FRAMED = rule(
    "framing_subjects",
    3,
    "sub-tasks",
    "A word that stood in claims or FAILs of this many sub-tasks, and is part of no delegation id, tells none apart.",
)


class Subjects:
    """Claims by subject. `known` are the words of all delegation ids so far: what tells sub-tasks apart in this team."""

    def __init__(self, state: State, name: str) -> None:
        self.state = state
        self.limits = Limits(state)
        self.known = state.index("claims.known_words")
        self.beside = state.index("claims.beside")  # word -> (delegation id beside which it stood, ..) as far as FRAMED
        self.of = state.index("claims.subjects")  # claim -> Subject, live or not
        self.by_key = state.index(f"{name}.by_key")
        self.by_file = state.index(f"{name}.by_file")
        self.by_compound = state.index(f"{name}.by_compound")  # of a text without a delegation id -> {claim}
        # What is equal by its words holds the same words with a digit: so these three are kept by them (`_numbers`), each a dict
        self.by_mark = state.index(f"{name}.by_mark")  # the longest words of a delegation id (`_mark`) -> {key}
        self.by_core = state.index(f"{name}.by_core")  # the longest words of a core -> {claim}
        self.by_word = state.index(f"{name}.by_word")  # every word of a text without a delegation id -> {claim}

    def about(self, claim: int) -> Subject:
        """What a claim is about, live or not."""
        return tuple.__new__(Subject, self.of[claim])

    def add(self, claim: int, about: Subject) -> None:
        """Find it from now on."""
        for group, key in self._places(about):
            self.state.member(group, key, claim)
        if about.named:
            self.state.member(self._at(self.by_mark, about.named), _mark(about.named), about.key)

    def remove(self, claim: int) -> None:
        """Find it no more."""
        about = self.about(claim)
        for group, key in self._places(about):
            self.state.leave(group, key, claim)
        if about.named and about.key not in self.by_key:
            self.state.leave(self._at(self.by_mark, about.named), _mark(about.named), about.key)

    def find(self, about: Subject) -> list[int]:
        """The claims in here on that subject, oldest first."""
        same: set[int] = set(self.by_key.get(about.key, ()))
        for file in about.files:
            same.update(self.by_file.get(file, ()))
        if about.delegation:
            near = {
                *self.by_compound.get(about.delegation, ()),
                *self._sharing(about.named, _numbers(about.named), exactly=True),
            }
        else:
            near = self._near(about, same)
        if near:
            same.update(claim for claim in near - same if self.equal(about, self.about(claim)))
        return sorted(same)

    def _near(self, about: Subject, same: set[int]) -> set[int]:
        """Claims that a text without a delegation id may be about; those whose id it holds as a compound go to `same`."""
        near: set[int] = set()
        words, numbers = self.telling(about.words), _numbers(about.words)
        known = tuple(word for word in words if word in self.known)
        for each in about.compounds:
            same.update(self.by_key.get(f"d:{each}", ()))
        marks, cores = self.by_mark.get(numbers), self.by_core.get(numbers)
        held = frozenset(words)
        for mark in _marks_in(known) if marks or cores else ():
            if cores:
                near.update(cores.get(mark, ()))
            for key in marks.get(mark, ()) if marks else ():
                group = self.by_key[key]
                if held.issuperset(self.of[next(iter(group))][_NAMED]):
                    near.update(group)
        for core in about.cores():
            near.update(self._sharing(core, _numbers(core), exactly=True))
        near.update(self._sharing(known, numbers, exactly=True))
        near.update(self._sharing(words, numbers, exactly=False))
        return near

    def _sharing(self, words: tuple[str, ...], numbers: str, exactly: bool) -> Iterable[int]:
        """Claims without a delegation id that hold all these words, or, unless `exactly`, all but as many as may be odd; and `numbers`."""
        by_word = self.by_word.get(numbers)
        if not by_word:
            return ()
        least = len(words) if exactly or len(words) < SHARED else max(SHARED, len(words) - _SURPLUS)
        groups = [group for word in words if (group := by_word.get(word))]
        if not groups or len(groups) < least:
            return ()
        groups.sort(key=len)
        missing = len(words) - least
        if not missing:  # it is in all of them, so in the smallest; the others are only asked
            found: Iterable[int] = groups[0]
            for group in groups[1:]:
                found = [claim for claim in found if claim in group]
            return found
        near: set[int] = set()
        few = [*({},) * (len(words) - len(groups)), *groups][: missing + 2]  # it is in two of the smallest
        for place, group in enumerate(few):
            for other in few[:place]:
                near |= other.keys() & group.keys()
        return [claim for claim in near if sum(claim in group for group in groups) >= least]

    def same(self, one: Subject, other: Subject) -> bool:
        """The same file, or the same sub-task."""
        return not set(one.files).isdisjoint(other.files) or self.equal(one, other)

    def equal(self, one: Subject, other: Subject) -> bool:
        """Equal keys; a text that holds the words of the other's delegation id; texts that differ by a few odd words."""
        if one.key == other.key:
            return True
        if one.delegation and other.delegation:
            return False
        if one.delegation or other.delegation:
            told, free = (one, other) if one.delegation else (other, one)
            more = _MORE_THAN_NAMED if len(told.named) > 2 else len(told.named)
            return told.delegation in free.compounds or self._within(
                told.named, free.words, _MANY_ODD if self._knows_much() else more
            )
        first, second = self.telling(one.words), self.telling(other.words)
        if first and first == second:
            return True
        few, many = sorted((first, second), key=len)
        if len(few) >= SHARED and self._within(few, many, _SURPLUS):
            return True
        if any(self._within(core, second, _SURPLUS) for core in one.cores()):
            return True
        return any(self._within(core, first, _SURPLUS) for core in other.cores()) or self._alike(first, second)

    def _alike(self, first: tuple[str, ...], second: tuple[str, ...]) -> bool:
        """Both hold the same words that tell sub-tasks apart in a team whose names for them are known, and only these: three, or two
        of which one text says nothing else."""
        if not self._knows_much():
            return False
        one, other = set(first) - set(second), set(second) - set(first)
        shared = len(first) - len(one)
        known = sum(word in self.known for word in first if word not in one)
        if max(len(one), len(other)) > (_MANY_ODD if known >= 2 else _SURPLUS) or shared < (
            SHARED if one and other else 2
        ):
            return False
        return not any(word in self.known or _has_digit(word) for word in (*one, *other))

    def _knows_much(self) -> bool:
        return len(self.known) >= _MANY_KNOWN

    def _within(self, few: tuple[str, ...], many: tuple[str, ...], surplus: int) -> bool:
        """All of `few` are among `many`, and what is left there tells nothing apart: no number, no word of another id."""
        if not few or not set(few).issubset(many):
            return False
        rest = [word for word in self.telling(many) if word not in few]
        strict = len(few) < SHARED and (len(few) < 2 or not self._knows_much())
        if len(rest) > surplus or any(_has_digit(word) or (strict and word.isascii()) for word in rest):
            return False
        beside, enough = self.beside, self.limits.of(FRAMED)
        return not any(word in self.known and len(beside.get(word, ())) < enough for word in rest)

    def holds(self, text: Subject, claimed: Subject) -> int:
        """How many words of a claimed subject a text holds, if all; more than any for an equal key or file; else 0."""
        if text.key == claimed.key or not set(text.files).isdisjoint(claimed.files):
            return 1_000
        told = (claimed.named, self.telling(claimed.words))
        return max((len(words) for words in told if words and set(words).issubset(text.words)), default=0)

    def telling(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Those words that may tell sub-tasks apart in this team."""
        beside, enough = self.beside, self.limits.of(FRAMED)
        for word in words:
            if word in beside and len(beside[word]) >= enough:
                break
        else:
            return words
        return tuple(word for word in words if word in self.known or len(beside.get(word, ())) < enough)

    def learn(self, about: Subject) -> None:
        """Its delegation id's words tell sub-tasks apart from now on; the words beside it may be words of taking and leaving."""
        for core in (about.named,) if about.named else map(words_of, about.files):
            for word in core:
                if word not in self.known:
                    self.state.assign(self.known, word, True)
        enough = self.limits.of(FRAMED)
        for word in about.words if about.delegation else ():
            before = self.beside.get(word, ())
            fresh = len(before) < enough and about.delegation not in before and word not in about.named
            if fresh and not _has_digit(word):
                self.state.assign(self.beside, word, (*before, about.delegation))

    def _places(self, about: Subject) -> list[tuple[dict[Any, Any], str]]:
        places = [(self.by_key, about.key), *((self.by_file, file) for file in about.files)]
        if not about.delegation:
            by_word = self._at(self.by_word, about.words)
            places += [(by_word, word) for word in about.words]
            places += [(self.by_compound, each) for each in about.compounds]
            places += [(self._at(self.by_core, core), _mark(core)) for core in about.cores()]
        return places

    def _at(self, index: dict[str, dict[Any, Any]], words: tuple[str, ...]) -> dict[Any, Any]:
        """The part of an index for words with these numbers."""
        numbers = _numbers(words)
        if numbers not in index:
            self.state.assign(index, numbers, {})
        return index[numbers]


@lru_cache(maxsize=4096)
def _mark(words: tuple[str, ...]) -> str:
    """The longest two, or the only one."""
    return " ".join(sorted(words, key=_longest)[:2])


def _marks_in(words: Iterable[str]) -> Iterable[str]:
    """The marks of all sets of these words."""
    told = sorted(words, key=_longest)
    for place, word in enumerate(told):
        yield word
        for other in told[place + 1 :]:
            yield f"{word} {other}"


def _longest(word: str) -> tuple[int, str]:
    return -len(word), word


def _numbers(words: tuple[str, ...]) -> str:
    """Those of these sorted words that hold a digit."""
    return " ".join([word for word in words if _has_digit(word)])


@lru_cache(maxsize=4096)
def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)
