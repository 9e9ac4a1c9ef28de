"""What one worker said and did, turn by turn, read from its raw ACP items a page at a time. Reads; decides no meaning."""

from __future__ import annotations

from trajectories.transcripts.find import find
from trajectories.transcripts.outline import outline, place
from trajectories.transcripts.pages import entry, page

__all__ = ["entry", "find", "outline", "page", "place"]
