"""Put lines in order, by text or number, whole or by one field; equal keys keep their order."""

import re

from rillib.options import number, parse, read_lines, write_lines

NUMBER = re.compile(r"\s*(-?\d+(?:\.\d*)?|-?\.\d+)")


def numeric(text):
    """The number that a text starts with; text without one counts as 0."""
    match = NUMBER.match(text)
    return float(match.group(1)) if match else 0.0


def run(argv):
    options, files = parse(argv, flags="nrui", values="kd")
    delimiter = options.get("d", "\t")
    field = number(options["k"], "k", 1) if "k" in options else None

    def key(line):
        text = line
        if field is not None:
            fields = line.split(delimiter)
            text = fields[field - 1] if field <= len(fields) else ""
        if "i" in options:
            text = text.casefold()
        return numeric(text) if "n" in options else text

    lines = sorted(read_lines(files), key=key, reverse="r" in options)
    if "u" in options:
        kept, seen = [], set()
        for line in lines:
            if key(line) not in seen:
                seen.add(key(line))
                kept.append(line)
        lines = kept
    write_lines(lines)
