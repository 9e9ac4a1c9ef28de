"""The product's settings for a test run: data in a temporary folder, cheap password hashes, unhashed static files."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="agensh-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["AGENSH_DATA_DIR"] = _folder
os.mkdir(os.path.join(_folder, "static"))  # WhiteNoise warns where nothing was collected

from agensh_web.settings import *  # noqa: E402, F403
from agensh_web.settings import STORAGES  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
