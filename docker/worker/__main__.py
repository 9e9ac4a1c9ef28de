"""`python -m worker --config worker.json`: one worker of a team, until its deadline. 0 = done or told to stop, 2 = bad file, 3 = lost harness."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from math import isfinite
from pathlib import Path

from worker.agent_log import logs
from worker.announcements import Announcements
from worker.clients.board import Board
from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.clock import Clock
from worker.commands import Commands
from worker.config import BadConfig, Config, load
from worker.feeds import BoardFeed, ChatFeed, RepoFeed, forever
from worker.inbox import Inbox
from worker.moves import last_told
from worker.placeholders import filled, filled_all
from worker.processes import adopt_orphans, end_descendants
from worker.prompts import fill, minutes
from worker.records import Superseded
from worker.reminders import Reminders
from worker.ship import Shipper, client
from worker.spool import Spool
from worker.tap import Tap
from worker.tools import Tools
from worker.workplace import environment, furnish

DRAIN_AT_DEADLINE_S, DRAIN_WHEN_STOPPED_S = 20.0, 3.0


def main(argv: list[str] | None = None) -> int:
    """Read the file and work."""
    parser = argparse.ArgumentParser(prog="worker", description=__doc__)
    parser.add_argument("--config", required=True, type=Path)
    try:
        config = load(parser.parse_args(argv).config)
    except BadConfig as error:
        print(f"worker: {error}", file=sys.stderr)
        return 2
    adopt_orphans()
    try:
        return asyncio.run(work(config))
    except Superseded as error:
        print(f"worker: {error}", file=sys.stderr)
        return 0


async def work(config: Config) -> int:
    """Put the parts together, run the loop, and leave nothing behind: no process, and as little in the spool as the time allows."""
    furnish(config)
    told = last_told(config.spool_dir)
    spool = Spool(config.spool_dir, config.life)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(spool.close)
        http = await stack.enter_async_context(client(config))
        clock = Clock()
        await clock.ask(http, _addresses(config))
        shipper = Shipper(config, http, spool.flush)
        tap = Tap(spool, shipper.wake.set)
        inbox = Inbox(config.spool_dir / "inbox.db", tap.moved, config.life, lambda: tap.turn)
        stack.callback(inbox.close)
        shipping = asyncio.create_task(shipper.run())

        # The SDKs take a second of processor time to import: the worker is heard before that.
        from worker.agent import Harness
        from worker.loop import Loop
        from worker.serve import serving

        inbox.recover(told)
        board = Board(config, http) if "board" in config.endpoints else None
        chat = Chat(config, http) if "chat" in config.endpoints else None
        forge = Forge(config, http) if "forge" in config.endpoints else None
        reminders = Reminders(config.reminders_s, config.deadline_at, clock.now, late=config.life > 1)
        commands = Commands(config.path.with_name("commands.jsonl"), inbox.recall("commands", 0))
        announcements = Announcements(reminders, commands, inbox, tap.loop)
        tools = Tools(inbox, board, chat, forge, announcements.take)

        def harness() -> Harness:
            return Harness(
                command=[filled(part, tools_at, config.token) for part in config.command],
                env=filled_all(environment(config), tools_at, config.token),
                cwd=config.cwd,
                log=config.spool_dir.parent / "harness.log",
                observe=tap.acp,
                noise=tap.noise,
                mode=config.session_mode,
                permissions=config.permissions,
                replayed=tap.replayed,
            )

        loop = Loop(config, tap, inbox, tools, announcements, clock, harness)
        loop.sessions.opened = lambda version: setattr(shipper, "harness", version)
        shipper.heard = clock.hear
        shipper.superseded = lambda: loop.stop("a newer life has joined")
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, loop.stop)
        tasks = [asyncio.create_task(tap.keep()), *_feeds(config, inbox, board, chat, forge)]
        code = 0
        try:
            async with serving(tools) as tools_at:
                code = await loop.run(tools_at, _prompt(config, clock))
        except Superseded as error:
            loop.stop(str(error))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            ended, left = await end_descendants()
            tap.loop("processes.ended", ended=ended, left=left)
            for log in logs(config.harness, config.home):
                tap.loop("agent.logged", **log)
            shipping.cancel()
            await asyncio.gather(shipping, return_exceptions=True)
            await shipper.drain(DRAIN_WHEN_STOPPED_S if loop.stopped else DRAIN_AT_DEADLINE_S)
        return code


def _addresses(config: Config) -> list[str]:
    """Who may be asked the time: the app, whose clock the deadline is in; if it is away, the board."""
    app, found, _ = config.ingest_url().partition("/ingest/")
    board = config.endpoints.get("board", {}).get("url")
    return [*([f"{app}/health/live"] if found else []), *([f"{board}/health"] if board else [])]


def _feeds(
    config: Config, inbox: Inbox, board: Board | None, chat: Chat | None, forge: Forge | None
) -> list[asyncio.Task[None]]:
    def complain(name: str) -> object:
        return lambda text: print(f"worker: feed {name}: {text}", file=sys.stderr, flush=True)

    steps = []
    if board:
        steps.append(("board", BoardFeed(board, inbox, config.name).step, 0.05))
    if chat:
        steps.append(("chat", ChatFeed(chat, inbox).step, float(config.poll_s.get("chat", 1.0))))
    if forge and (board or chat):  # who works alone has nobody to hear from
        steps.append(("repo", RepoFeed(forge, inbox).step, float(config.poll_s.get("repo", 2.0))))
    return [asyncio.create_task(forever(step, pause, complain(name))) for name, step, pause in steps]  # type: ignore[arg-type]


def _prompt(config: Config, clock: Clock) -> str:
    left = config.deadline_at - clock.now()
    values = {
        "name": config.name,
        "number": str(config.worker),
        "task": config.task,
        "task_folder": str(config.task_folder),
        "repository": config.repository,
        "minutes": str(minutes(left)) if isfinite(left) else "unlimited",
    }
    return fill(prompt_file(config).read_text(), values)


def prompt_file(config: Config) -> Path:
    """The template: the team's, or for a worker without peers (a baseline has neither board nor chat) the one beside it."""
    alone = config.prompt_file.with_name("prompt-alone.md")
    return alone if config.alone and alone.exists() else config.prompt_file


if __name__ == "__main__":
    sys.exit(main())
