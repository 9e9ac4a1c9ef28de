"""Join two files on a key field; the input need not be sorted."""

from rillib.options import Complaint, number, parse, read_lines, write_lines


def split_key(line, delimiter, field):
    fields = line.split(delimiter)
    if field > len(fields):
        return None, fields
    return fields[field - 1], fields[: field - 1] + fields[field:]


def run(argv):
    options, files = parse(argv, flags="av", values="12de")
    if len(files) != 2:
        raise Complaint("give exactly two files")
    delimiter = options.get("d", "\t")
    left = number(options.get("1", "1"), "1", 1)
    right = number(options.get("2", "1"), "2", 1)
    empty = options.get("e", "")
    table, width = {}, 0
    for line in read_lines(files[1:]):
        key, rest = split_key(line, delimiter, right)
        if key is not None:
            table.setdefault(key, []).append(rest)
            width = max(width, len(rest))
    result = []
    for line in read_lines(files[:1]):
        key, rest = split_key(line, delimiter, left)
        matches = table.get(key, []) if key is not None else []
        if "v" in options:
            if not matches:
                result.append(line)
            continue
        for match in matches:
            result.append(delimiter.join([key, *rest, *match]))
        if not matches and "a" in options:
            result.append(delimiter.join([key if key is not None else empty, *rest, *[empty] * width]))
    write_lines(result)
