"""Sub-tasks of the simulated team: 32 areas by 30 things, then again by part; and the ways workers spell one."""

from __future__ import annotations

from random import Random

# fmt: off
AREAS = (
    "reader/markdown", "reader/html", "reader/latex", "reader/docx", "reader/rst", "reader/org", "reader/epub",
    "reader/man", "writer/html", "writer/latex", "writer/docx", "writer/rst", "writer/man", "writer/ms",
    "citeproc", "templates", "filters", "tables", "math", "options", "cli", "text", "shared/parsing",
    "shared/xml", "shared/css", "images", "lists", "links", "footnotes", "metadata", "highlighting", "unicode",
)
THINGS = (
    "nested lists", "inline code", "attributes", "smart quotes", "tables", "footnotes", "raw blocks", "entities",
    "headings", "emphasis", "citations", "math", "escapes", "links", "images", "line blocks", "definition lists",
    "metadata", "error messages", "exit codes", "include paths", "column spans", "captions", "superscript",
    "strikeout", "numbering", "anchors", "white space", "tabs", "wrapping",
)
# fmt: on


def subject(number: int) -> tuple[str, str, str]:
    """(delegation id, path, title) of the `number`-th sub-task."""
    area, thing = AREAS[number % len(AREAS)], THINGS[(number // len(AREAS)) % len(THINGS)]
    series = number // (len(AREAS) * len(THINGS))
    tail = f" part {series + 1}" if series else ""
    slug = f"{area.replace('/', '-')}-{thing.replace(' ', '-')}{f'-{series + 1}' if series else ''}"
    return slug, f"src/{area}/{thing.replace(' ', '_')}{f'_{series + 1}' if series else ''}.c", f"{area}: {thing}{tail}"


def spelled(random: Random, number: int) -> str:
    """The sub-task as somebody happens to write it: title, other way round, path, id, capitals."""
    slug, path, title = subject(number)
    area, _, thing = title.partition(": ")
    forms = (title, title, title, f"{thing} in {area}", f"{area} {thing}", path, slug, title.upper(), f"`{title}`")
    return random.choice(forms)
