"""Break long lines."""

from rillib.options import number, parse, read_lines, write_lines


def broken(line, width, at_blanks):
    """The pieces of one line, each at most `width` characters."""
    pieces = []
    while len(line) > width:
        cut = width
        if at_blanks:
            blank = line.rfind(" ", 0, width)
            if blank >= 0:
                cut = blank + 1
        pieces.append(line[:cut])
        line = line[cut:]
    return [*pieces, line]


def run(argv):
    options, files = parse(argv, flags="st", values="wp")
    width = number(options.get("w", "80"), "w", 1)
    prefix = options.get("p", "")
    result = []
    for line in read_lines(files):
        pieces = broken(line, width, "s" in options)
        if "t" in options:
            pieces = [piece.rstrip(" ") for piece in pieces]
        result += [pieces[0], *[prefix + piece for piece in pieces[1:]]]
    write_lines(result)
