"""The columns of every sheet and what they hold, whatever a run has in it: a table of a program that reads many runs has one shape."""

from __future__ import annotations

from typing import Final

#: A sheet a line (long ones go on, indented): its columns in order, a text unless it says int, float or list.
_SHEETS: Final = """
workers: worker:int name node life:int status phase joined_at last_seen_at ended_at end_reason current_claim:int
    board_seen:int merges_own:int merges_others:int reviews_given:int steps:int input_tokens:int cached_tokens:int
    output_tokens:int cost_microusd:int
nodes: node status since workers:int lost_at
services: service status since restarts:int last_log
notes: note:int worker:int type text detail delegation_id at hidden_at replaced_by:int invalidated_by:int
claims: claim:int worker:int subject text opened_at first_opened_at previous:int status closed_at held_until overlaps:list
    settled_by settled_at pull:int linked_by recovered_by:int evidence:list evidence_count:int
overlaps: overlap claim:int other:int worker:int peer:int path began_at status settled_at settled_how outcome
    loser:int messages:int evidence:list evidence_count:int
handovers: pull:int author:int asked:list answered_by:int answered_at cancelled:list landed_by:int landed_at status
    evidence:list evidence_count:int
pulls: number:int title author:int head base opened_at status closed_at merged_by:int merged_at conflict
    conflicts:int conflicted_at conflict_bases:list claim:int superseded_by:int evidence:list evidence_count:int
branches: branch sha at gaps:int deleted_at
reviews: review pull:int reviewer:int author:int verdict at status withdrawn_at counterexample contradicted_by
    contradicted_at evidence:list evidence_count:int
roles: span worker:int role since until share_ppm:int evidence:list evidence_count:int
trust: pair author:int reviewer:int asked:int stood:int withdrawn:int since evidence:list evidence_count:int
recoveries: recovery:int from_claim:int from_worker:int cause lost_at to_claim:int to_worker:int taken_over_at
    landed_at status evidence:list evidence_count:int
behaviours: name first_seen_at count:int evidence:list evidence_count:int
waste: ordinal:int kind worker:int at began_at minutes:int claim:int pull:int path note:int shown_at evidence:list
    evidence_count:int
attention: item kind since severity cause worker:int pull:int claim:int action evidence:list evidence_count:int
checkpoints: checkpoint:int at_s:int commit passed:int total:int not_run:int rate_ppm:int error_code evaluator
    tokens:int cost_microusd:int
summary: section text link proof refs:list refs_count:int
ledger.claims: claim:int worker:int name text subject status opened_at_s:float closed_at_s:float held_until_s:float held_s:float
    from_pc:float to_pc:float overlaps:list pull:int linked_by recovered_by:int proof refs:list refs_count:int
ledger.pulls: number:int title fate author:int author_name merged_by:int merged_by_name claim:int conflicts:int
    opened_at_s:float ended_at_s:float age_s:float from_pc:float to_pc:float reviews:list proof refs:list
    refs_count:int
behaviours.seen: name title meaning paper_workers:int first_seen_s:float count:int workers:int reading proof
    refs:list refs_count:int
team.trust: author:int author_name reviewer:int reviewer_name reviews:int stood:int withdrawn:int asked:int
    trusted_since_s:float proof refs:list refs_count:int
team.integrators: at_s:int step_s:int name worker:int merges:int of:int
team.fates: at_s:int step_s:int fate pulls:int
team.roles: role worker:int name since_s:float until_s:float share_ppm:int proof refs:list refs_count:int
team.recoveries: claim:int text status lost_at_s:float took_s:float workers:int links:list proof refs:list
    refs_count:int
team.overlaps: claims:list workers:list names:list text place at_s:float status outcome gave_way:int messages:int
    took_s:float proof refs:list refs_count:int
team.collisions: by at_s:int step_s:int place overlaps:int conflicts:int
team.waste: kind words worker:int minutes:int claim:int pull:int path note:int at_s:float shown_at_s:float name proof
    refs:list refs_count:int
team.handovers: pull:int author:int author_name asked:int answered_by:int answered_name cancelled:int landed_by:int
    landed_name landed_at_s:float status proof refs:list refs_count:int
team.withdrawn: review pull:int title pull_status verdict status at_s:float withdrawn_at_s:float counterexample proof
    refs:list refs_count:int reviewer:int name author:int author_name
"""
_KINDS: Final[dict[str, type]] = {"": str, "int": int, "float": float, "list": list}


def _read(text: str) -> dict[str, dict[str, type]]:
    found: dict[str, dict[str, type]] = {}
    for line in text.strip().replace("\n    ", " ").splitlines():
        name, _, columns = line.partition(": ")
        found[name] = {column: _KINDS[kind] for column, _, kind in (each.partition(":") for each in columns.split())}
    return found


COLUMNS: Final = _read(_SHEETS)
