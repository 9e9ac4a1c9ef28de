"""Figures about one field of numbers."""

from decimal import Decimal, InvalidOperation

from rillib.options import Complaint, number, parse, read_lines, write_lines

FIGURES = ("count", "sum", "min", "max", "mean", "median")


def plain(value):
    text = f"{value.quantize(Decimal('0.0001')):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def figures(values):
    ordered, many = sorted(values), len(values)
    middle = (ordered[(many - 1) // 2] + ordered[many // 2]) / 2
    total = sum(values, Decimal(0))
    return dict(zip(FIGURES, (Decimal(many), total, ordered[0], ordered[-1], total / many, middle), strict=True))


def run(argv):
    options, files = parse(argv, flags="q", values="kdo")
    field = number(options.get("k", "1"), "k", 1)
    delimiter = options.get("d", "\t")
    only = options["o"].split(",") if "o" in options else list(FIGURES)
    for name in only:
        if name not in FIGURES:
            raise Complaint(f"no such figure: {name}")
    values = []
    for n, line in enumerate(read_lines(files), 1):
        cells = line.split(delimiter)
        cell = cells[field - 1].strip() if field <= len(cells) else ""
        if not cell:
            continue
        try:
            values.append(Decimal(cell))
        except InvalidOperation:
            if "q" not in options:
                raise Complaint(f"line {n}: not a number: {cell}") from None
    if not values:
        raise Complaint("no numbers")
    found = figures(values)
    write_lines(plain(found[name]) if len(only) == 1 else f"{name}\t{plain(found[name])}" for name in only)
