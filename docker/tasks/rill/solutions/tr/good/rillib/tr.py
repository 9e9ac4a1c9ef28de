"""Translate, delete or squeeze characters."""

import sys

from rillib.options import Complaint, parse, read_text

NAMES = {"n": "\n", "t": "\t", "\\": "\\", "-": "-"}


def expand(text):
    """`a-z\\n` as the list of its characters."""
    plain = []
    i = 0
    while i < len(text):
        if text[i] == "\\" and text[i + 1 : i + 2] in NAMES and i + 1 < len(text):
            plain.append((NAMES[text[i + 1]], False))
            i += 2
        else:
            plain.append((text[i], text[i] == "-"))
            i += 1
    found = []
    i = 0
    while i < len(plain):
        if i + 2 < len(plain) and plain[i + 1][1]:
            low, high = plain[i][0], plain[i + 2][0]
            if low > high:
                raise Complaint(f"range {low}-{high} runs backwards")
            found += [chr(n) for n in range(ord(low), ord(high) + 1)]
            i += 3
        else:
            found.append(plain[i][0])
            i += 1
    return found


def run(argv):
    options, sets = parse(argv, flags="dsc")
    if len(sets) != (1 if "d" in options or ("s" in options and len(sets) == 1) else 2):
        raise Complaint("give SET1 and SET2, or SET1 alone with -d or -s")
    first = expand(sets[0])
    second = expand(sets[1]) if len(sets) == 2 else []
    if len(sets) == 2 and not second:
        raise Complaint("SET2 is empty")
    members, complement = set(first), "c" in options
    table = {}
    for n, c in enumerate(first):
        table.setdefault(c, second[min(n, len(second) - 1)] if second else c)
    squeeze = set(second) if second else members
    out = []
    for c in read_text("-"):
        hit = (c in members) != complement
        if hit and "d" in options:
            continue
        if hit and second:
            c = second[-1] if complement else table[c]
        if "s" in options and out and out[-1] == c and ((c in squeeze) != (complement and not second)):
            continue
        out.append(c)
    sys.stdout.buffer.write("".join(out).encode("utf-8", "surrogateescape"))
