"""Line up the columns of a table."""

from rillib.options import parse, read_lines, write_lines


def looks_numeric(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def run(argv):
    options, files = parse(argv, flags="rnh", values="do")
    delimiter = options.get("d", "\t")
    gap = options.get("o", "  ")
    rows = [line.split(delimiter) for line in read_lines(files)]
    columns = max((len(row) for row in rows), default=0)
    widths = [max(len(row[n]) for row in rows if n < len(row)) for n in range(columns)]
    right = []
    for n in range(columns):
        cells = [row[n] for row in (rows[1:] if "h" in options else rows) if n < len(row) and row[n]]
        right.append("r" in options or ("n" in options and bool(cells) and all(looks_numeric(c) for c in cells)))
    result = []
    for row in rows:
        cells = [c.rjust(widths[n]) if right[n] else c.ljust(widths[n]) for n, c in enumerate(row)]
        result.append(gap.join(cells).rstrip(" "))
    if "h" in options and rows:
        result.insert(1, gap.join("-" * width for width in widths))
    write_lines(result)
