"""Show control characters as escapes, and back."""

from rillib.options import Complaint, parse, read_lines, write_lines

NAMES = {"\\": "\\\\", "\t": "\\t", "\r": "\\r", "\x00": "\\0"}
BACK = {"\\": "\\", "t": "\t", "r": "\r", "0": "\x00", "n": "\n"}


def escaped(line, ascii_only):
    shown = ""
    for c in line:
        if c in NAMES:
            shown += NAMES[c]
        elif ord(c) < 32 or ord(c) == 127:
            shown += f"\\x{ord(c):02x}"
        elif ascii_only and ord(c) > 127:
            shown += f"\\u{{{ord(c):x}}}"
        else:
            shown += c
    return shown


def unescaped(line):
    shown, i = "", 0
    while i < len(line):
        if line[i] != "\\":
            shown += line[i]
            i += 1
            continue
        letter = line[i + 1 : i + 2]
        if letter in BACK and letter:
            shown += BACK[letter]
            i += 2
            continue
        digits, after = "", i
        if letter == "x":
            digits, after = line[i + 2 : i + 4], i + 4
        elif letter == "u" and line[i + 2 : i + 3] == "{" and "}" in line[i:]:
            after = line.index("}", i) + 1
            digits = line[i + 3 : after - 1]
        try:
            if letter == "x" and len(digits) != 2:
                raise ValueError
            shown += chr(int(digits, 16))
        except (ValueError, OverflowError):
            raise Complaint(f"bad escape: {line[i : i + 2]}") from None
        i = after
    return shown


def run(argv):
    options, files = parse(argv, flags="ua")
    if "u" in options:
        write_lines(unescaped(line) for line in read_lines(files))
    else:
        write_lines(escaped(line, "a" in options) for line in read_lines(files))
