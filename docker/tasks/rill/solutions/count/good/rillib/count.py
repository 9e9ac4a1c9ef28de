"""Count lines, words, characters and bytes."""

from rillib.options import parse, read_text, write_lines


def run(argv):
    options, files = parse(argv, flags="lwcm")
    wanted = [letter for letter in "lwcm" if letter in options] or ["l", "w", "c"]
    totals = dict.fromkeys("lwcm", 0)
    result = []

    def show(counts, name):
        result.append(" ".join([f"{counts[letter]:>6}" for letter in wanted] + ([name] if name else [])))

    for name in files or ["-"]:
        text = read_text(name)
        counts = {
            "l": text.count("\n") + (text != "" and not text.endswith("\n")),
            "w": len(text.split()),
            "c": len(text),
            "m": len(text.encode("utf-8", "surrogateescape")),
        }
        for letter, value in counts.items():
            totals[letter] += value
        show(counts, name if files else "")
    if len(files) > 1:
        show(totals, "total")
    write_lines(result)
