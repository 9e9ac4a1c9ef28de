"""A discrete-event model of the Agensh protocol that writes a run bundle of source-native deliveries. Imports no reducer."""

from __future__ import annotations

from runs.simulate.simulation import Facts, simulate

__all__ = ["Facts", "simulate"]
