"""What simulated workers write: subjects and phrasings, drawn by seed. Agents write freely, so no form is the only one."""

from __future__ import annotations

from random import Random

AREAS = [
    "reader/markdown",
    "reader/html",
    "reader/latex",
    "reader/docx",
    "reader/rst",
    "reader/org",
    "reader/epub",
    "reader/man",
    "writer/html",
    "writer/latex",
    "writer/docx",
    "writer/rst",
    "writer/man",
    "writer/ms",
    "citeproc",
    "templates",
    "filters",
    "tables",
    "math",
    "options",
    "cli",
    "text",
    "shared/parsing",
    "shared/xml",
    "shared/css",
    "images",
    "lists",
    "links",
    "footnotes",
    "metadata",
    "highlighting",
    "unicode",
]
THINGS = [
    "nested lists",
    "inline code",
    "attributes",
    "smart quotes",
    "tables",
    "footnotes",
    "raw blocks",
    "entities",
    "headings",
    "emphasis",
    "citations",
    "math",
    "escapes",
    "links",
    "images",
    "line blocks",
    "definition lists",
    "metadata",
    "error messages",
    "exit codes",
    "include paths",
    "column spans",
    "captions",
    "superscript",
    "strikeout",
    "numbering",
    "anchors",
    "white space",
    "tabs",
    "wrapping",
]
CLAIMS = ("CLAIM {}", "claiming {}", "I will take {}", "{}", "working on {}", "Taking {} now")
TAKES = ("taking over {} from {}", "CLAIM {}, {} is gone", "picking up {} after {}", "{}: continuing what {} left")
RELEASES = (
    "Releasing {}: yours is further.",
    "released {}, go ahead",
    "dropping {} in your favour",
    "yielding {} to you",
)
ASKS = (
    "We both hold {}. I have a parser half done, you?",
    "Are you on {} as well? I opened first.",
    "{}: let us not do this twice.",
)
APPROVALS = (
    "Reads well, tests pass.",
    "Ran the examples: equal to the reference.",
    "LGTM",
    "Good. One nit, not blocking.",
)
COUNTEREXAMPLES = (
    "Counterexample: `{}` loses the last cell.",
    "Wrong on empty input: {} prints a newline, the reference does not.",
    "I withdraw my approval: {} swaps the order.",
)
CHATTER = (
    "main is green at {}.",
    "I merge whatever has one standing approval. Ask me.",
    "Rebasing {} on main now.",
    "Who knows how the reference treats {}?",
    "{} is on main.",
)


def subject(random: Random, number: int) -> tuple[str, str, str]:
    """(delegation id, path, title) of the `number`-th sub-task."""
    area, thing = AREAS[number % len(AREAS)], THINGS[(number // len(AREAS)) % len(THINGS)]
    series = number // (len(AREAS) * len(THINGS))
    tail = f" part {series + 1}" if series else ""
    slug = f"{area.replace('/', '-')}-{thing.replace(' ', '-')}{f'-{series + 1}' if series else ''}"
    return slug, f"src/{area}/{thing.replace(' ', '_')}{f'_{series + 1}' if series else ''}.c", f"{area}: {thing}{tail}"


def pick(random: Random, forms: tuple[str, ...], *words: str) -> str:
    """One of the forms, filled."""
    form = random.choice(forms)
    return form.format(*words) if "{}" in form else form
