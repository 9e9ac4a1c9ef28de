"""Every command of rill: name -> (module, one line of help). Within a group, sorted by name."""

COMMANDS = {
    # fields
    # lines
    # text
    # numbers
}
