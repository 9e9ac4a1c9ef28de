"""The real services of a team: one room each, pure descriptions. A stand-in has none: it is configured by `runs/plan.py`."""
