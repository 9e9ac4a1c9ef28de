"""Static files under hashed names, imports between ES modules included, so a browser never mixes two releases."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's manifest storage that also rewrites `import` paths."""

    support_js_module_import_aggregation = True
    manifest_strict = False
