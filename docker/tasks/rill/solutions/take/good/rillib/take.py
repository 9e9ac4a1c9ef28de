"""The first or the last lines of each file."""

from rillib.options import number, parse, read_lines, write_lines


def run(argv):
    options, files = parse(argv, flags="le", values="n")
    count = number(options.get("n", "10"), "n")
    result = []
    for name in files or ["-"]:
        lines = read_lines([name])
        many = count if count >= 0 else max(len(lines) + count, 0)
        if "l" in options:
            lines = lines[max(len(lines) - many, 0) :]
        else:
            lines = lines[:many]
        if "e" in options:
            lines = lines[1::2]
        if len(files) > 1:
            result.append(f"==> {name} <==")
        result += lines
    write_lines(result)
