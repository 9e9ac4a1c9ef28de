"""One worker of a team: the turn loop around a coding agent, its tools, and the tap that ships what it said."""
