"""What a text is about, as it is compared: `Subject`."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

from trajectories.reducers.subjects import compounds, content, folded, is_file, key_of, paths

_MOST_WORDS: Final = 24  # of a text are looked up
SHARED: Final = 3  # words two texts share at least, if they are not equal
#: Where code lies in any repository: such a word tells no sub-tasks apart.
_PLACES: Final = frozenset(["src", "lib", "c", "h", "py", "rs", "go", "js", "ts", "cpp", "java", "md"])


class Subject(NamedTuple):
    """What a text is about: its key, its delegation id, the files it names, its words, those of the id, and its compounds: words
    joined by hyphens, which may be an id that the sender did not put where ids belong."""

    key: str
    delegation: str
    files: tuple[str, ...]
    words: tuple[str, ...]
    named: tuple[str, ...]
    compounds: tuple[str, ...]

    def cores(self) -> list[tuple[str, ...]]:
        """Of a text without a delegation id: the words of each file and compound it names; what stands around these is talk."""
        if self.delegation:
            return []
        files = [core for file in self.files if len(core := words_of(file)) > 1]
        return files + [core for each in self.compounds if len(core := words_of(each)) >= SHARED]


def subject_of(text: str, delegation_id: object, note: int | str, names: Collection[str] = ()) -> Subject:
    """The subject of a note, a title or the rest of a release."""
    said, found, delegation = content(text, names), paths(text), folded(delegation_id)
    words = tuple(sorted(set(said) - _PLACES or set(said)))[:_MOST_WORDS]
    files = tuple(path for path in found if is_file(path)) if found else ()
    named = words_of(delegation) if delegation else ()
    joined = compounds(text) if not delegation else ()
    return _subject(Subject, (key_of(delegation, found, said, note), delegation, files, words, named, joined))


_subject: Final = tuple.__new__  # of six values that are one already: this skips the reading of arguments by name


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    words = {*content(name)}
    return tuple(sorted(words - _PLACES or words))
