"""What each meaning stands for, in sentences for people. The numbers in them live beside the reducers, and so do the registries."""

from __future__ import annotations

from trajectories.reducers.attention_kinds import KINDS
from trajectories.reducers.behaviours import BEHAVIOURS
from trajectories.reducers.waste import WASTE

Section = tuple[str, list[tuple[str, str, str, str]]]  # title, [(glyph, tone, word, sentence)]
MEANINGS: list[Section] = [
    (
        "Claims",
        [
            ("working", "active", "live", "A CLAIM note opened it and nothing has closed it."),
            (
                "merged",
                "good",
                "landed",
                "A pull of its own worker that is linked to it was merged, even after the claim was lost.",
            ),
            ("recovered", "good", "recovered", "It was lost, and a linked pull of another worker was merged."),
            ("dead", "bad", "failed", "The same worker wrote a FAIL note on the same subject."),
            (
                "released",
                "quiet",
                "released",
                "Its author gave it up: in words of a note or a message, or, where two held it and had said something, by claiming another thing and never coming back to this one.",
            ),
            (
                "superseded",
                "quiet",
                "superseded",
                "The same worker claimed the subject again, or the other side of an overlap landed first.",
            ),
            ("abandoned", "bad", "abandoned", "Its worker died, fell silent or ended with the claim open."),
            ("expired", "warn", "expired", "One claim life passed and nothing had landed."),
        ],
    ),
    (
        "Overlaps and links",
        [
            (
                "superseded",
                "warn",
                "overlap",
                "Two live claims of different workers have the same subject: the same delegation id or file, else the same words, less those that this team says around any subject.",
            ),
            (
                "approved",
                "good",
                "settled",
                "One side was released or superseded. Direct messages between the two in between are the evidence.",
            ),
            (
                "link",
                "active",
                "linked",
                "A pull belongs to a claim by the first that holds: a line “Claim: n12” in its body, the note’s id in its branch, a delegation id, an equal subject, or the author’s only live claim.",
            ),
        ],
    ),
    (
        "Reviews",
        [
            ("approved", "good", "approved", "The reviewer’s approval stands."),
            ("changes", "warn", "changes requested", "It stands until the same reviewer approves."),
            (
                "withdrawn",
                "odd",
                "withdrawn",
                "Before the merge the reviewer asked for changes, dismissed its approval or deleted it. The counterexample is the text of that review, or the FAIL note or message that names the pull.",
            ),
            ("lag", "quiet", "stale", "New commits came after the review."),
        ],
    ),
    (
        "Roles, from what was done and never from what was said",
        [
            (
                "integrator",
                "good",
                "integrator",
                "Within the window it merged enough pulls of others, and these are at least half of its merges.",
            ),
            (
                "reviewer",
                "active",
                "reviewer",
                "Within the window it reviewed others often enough, and more often than it opened pulls.",
            ),
            (
                "implementer",
                "good",
                "implementer",
                "Within the window enough of its own pulls were merged, and not fewer than it gave reviews.",
            ),
            ("recoverer", "good", "recoverer", "Within the window it landed enough of what peers had lost."),
            (
                "coordinator",
                "good",
                "coordinator",
                "Within the window enough peers claimed, or gave up, what its direct messages had named to them, and it led more often than it followed.",
            ),
        ],
    ),
    (
        "Recoveries",
        [
            ("dead", "bad", "lost", "A claim failed, expired, was abandoned, or its worker crashed."),
            ("recovered", "active", "taken over", "Another worker has a claim, or a pull, on the same subject."),
            ("merged", "good", "landed", "That worker’s pull was merged."),
        ],
    ),
]


def meanings() -> list[Section]:
    """All sections; behaviours, waste and attention are what the reducers list."""
    tones = {"bad": ("dead", "bad"), "warn": ("changes", "warn"), "note": ("lag", "quiet")}
    seen = [
        (
            "approved",
            "good",
            about.title.lower(),
            f"{about.meaning} The paper reports it from {about.paper_workers:,} workers on.",
        )
        for about in BEHAVIOURS.values()
    ]
    wasted = [("abandoned", "bad", name.replace("_", " "), sentence) for name, sentence in WASTE.items()]
    asked = [
        (*tones[kind.severity], name.replace("_", " "), f"{kind.cause.rstrip(':')}") for name, kind in KINDS.items()
    ]
    return [*MEANINGS, ("Behaviours", seen), ("Waste", wasted), ("Needs attention", asked)]
