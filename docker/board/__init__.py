"""The board: typed notes of a team, admitted by fixed rules into an append-only log."""
