"""Every command of rill: name -> (module, one line of help). Within a group, sorted by name."""
from __future__ import annotations

COMMANDS = {
    # fields
    # formats
    # lines
    # pieces
    # text
    # numbers
}
