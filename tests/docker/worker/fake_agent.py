"""An ACP agent in plain lines of JSON, that misbehaves as it is told by the text of a prompt. Started as a process by tests."""

from __future__ import annotations

import json
import os
import sys
import time


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(**fields: object) -> None:
    say(method="session/update", params={"sessionId": "s", "update": fields})


def chunk(text: str) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


def torrent(turn: int) -> None:
    """A hundred million characters: in two thousand updates the first time, in one the second."""
    size, times = (50_000, 2_000) if turn == 1 else (100_000_000, 1)
    for _ in range(times if turn <= 2 else 0):
        chunk("x" * size)


def prompt(id: int, text: str) -> None:
    words = text.splitlines()[0]
    if "--torrent" in sys.argv:
        torrent(id - 1)
    if words == "refuse":
        return say(id=id, error={"code": -32603, "message": "Internal error", "data": {"errorKind": "rate_limit"}})
    if words == "die":
        os._exit(9)
    if words == "error in words":
        chunk("Info: Request failed due to a transient API error. Retrying...")
        chunk("Error: Authentication failed with provider")
        return say(id=id, result={"stopReason": "end_turn"})
    if words == "new stop reason":
        return say(id=id, result={"stopReason": "bored", "usage": None})
    if words == "new update":
        update(sessionUpdate="dream", content=1)
        update(sessionUpdate="tool_call", toolCallId="a", title="x", kind="no_such_kind", status="odd", extra={"y": 1})
    if words == "noise":
        print("a warning, not a message", flush=True)
        print("[1, 2]", flush=True)
    if words == "long":
        chunk("x" * 3_000_000)
    if words == "permission":
        option = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
        never = {"optionId": "no", "name": "No", "kind": "reject_once"}
        call = {"toolCallId": "a", "title": "ls"}
        params = {"sessionId": "s", "toolCall": call, "options": [never, option]}
        say(id=77, method="session/request_permission", params=params)
        answer = json.loads(sys.stdin.readline())
        refused = answer["result"]["outcome"].get("optionId") != "yes"
        chunk("Info: Operation cancelled by user" if refused else json.dumps(answer["result"]))
    if words == "hang":
        while json.loads(sys.stdin.readline()).get("method") != "session/cancel":
            pass
        return say(id=id, result={"stopReason": "cancelled"})
    if words == "flood":
        sys.stderr.write("e" * 300_000)
        sys.stderr.flush()
    usage = {"totalTokens": 3, "inputTokens": 2, "outputTokens": 1}
    say(id=id, result={"stopReason": "end_turn", "usage": usage})
    return None


def main() -> None:
    if "--deaf" in sys.argv:
        time.sleep(300)
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        if method == "initialize":
            say(id=id, result={"protocolVersion": 1, "agentInfo": {"name": "fake", "version": "7"}})
        elif method == "session/new":
            if "--no-login" in sys.argv:
                say(id=id, error={"code": -32000, "message": "Authentication required"})
            else:
                say(id=id, result={"sessionId": "s", "models": {"unknown": "kept"}})
        elif method == "session/prompt":
            prompt(id, message["params"]["prompt"][0]["text"])
    if "--ignores-eof" in sys.argv:
        time.sleep(300)


if __name__ == "__main__":
    main()
