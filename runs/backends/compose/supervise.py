"""The supervisor of one run's stack: `python -m runs.backends.compose.supervise RUN_DIR`, beside the launcher.

The same files as on `local`: it does what `commands.jsonl` asks and says in `status.jsonl` what happens. Unlike there the
programs are the engine's: a supervisor that dies leaves them running, and the next one takes them over.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from runs.backends.compose import composing, engine
from runs.backends.compose.listening import listen
from runs.backends.compose.lives import Lives
from runs.backends.compose.logs import keep_log
from runs.backends.compose.stack import APPS_NETWORK, Stack, program_of, project_name
from runs.backends.compose.starting import Starting
from runs.backends.files import append_line, read_json, read_lines, write_json
from runs.backends.posted import alone, post, said

WAKE_S = 0.1
STOPPERS = 64  # most of a stop is waiting for the program
LOOK_S = 5
SAMPLE_S = 10


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Supervisor:
    """One run's stack. The main thread decides and writes; the others wait for the engine and for Compose."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.inode = folder, folder.stat().st_ino
        plan: dict[str, Any] = read_json(folder / "plan.json")
        self.site, self.run_id = str(plan["site"]), int(plan["run"])
        self.project = project_name(self.site, self.run_id)
        self.services = [program_of(told) for told in plan["services"]]
        self.programs = {service.name: service for service in self.services}
        self.end_at, self.grace_s = int(plan["end_at"]), float(plan.get("grace_s", 8))
        self.lives = Lives(self.say)
        self.commands_read = 0
        self.heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        whole = Stack(self.site, self.run_id, (), plan.get("network", APPS_NETWORK))
        self.starting = Starting(folder, whole, set(plan["images"]), lambda *told: self.heard.put(told))
        self.stoppers = ThreadPoolExecutor(STOPPERS)
        self.looked = self.sampled = 0.0
        self.heard_to = now_ms()
        self.aside: threading.Thread | None = None
        self.why_end = ""
        self.leave = threading.Event()

    def say(self, name: str, life: int, state: str, **more: Any) -> None:
        if self.folder_is_there():
            line = {"at": now_ms(), "proc": name, "life": life, "state": state, **more}
            append_line(self.folder / "status.jsonl", line)

    def folder_is_there(self) -> bool:
        try:
            return self.folder.stat().st_ino == self.inode
        except OSError:
            return False

    # --- the loop

    def run(self) -> None:
        self.recall()
        post(self.folder)
        self.say("supervisor", 1, "started", pid=os.getpid())
        told = (self.site, self.run_id, self.heard_to, self.leave.is_set, lambda *news: self.heard.put(news))
        threading.Thread(target=listen, args=told, daemon=True).start()
        self.look()
        for service in self.services:
            known = self.lives.of(service.name)
            known.due_at = 0.0 if known.running else 1.0
        while not self.leave.is_set():
            if not self.folder_is_there():
                self.why_end = "the run folder is gone"
            self.obey()
            self.hear()
            if now_ms() > self.end_at:
                self.why_end = self.why_end or "deadline"
            if self.why_end:
                self.end()
                return
            self.starting.start_due(self.lives.due(time.time()), self.programs)
            self.look_again()
            self.leave.wait(WAKE_S)

    def recall(self) -> None:
        services = {service.name for service in self.services}
        for line in said(self.folder):
            self.lives.recall(line, line["proc"] in services)
            self.heard_to = int(line["at"])  # what happened while no supervisor listened is asked for

    def obey(self) -> None:
        lines, self.commands_read = read_lines(self.folder / "commands.jsonl", self.commands_read)
        for line in lines:
            match line.get("command"):
                case "start":
                    self.lives.accept(line)
                    self.programs[line["proc"]] = program_of(line["program"])
                case "stop" if line.get("proc") in self.lives.known:
                    known = self.lives.known[line["proc"]]
                    if known.life == line.get("life", known.life):
                        known.stopping = True
                        if known.running:
                            grace = float(line.get("grace_s", 5))
                            self.stoppers.submit(engine.stop, known.container, grace)
                case "deadline":
                    self.end_at = int(line["at"])
                case "end":
                    self.why_end = self.why_end or "command"

    # --- what happens

    def hear(self) -> None:
        while not self.heard.empty():
            what, told = self.heard.get()
            if what == "event":
                self.take(told)
            elif what == "revived":
                self.lives.revived(*told)
            elif what == "progress":
                self.say("supervisor", 1, "progress", text=str(told)[:300])
            elif what == "fault":
                write_json(self.folder / "fault.json", {"why": str(told)})
                self.say("supervisor", 1, "fault", why=str(told)[:500])

    def take(self, event: dict[str, Any]) -> None:
        action, actor = str(event.get("Action", "")), event.get("Actor") or {}
        attributes, container = actor.get("Attributes") or {}, str(actor.get("ID", ""))
        name, life = attributes.get(engine.PROGRAM, ""), int(attributes.get(engine.LIFE) or 0)
        moment = int(event.get("timeNano") or 0) // 1_000_000 or now_ms()
        if action == "start":
            self.lives.started(name, life, container, moment)
        elif action == "die":
            self._keep_log(name, container)
            self.lives.exited(name, container, int(attributes.get("exitCode") or 0), moment)
        elif action == "oom":
            self.lives.starved(container, moment)
        elif action in {"health_status: healthy", "health_status: unhealthy"}:
            self._keep_log(name, container)
            self.lives.health(container, action.endswith(" healthy"), moment)

    def look_again(self) -> None:
        self.lives.child_starved(now_ms())
        for container in self.lives.spent():  # the end has less to do, and the host its memory back
            self.stoppers.submit(engine.remove, container)
        if time.monotonic() - self.looked > LOOK_S:
            self.look()
            if not (self.aside and self.aside.is_alive()):  # a thousand workers take their time
                self.aside = threading.Thread(target=self.look_closer, daemon=True)
                self.aside.start()

    def look(self) -> None:
        """Make up for events that nobody heard."""
        self.looked = time.monotonic()
        try:
            found = engine.containers(site=self.site, run=str(self.run_id))
        except Exception as problem:  # the engine restarts: its containers go on or are found dead at the next look
            self.say("supervisor", 1, "progress", text=f"the engine does not answer: {problem}"[:300])
            return
        there = {container.id for container in found}
        for known in list(self.lives.known.values()):
            if known.running and known.container not in there:
                self.lives.exited(known.name, known.container, 137, now_ms())
        for container in found:
            name, life = container.labels.get(engine.PROGRAM, ""), int(container.labels.get(engine.LIFE) or 0)
            known = self.lives.of(name, life == 0)
            running = container.state in {"running", "paused"}
            if running and not known.running:
                self.lives.started(name, life, container.id, now_ms())
            elif not running and known.running and known.container == container.id:
                now = engine.state(container.id) or {}
                if not now.get("Running"):
                    self._keep_log(name, container.id)
                    self.lives.exited(name, container.id, int(now.get("ExitCode") or 0), now_ms())

    def look_closer(self) -> None:
        """Last words of services, where the pages look for them, and restarts that no event told; memory and processor of workers."""
        running = [known for known in list(self.lives.known.values()) if known.running]
        for known in running:
            if known.service:
                self._keep_log(known.name, known.container)
                if times := engine.times(known.container):
                    self.heard.put(("revived", (known.name, known.container, *times)))
        if time.monotonic() - self.sampled > SAMPLE_S:
            self.sampled = time.monotonic()
            for known in running:
                if not known.service and (used := engine.usage(known.container)):
                    self.say(known.name, known.life, "usage", rss_mb=used[0], cpu_ms=used[1])

    def _keep_log(self, name: str, container: str) -> None:
        known = self.lives.known.get(name)
        keep_log(self.folder, name, known is None or known.service, container)

    # --- the end

    def end(self) -> None:
        """Workers first, so that what they still ship finds the services; then everything; then nothing is left."""
        self.lives.ending = True
        self.say("supervisor", 1, "ending", why=self.why_end)
        self.starting.break_off()
        self.look()
        workers = [known for known in self.lives.known.values() if known.running and not known.service]
        list(self.stoppers.map(lambda known: engine.stop(known.container, self.grace_s / 2), workers))
        self.hear()
        self.look()
        for service in self.services:
            known = self.lives.known.get(service.name)
            if known and known.container:
                self._keep_log(service.name, known.container)
        try:
            if self.starting.file.exists():
                composing.down(self.project, self.starting.file, int(self.grace_s / 4))
        except (composing.ComposeError, OSError) as problem:
            self.say("supervisor", 1, "fault", why=str(problem)[:500])
        while engine.left_over(self.site, self.run_id):
            engine.remove_all(self.site, self.run_id)
            time.sleep(0.2)
        self.say("supervisor", 1, "ended")


def main() -> int:
    folder = Path(sys.argv[1])
    if not alone(folder):
        return 0
    supervisor = Supervisor(folder)
    # The launcher is going: the stack stays, the next supervisor takes it over.
    signal.signal(signal.SIGTERM, lambda *_: supervisor.leave.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervisor.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
