"""Search across a run and across all runs: whole words and parts of words, any language, the same on every database."""

from __future__ import annotations

from trajectories.search.answering import EACH, OfRun, search
from trajectories.search.documents import KINDS
from trajectories.search.indexing import catch_up, rebuild
from trajectories.search.looking import Filters
from trajectories.search.query import Unclear, terms

__all__ = ["EACH", "KINDS", "Filters", "OfRun", "Unclear", "catch_up", "rebuild", "search", "terms"]
