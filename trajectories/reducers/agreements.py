"""Agreements on interfaces: a peer says the same piece of code back to the one who said it first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.fields import items, number, text, words
from trajectories.reducers.notes import FOUND
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.subjects import content, note_ids, unquoted
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.behaviours import Behaviours

ANSWER = rule(
    "agreement_s", 900, "s", "An interface is agreed when a peer says the same piece of code back within this time."
)
_CODE: Final = re.compile(
    r"`([^`\n]{2,120})`|(?<![\w.])([A-Za-z_][\w.:]{1,60}\([^()\n]{0,100}\))|\b([A-Za-z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|\w+::\w+)\b"
)
_CODED: Final = re.compile(r"[`(_]|::|[a-z][A-Z]")  # what every piece of code holds
_REFUSES: Final = re.compile(
    r"^\W*(?:no(?! (?:objection|problem|worr))|nope|not|never|nein|nicht|kein\w*|non|pas|нет|не|不|-1)(?!\w)|[?？]\s*$"
    r"|\b(?:(?:wo|do|does|is|are|ca|would|could|must|need)n['’]t(?! (?:mind|object|see why not))|do not|cannot|can not|will not|is not|not (?:what|happy|a fan|sure))\b"
    r"|\b(?:disagree\w*|rather|instead|(?:am|m|are|vote\w*|argue\w*) against|avoid\w*|bad idea|no way|conflicts? with|objects? to|unhappy|break(?:s|ing)?|veto|refus\w+|declin\w+|reject\w*|oppos\w+|dislike\w*|(?:other|else) than|unacceptable|wrong|awkward|clash\w*|problem\w*|pass on|too (?:\w+ )?(?:slow|big|deep|much|complex))\b|\b(?:please|pls|can we) not?\b|\bdon['’]t think\b|\bmeh\b|\bnot \S+, sorry|(?<![\w-])-1\b"
    r"|\b(?:nicht|kein\w*|lieber|n['’](?:est|va) pas|ne \w+ pas|surtout pas|mejor no|no me|нельзя|не)\b|у меня не|不要|不行|不能|ダメ|だめ",
    re.IGNORECASE,
)
_KEPT: Final = 6
_LONGEST: Final = 2_000


def code(said: str) -> tuple[str, ...]:
    """The pieces of code a text names: quoted, called, or spelled as no word is; without blanks, each once."""
    if not _CODED.search(said):
        return ()
    found = ("".join(each).replace(" ", "") for each in _CODE.findall(said[:_LONGEST]))
    return tuple(dict.fromkeys(each for each in found if any(c.isalpha() for c in each)))


class Agreements:
    """Part of the behaviours reducer: direct messages there and back, replies in a thread, notes that name a note."""

    def __init__(self, behaviours: Behaviours) -> None:
        self.behaviours = behaviours
        self.state = behaviours.state
        self.said = self.state.index("agreements.said")  # (from, to) -> ((at, ref, pieces), ..) direct
        self.posts = self.state.index("agreements.posts")  # message -> (worker, at, ref, pieces)
        self.done = self.state.index("agreements.done")  # (worker, worker, piece)

    def message(self, seen: Seen) -> None:
        """A message of a worker."""
        told = unquoted(text(seen.fields, "text"))
        pieces, me = code(told), seen.worker
        if not pieces or me is None:
            return
        refuses = _REFUSES.search(told) is not None
        if seen.fields.get("kind") == "direct":
            for each in items(seen.fields, "to"):
                peer = self.behaviours.team.people.who(seen.source, each)
                if type(peer) is int and peer != me:
                    for at, ref, theirs in () if refuses else self.said.get((peer, me), ()):
                        self._answer(me, peer, at, ref, theirs, pieces, seen)
                    before = self.said.get((me, peer), ())
                    self.state.assign(self.said, (me, peer), (*before[1 - _KEPT :], (seen.at, seen.ref, pieces)))
            return
        post, parent = words(seen.fields, "message"), words(seen.fields, "reply_to")
        if post:
            self.state.assign(self.posts, post, (me, seen.at, seen.ref, pieces))
        if parent in self.posts and not refuses:
            peer, at, ref, theirs = self.posts[parent]
            self._answer(me, peer, at, ref, theirs, pieces, seen)

    def note(self, seen: Seen) -> None:
        """A note that names another's and the same piece of code."""
        me = seen.worker
        told = unquoted(text(seen.fields, "text"))
        if me is None or text(seen.fields, "type") not in FOUND or not (named := note_ids(told)):
            return
        mine = number(seen.fields, "note")
        pieces = code(f"{told}\n{unquoted(text(seen.fields, 'detail'))}")
        if not pieces or _REFUSES.search(told):
            return
        notes, at_of = self.behaviours.team.notes.rows, self.behaviours.team.notes.told_at
        for each in named:
            row = notes.get(each)
            if row is None or each == mine or row["type"] not in FOUND:
                continue
            at, ref = at_of[each]
            theirs = code(f"{row['text']}\n{row['detail'] or ''}")
            self._answer(me, row["worker"], at, ref, theirs, pieces, seen)

    def _answer(
        self, me: int, peer: object, at: int, ref: str, theirs: tuple[str, ...], mine: tuple[str, ...], seen: Seen
    ) -> None:
        team = self.behaviours.team
        if type(peer) is not int or peer == me or seen.at - at > team.limits.ms(ANSWER):
            return
        pair: tuple[Who, Who] = (min(me, peer), max(me, peer))
        fresh = [each for each in mine if each in theirs and (*pair, each) not in self.done]
        disputed = {
            word
            for overlap in (team.overlaps.between.get(pair, ()) if fresh else ())
            for word in team.claims.about(int(str(overlap).partition(".")[0])).words
        }
        if disputed:  # where the two talk about who does what, its name is no interface
            fresh = [each for each in fresh if not disputed.issuperset(content(each))]
        for each in fresh:
            self.state.assign(self.done, (*pair, each), True)
        if fresh:
            self.behaviours.interface_agreed(ref, seen)
