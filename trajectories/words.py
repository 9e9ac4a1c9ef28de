"""Why a row says what it says, in a sentence, and the glyph and tone that stand beside each status word."""

from __future__ import annotations

CLAIM_WHY = {
    "live": "Its note is open: nothing has landed, failed, been released or run out yet.",
    "landed": "A pull of the same worker that is linked to this claim was merged.",
    "recovered": "It had been lost; then a linked pull of another worker was merged.",
    "failed": "The same worker posted a FAIL note on the same subject.",
    "released": "Its worker gave it up, in a note or message or by turning to another thing.",
    "superseded": "The same worker claimed the subject again, or the other side of an overlap landed first.",
    "abandoned": "Its worker died, fell silent or ended while the claim was open.",
    "expired": "One claim life passed before anything landed.",
}
PULL_WHY = {
    "open": "It is neither merged nor closed.",
    "conflict": "It is open, and the forge says that it cannot be merged as it is.",
    "merged": "The forge merged it.",
    "closed": "It was closed without a merge.",
    "superseded": "What it was for landed by another pull.",
    "never landed": "The run ended while it was open.",
}
LINKED_BY = {
    "trailer": "its text has a line “Claim:” with this note",
    "branch": "the name of its branch holds this note’s id",
    "delegation": "it names the delegation id of this claim",
    "subject": "its text is about the same subject",
    "only": "its author had no other live claim when it was opened",
}
_MARKS = {
    "live": ("working", "active"),
    "landed": ("merged", "good"),
    "recovered": ("recovered", "good"),
    "failed": ("dead", "bad"),
    "released": ("released", "quiet"),
    "superseded": ("superseded", "quiet"),
    "abandoned": ("abandoned", "bad"),
    "expired": ("expired", "warn"),
    "open": ("pull", "active"),
    "conflict": ("conflict", "bad"),
    "merged": ("merged", "good"),
    "closed": ("closed", "quiet"),
    "approved": ("approved", "good"),
    "changes_requested": ("changes", "warn"),
    "never landed": ("abandoned", "bad"),
    "commented": ("message", "quiet"),
    "withdrawn": ("withdrawn", "odd"),
    "dismissed": ("withdrawn", "odd"),
    "lifted": ("changes", "quiet"),
    "stale": ("lag", "quiet"),
    "working": ("working", "active"),
    "waiting": ("waiting", "quiet"),
    "idle": ("idle", "quiet"),
    "nudged": ("nudged", "warn"),
    "stalled": ("stalled", "odd"),
    "dead": ("dead", "bad"),
    "ended": ("ended", "quiet"),
}


def marks(status: str) -> tuple[str, str]:
    """(glyph, tone) of a status word; an unknown word gets a quiet ring."""
    return _MARKS.get(status, ("waiting", "quiet"))
