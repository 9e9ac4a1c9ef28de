"""Options and input shared by all commands."""
from __future__ import annotations

import sys


class Complaint(Exception):
    """A mistake of the caller; main prints it and exits with 2."""


def parse(argv, flags="", values=""):
    """Split argv into ({option: True or value}, [operand]). `--` ends options, a lone `-` is an operand."""
    options, operands, rest = {}, [], list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if len(word) < 2 or word[0] != "-":
            operands.append(word)
            continue
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in flags:
                options[letter] = True
            elif letter in values:
                if not letters and not rest:
                    raise Complaint(f"option -{letter} needs a value")
                options[letter] = letters or rest.pop(0)
                letters = ""
            else:
                raise Complaint(f"no such option: -{letter}")
    return options, operands


def number(text, option, least=None):
    """The whole number that an option holds."""
    try:
        value = int(text)
    except ValueError:
        raise Complaint(f"option -{option} needs a whole number, not {text}") from None
    if least is not None and value < least:
        raise Complaint(f"option -{option} must be at least {least}")
    return value


def read_text(name):
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        with open(name, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Complaint(f"{name}: {error.strerror}") from None


def split_lines(text):
    """Lines without their newline; a last line without newline counts."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def read_lines(operands):
    """The lines of all files in order; no file means standard input."""
    return [line for name in operands or ["-"] for line in split_lines(read_text(name))]


def write_lines(lines):
    text = "".join(line + "\n" for line in lines)
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
