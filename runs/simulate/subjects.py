"""Sub-tasks of simulated teams: areas by things, of a document converter and of a database; 32 by 30 each."""

from __future__ import annotations

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
MORE_AREAS = (
    "lexer", "parser/select", "parser/insert", "parser/ddl", "planner/joins", "planner/scans", "planner/cost",
    "executor", "btree", "pager", "wal", "cache", "catalog", "vfs", "types/text", "types/blob", "types/numeric",
    "functions/date", "functions/string", "functions/json", "functions/math", "triggers", "views", "pragmas",
    "shell", "backup", "fts", "window", "aggregates", "constraints", "collation", "vacuum",
)
MORE_THINGS = (
    "empty input", "null handling", "overflow", "rollback", "nesting", "aliases", "error codes", "quoting",
    "defaults", "ordering", "limits", "savepoints", "affinity", "casts", "recursion", "comments", "prefix search",
    "locking", "checkpoints", "page splits", "free list", "statistics", "rounding", "time zones", "wildcards",
    "duplicates", "foreign keys", "temp files", "large values", "encoding",
)
# fmt: on
