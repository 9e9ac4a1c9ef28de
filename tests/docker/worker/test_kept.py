"""A conversation of `mini` is on disk after every step, and can be told again."""

from __future__ import annotations

from pathlib import Path

from tests.docker.worker.test_mini import conversation
from worker.mini.kept import INTERRUPTED, Kept, told_again


def test_a_conversation_outlives_its_process_and_its_open_calls_have_a_result(tmp_path: Path) -> None:
    messages = conversation(2)
    kept = Kept(tmp_path, "mini-x")
    kept.save(messages[:-1])  # killed while the second call ran
    found = kept.load()
    assert found is not None and found[:-1] == messages[:-1]
    assert found[-1] == {"role": "tool", "tool_call_id": "c1", "content": INTERRUPTED}
    assert [event for event, _ in told_again(found)] == ["user", "call", "done", "call", "done"]
    assert Kept(tmp_path, "mini-y").load() is None
    (tmp_path / "mini-x.json").write_text('[{"role"')
    assert kept.load() is None
