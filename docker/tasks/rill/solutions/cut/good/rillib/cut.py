"""Pick fields or characters of every line."""

from rillib.options import Complaint, parse, read_lines, write_lines


def ranges(text):
    """`2,4-6,8-` as [(first, last or None)]."""
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            low = int(first) if first else 1
            high = (int(last) if last else None) if dash else low
        except ValueError:
            raise Complaint(f"bad list: {text}") from None
        if low < 1 or (high is not None and high < low) or part in ("", "-"):
            raise Complaint(f"bad list: {text}")
        found.append((low, high))
    return found


def chosen(position, wanted, complement):
    inside = any(low <= position and (high is None or position <= high) for low, high in wanted)
    return inside != complement


def run(argv):
    options, files = parse(argv, flags="xs", values="fcdo")
    if ("f" in options) == ("c" in options):
        raise Complaint("give one of -f LIST and -c LIST")
    wanted = ranges(options.get("f") or options["c"])
    complement = "x" in options
    delimiter = options.get("d", "\t")
    joiner = options.get("o", delimiter)
    result = []
    for line in read_lines(files):
        if "c" in options:
            result.append("".join(c for n, c in enumerate(line, 1) if chosen(n, wanted, complement)))
            continue
        if delimiter not in line:
            if "s" not in options:
                result.append(line)
            continue
        fields = line.split(delimiter)
        result.append(joiner.join(f for n, f in enumerate(fields, 1) if chosen(n, wanted, complement)))
    write_lines(result)
