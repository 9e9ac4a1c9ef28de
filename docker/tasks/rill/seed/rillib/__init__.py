"""rill: a small tool for text tables."""

VERSION = "1.0"
