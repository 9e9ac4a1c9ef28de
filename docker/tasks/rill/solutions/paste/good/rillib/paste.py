"""Put files side by side, or each file on one line."""

from rillib.options import Complaint, parse, read_lines, write_lines


def run(argv):
    options, files = parse(argv, flags="s", values="de")
    delimiters = options.get("d", "\t").replace("\\t", "\t").replace("\\n", "\n")
    if not delimiters:
        raise Complaint("option -d needs at least one character")
    empty = options.get("e", "")
    columns = [read_lines([name]) for name in files or ["-"]]

    def glue(cells):
        text = cells[0] if cells else ""
        for n, cell in enumerate(cells[1:]):
            text += delimiters[n % len(delimiters)] + cell
        return text

    if "s" in options:
        write_lines(glue(column) for column in columns)
        return
    height = max(len(column) for column in columns)
    write_lines(glue([column[n] if n < len(column) else empty for column in columns]) for n in range(height))
