"""The npm package behind a harness, pinned. The lock file in `docker/clis/` pins everything below it. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Package:
    """`entry` is the program below `node_modules`, `{platform}` = `linux-x64` and the like; `node`: it is a script for Node."""

    name: str
    version: str
    entry: str
    node: bool = False

    def argv(self, cli: str, platform: str) -> tuple[str, ...]:
        """What starts it, from the folder the packages are installed in."""
        program = f"{cli}/node_modules/{self.entry.format(platform=platform)}"
        return ("node", program) if self.node else (program,)
