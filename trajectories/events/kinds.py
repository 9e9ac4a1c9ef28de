"""Every kind of event: which source says it and with which fields. No kind is named after a meaning (claim, role, recovery)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event: its source, its field names and one sentence of meaning."""

    source: str
    fields: tuple[str, ...]
    meaning: str


def _kind(source: str, fields: str, meaning: str) -> Kind:
    return Kind(source, tuple(fields.split()), meaning)


KINDS: dict[str, Kind] = {
    # run: our own launcher, monitor and scorer
    "run.started": _kind(
        "run",
        "*",
        "The clock starts; carries the spec flat, with claim_ttl_s, idle_limit_s, role_window_s, duration_s.",
    ),
    "run.phase_changed": _kind("run", "phase", "Launch or end moved to another phase."),
    "run.ticked": _kind("run", "", "Ten seconds passed: timers may fire."),
    "run.ended": _kind("run", "outcome reason", "The run is over."),
    "worker.enrolled": _kind(
        "run",
        "name node harness model gitea_login gitea_id mattermost_username mattermost_id",
        "A roster row; the latest wins.",
    ),
    "worker.joined": _kind("run", "life", "A worker's process started, under this life."),
    "worker.exited": _kind("run", "life code signal oom expected", "A worker's process ended."),
    "worker.starved": _kind("run", "life", "The memory limit killed a process of the worker, which lives on."),
    "worker.silent": _kind("run", "since", "The monitor has heard nothing for too long."),
    "worker.heard": _kind("run", "", "A silent worker spoke again."),
    "node.joined": _kind("run", "node", "A node takes part."),
    "node.lost": _kind("run", "node", "A node no longer answers."),
    "service.started": _kind("run", "service", "A service of the team answers."),
    "service.exited": _kind("run", "service code log_tail", "A service's process ended."),
    "service.unhealthy": _kind("run", "service log_tail", "A service runs and does not answer."),
    "service.recovered": _kind("run", "service", "A service answers again."),
    "usage.sampled": _kind("run", "rss_mb cpu", "Memory and processor of a worker."),
    "checkpoint.scored": _kind(
        "run",
        "checkpoint at_s commit passed total not_run error_code evaluator took_ms",
        "The program was scored.",
    ),
    "budget.reached": _kind(
        "run", "state limit share_ppm spent_microusd spent_tokens", "The model budget is near its end, or spent."
    ),
    "action.taken": _kind("run", "person action target", "A person acted on the run."),
    # acp: the agent's own protocol
    "session.opened": _kind("acp", "life session harness resumed", "An agent session began or was resumed."),
    "turn.started": _kind("acp", "turn trigger", "The worker was given a prompt."),
    "turn.finished": _kind("acp", "turn stop_reason error", "The agent answered the prompt."),
    "step.started": _kind("acp", "step turn tool kind title", "A tool call began."),
    "step.finished": _kind("acp", "step status exit_code", "A tool call ended."),
    "text.written": _kind("acp", "turn role chars", "The agent wrote an answer or a thought."),
    "plan.changed": _kind("acp", "entries", "The agent's plan."),
    "permission.asked": _kind("acp", "step title", "The agent asked for permission."),
    "permission.answered": _kind("acp", "step outcome", "The loop answered."),
    "usage.reported": _kind(
        "acp",
        "session scope input_tokens cached_tokens output_tokens reasoning_tokens cost_microusd",
        "Tokens as the agent counts them, absolute per session or per prompt.",
    ),
    "inbox.moved": _kind("acp", "feed state from upto turn via", "Inbox items moved to another delivery state."),
    "nudge.sent": _kind("acp", "", "An idle worker was prompted."),
    "reminder.sent": _kind("acp", "minutes_left", "A worker was told the time left."),
    # board
    "note.posted": _kind("board", "note type text detail delegation_id", "A typed note was admitted."),
    "note.refused": _kind("board", "type text reason", "A note was refused."),
    "notes.read": _kind("board", "via upto added", "A worker read the board."),
    "note.unfolded": _kind("board", "note", "A worker opened a note's detail."),
    # mattermost
    "message.posted": _kind("mattermost", "message kind channel to text reply_to", "A channel or direct message."),
    "message.edited": _kind(
        "mattermost", "message kind channel to text reply_to created_at", "A message has a new text."
    ),
    "message.deleted": _kind("mattermost", "message", "A message was deleted."),
    "reaction.added": _kind("mattermost", "message emoji", "A reaction."),
    "reaction.removed": _kind("mattermost", "message emoji", "A reaction was taken back."),
    # gitea
    "branch.created": _kind("gitea", "branch sha", "A branch exists."),
    "branch.deleted": _kind("gitea", "branch sha", "A branch is gone."),
    "commits.pushed": _kind(
        "gitea", "branch before after commits gap", "A branch moved; commits = [{sha, title, actor, files}]."
    ),
    "pull.opened": _kind("gitea", "number title body author head base sha", "A pull was opened."),
    "pull.edited": _kind("gitea", "number title body author head base sha", "Title, body or base changed."),
    "pull.pushed": _kind("gitea", "number sha", "The head branch of a pull moved."),
    "pull.closed": _kind("gitea", "number title body author head base sha", "A pull was closed unmerged."),
    "pull.reopened": _kind("gitea", "number title body author head base sha", "A pull was opened again."),
    "pull.merged": _kind(
        "gitea",
        "number title body author head base sha",
        "A pull was merged; the actor is the merger, sha the merge commit.",
    ),
    "review.requested": _kind("gitea", "number reviewer", "A review was asked for."),
    "review.request_removed": _kind("gitea", "number reviewer", "The request was taken back."),
    "review.submitted": _kind("gitea", "number verdict text", "A verdict: approved, changes_requested or commented."),
    "comment.posted": _kind("gitea", "number comment text", "A comment on a pull."),
    "comment.edited": _kind("gitea", "number comment text", "A comment has a new text."),
    "comment.deleted": _kind("gitea", "number comment text", "A comment is gone."),
    "pull.observed": _kind(
        "gitea",
        "number state title body author head base head_sha opened_at merged_by merged_at sha conflict reviews closed_at",
        "What a sweep of the pull saw; reviews = [{id, actor, verdict, text, said_at, dismissed, dismissed_by, stale}].",
    ),
    "refs.observed": _kind("gitea", "branches", "What a sweep of the branches saw: {name: sha}."),
    # gateway
    "request.metered": _kind(
        "gateway",
        "request purpose model input_tokens cached_tokens output_tokens reasoning_tokens cost_microusd status took_ms",
        "One model request, counted by the gateway.",
    ),
}

TALLIES: frozenset[str] = frozenset(
    [
        "step.started",
        "step.finished",
        "text.written",
        "usage.reported",
        "plan.changed",
        "inbox.moved",
        "notes.read",
        "request.metered",
        "usage.sampled",
        "permission.asked",
        "permission.answered",
        "note.unfolded",
    ]
)


def is_tally(kind: str) -> bool:
    """True for events that enter commutative sums and never rewind the ordered fold."""
    return kind in TALLIES
