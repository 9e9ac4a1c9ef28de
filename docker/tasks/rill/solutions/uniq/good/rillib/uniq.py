"""Collapse neighbours that are equal."""

from rillib.options import Complaint, number, parse, read_lines, write_lines


def run(argv):
    options, files = parse(argv, flags="cdui", values="s")
    if "d" in options and "u" in options:
        raise Complaint("give at most one of -d and -u")
    skip = number(options["s"], "s", 0) if "s" in options else 0

    def key(line):
        text = line[skip:]
        return text.casefold() if "i" in options else text

    groups = []
    for line in read_lines(files):
        if groups and key(groups[-1][0]) == key(line):
            groups[-1][1] += 1
        else:
            groups.append([line, 1])
    result = []
    for line, times in groups:
        if ("d" in options and times == 1) or ("u" in options and times > 1):
            continue
        result.append(f"{times:>4} {line}" if "c" in options else line)
    write_lines(result)
