"""Static files under hashed names, imports between ES modules included, so a browser never mixes two releases."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticStorage(CompressedManifestStaticFilesStorage):
    """WhiteNoise's manifest storage that also rewrites `import` paths."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 30  # a pass settles one level of imports; modules may be deeper than Django's five
    manifest_strict = False
    # Django's fourth pattern takes `import("./x.js").Type` of a JSDoc comment for an import, so types that name each other look like
    # a circle that no number of passes resolves. Our modules import statically only.
    _js_module_import_aggregation_patterns = (
        "*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1][:3],
    )
