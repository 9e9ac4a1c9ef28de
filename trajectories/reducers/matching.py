"""When two texts are about the same sub-task, and an index that finds those without a look at every claim."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

from trajectories.reducers.state import State
from trajectories.reducers.subjects import content, folded, is_file, paths, subject_key

_MOST_WORDS: Final = 24  # of a text are looked up
_MORE_THAN_NAMED: Final = 4  # words a text may hold beside those of the delegation id it names
_SURPLUS: Final = 2  # words one of two texts may hold more than the other
_SHARED: Final = 3  # words two texts share at least, if they are not equal


#: Where code lies in any repository: such a word tells no sub-tasks apart.
_PLACES: Final = frozenset(["src", "lib", "c", "h", "py", "rs", "go", "js", "ts", "cpp", "java", "md"])


class Subject(NamedTuple):
    """What a text is about: its key, its delegation id, the files it names, its words, and those of the id."""

    key: str
    delegation: str
    files: tuple[str, ...]
    words: tuple[str, ...]
    named: tuple[str, ...]


def subject_of(text: str, delegation_id: object, note: int | str, names: Collection[str] = ()) -> Subject:
    """The subject of a note, a title or the rest of a release."""
    words = tuple(sorted(set(content(text, names)) - _PLACES))[:_MOST_WORDS]
    delegation = folded(delegation_id)
    files = tuple(path for path in paths(text) if is_file(path))
    named = tuple(sorted(set(content(delegation)))) if delegation else ()
    return Subject(subject_key(text, delegation_id, note, names), delegation, files, words, named)


def holds(text: Subject, claimed: Subject) -> int:
    """How many words of a claimed subject a text holds, if all; more than any for an equal key or file; else 0."""
    if text.key == claimed.key or not set(text.files).isdisjoint(claimed.files):
        return 1_000
    held = [len(words) for words in (claimed.named, claimed.words) if words and set(words).issubset(text.words)]
    return max(held, default=0)


class Subjects:
    """Claims by subject. `known` are the words of all delegation ids so far: what tells sub-tasks apart in this team."""

    def __init__(self, state: State, name: str) -> None:
        self.state = state
        self.known = state.index("claims.known_words")
        self.of = state.index("claims.subjects")  # claim -> Subject, live or not
        self.by_key = state.index(f"{name}.by_key")
        self.by_file = state.index(f"{name}.by_file")
        self.by_head = state.index(f"{name}.by_head")  # its longest word -> {claim}
        self.by_word = state.index(f"{name}.by_word")  # every word of a text without a delegation id -> {claim}

    def add(self, claim: int, about: Subject) -> None:
        """Find it from now on."""
        for group, key in self._places(about):
            self.state.member(group, key, claim)

    def remove(self, claim: int) -> None:
        """Find it no more."""
        for group, key in self._places(Subject(*self.of[claim])):
            self.state.leave(group, key, claim)

    def find(self, about: Subject) -> list[int]:
        """The claims in here on that subject, oldest first."""
        near: dict[int, bool] = dict.fromkeys(self.by_key.get(about.key, ()), True)
        for file in about.files:
            near.update(dict.fromkeys(self.by_file.get(file, ()), True))
        if not about.delegation:
            for word in about.words:
                near.update(dict.fromkeys(self.by_head.get(word, ()), True))
        if head := _head(about):
            near.update(dict.fromkeys(self.by_word.get(head, ()), True))
        return sorted(claim for claim in near if self.same(about, Subject(*self.of[claim])))

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
            named, words = (one.named, other.words) if one.delegation else (other.named, one.words)
            return self._within(named, words, _MORE_THAN_NAMED if len(named) > 1 else 1)
        if one.words and one.words == other.words:
            return True
        few, many = sorted((one.words, other.words), key=len)
        return len(few) >= _SHARED and self._within(few, many, _SURPLUS)

    def _within(self, few: tuple[str, ...], many: tuple[str, ...], surplus: int) -> bool:
        """All of `few` are among `many`, and what is left there tells nothing apart: no number, no word of another id."""
        if not few or not set(few).issubset(many):
            return False
        rest = [word for word in many if word not in few]
        telling = [
            word for word in rest if word in self.known or (word.isascii() and len(few) < _SHARED) or _has_digit(word)
        ]
        return len(rest) <= surplus and not telling

    def learn(self, about: Subject) -> None:
        """Its delegation id's words tell sub-tasks apart from now on."""
        for word in about.named:
            if word not in self.known:
                self.state.assign(self.known, word, True)

    def _places(self, about: Subject) -> Iterable[tuple[dict[Any, Any], str]]:
        yield self.by_key, about.key
        for file in about.files:
            yield self.by_file, file
        if head := _head(about):
            yield self.by_head, head
        if not about.delegation:
            for word in about.words:
                yield self.by_word, word


def _head(about: Subject) -> str:
    words = about.named or about.words
    return max(words, key=lambda word: (len(word), word)) if words else ""


def _has_digit(word: str) -> bool:
    return any(character.isdigit() for character in word)
