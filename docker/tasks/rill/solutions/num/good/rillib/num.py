"""Format numbers: digits after the point (half away from zero) and thousands groups."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from rillib.options import number, parse, read_lines, write_lines


def shown(text, places, grouped, sign):
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return text
    if not value.is_finite():
        return text
    if places is not None:
        value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    if not value:
        value = abs(value)
    result = f"{value:,f}" if grouped else f"{value:f}"
    return "+" + result if sign and value > 0 else result


def run(argv):
    options, files = parse(argv, flags="gs", values="pkd")
    places = number(options["p"], "p", 0) if "p" in options else None
    field = number(options["k"], "k", 1) if "k" in options else None
    delimiter = options.get("d", "\t")
    result = []
    for line in read_lines(files):
        if field is None:
            result.append(shown(line, places, "g" in options, "s" in options))
            continue
        cells = line.split(delimiter)
        if field <= len(cells):
            cells[field - 1] = shown(cells[field - 1], places, "g" in options, "s" in options)
        result.append(delimiter.join(cells))
    write_lines(result)
