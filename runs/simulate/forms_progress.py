"""What a side of an overlap writes on the board of its own claim when it gives nothing up: `{0}` is the claim's id or its subject.

A distractor: whoever takes every such note for a farewell invents settlements. One set a wording, as `wording.py` says.
"""

from __future__ import annotations

from runs.simulate.forms_claims import Forms

# fmt: off
PROGRESS: Forms = {
    "progress": (
        ("{0}: half of the examples pass", "{0} is nearly done, a pull follows", "still on {0}", "keeping {0}, 12 of 14 green",
         "{0}: the parser part works", "mine ({0}) is the one with tests", "going on with {0}", "{0} goes well"),
        ("{0}: bin fast fertig", "Je continue {0}", "Sigo con {0}", "{0}: почти готово"),
    ),
}
MORE_PROGRESS: Forms = {
    "progress": (
        ("{0} update: branch pushed, tests next", "status of {0}: the hard part is behind me", "I'm keeping {0}",
         "{0}: found the cause, fixing", "not letting go of {0}, it is almost there", "{0} at 70 %", "no change on {0}, I carry on",
         "{0} compiles now", "short interruption, {0} continues after it", "will finish {0} today", "{0}: two cases left",
         "{0} needs one more hour of mine", "I still own {0}", "{0}: draft is up for comments", "{0} stays on my list",
         "about {0}: I have the longer branch"),
        ("{0}: halb fertig", "{0} bleibt bei mir", "{0} : presque fini", "Je garde {0}", "{0} va por la mitad", "{0} 快好了"),
    ),
}
UNREAD_PROGRESS: Forms = {
    "progress": (
        ("{0}: writing the last tests at the moment", "for the log, {0} is moving along", "{0} has a green build on my branch",
         "I hold on to {0}", "short note on {0}: the slow path is left", "{0}, three commits in", "will be back at {0} in a moment",
         "{0} looks good so far, more later"),
        ("{0}: es geht voran", "{0} avance bien", "{0} продвигается"),
    ),
}
# fmt: on
