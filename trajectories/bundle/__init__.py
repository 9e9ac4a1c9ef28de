"""Run bundles: a run's raw deliveries in a file, out and in again."""

from __future__ import annotations

from trajectories.bundle.exporting import export_bundle, write_zip
from trajectories.bundle.importing import import_bundle
from trajectories.bundle.layout import BadBundle

__all__ = ["BadBundle", "export_bundle", "import_bundle", "write_zip"]
