"""Read CSV with quotes; write one line per record with a plain delimiter."""

from rillib.options import Complaint, parse, read_text, write_lines


def records(text, comma):
    """The fields of each record. Quotes may hold the comma, newlines and doubled quotes."""
    row, field, quoted, touched = [], "", False, False
    i = 0
    while i < len(text):
        c = text[i]
        if quoted:
            if c == '"' and text[i + 1 : i + 2] == '"':
                field += '"'
                i += 1
            elif c == '"':
                quoted = False
            else:
                field += c
        elif c == '"' and not field:
            quoted = touched = True
        elif c == comma:
            row.append(field)
            field, touched = "", True
        elif c in "\r\n":
            if c == "\r" and text[i + 1 : i + 2] == "\n":
                i += 1
            if row or field or touched:
                yield [*row, field]
            row, field, touched = [], "", False
        else:
            field += c
        i += 1
    if quoted:
        raise Complaint("a quote is never closed")
    if row or field or touched:
        yield [*row, field]


def run(argv):
    options, files = parse(argv, flags="H", values="do")
    comma = options.get("d", ",")
    if len(comma) != 1:
        raise Complaint("option -d needs one character")
    joiner = options.get("o", "\t")
    result = []
    for name in files or ["-"]:
        rows = list(records(read_text(name), comma))
        for fields in rows[1:] if "H" in options else rows:
            shown = [f.replace("\\", "\\\\").replace("\r\n", "\n").replace("\n", "\\n").replace("\t", "\\t") for f in fields]
            result.append(joiner.join(shown))
    write_lines(result)
