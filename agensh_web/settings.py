"""Settings. One code path: SQLite, in-process Celery and channel layer, or PostgreSQL and Redis when their URLs are set."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF

from agensh_web import databases, env

BASE_DIR = env.ROOT
DATA_DIR = env.data_dir()
CLIS_DIR = os.environ.get("AGENSH_CLIS_DIR") or DATA_DIR / "clis"
REDIS_URL = os.environ.get("REDIS_URL", "")
EMBEDDED = not REDIS_URL
APP_URL = os.environ.get("AGENSH_URL", "").rstrip("/")
PUBLIC_URL = os.environ.get("AGENSH_PUBLIC_URL", "").rstrip("/")
DEBUG = env.flag("AGENSH_DEBUG")
SECRET_KEY = env.secret_key(DATA_DIR)
ALLOWED_HOSTS = env.words("AGENSH_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]", "testserver"])
ALLOWED_HOSTS += [host for host in [urlsplit(PUBLIC_URL).hostname] if host and host not in ALLOWED_HOSTS]
TASKS_DIRS = [BASE_DIR / "docker" / "tasks", *(p for p in [os.environ.get("AGENSH_TASKS_DIR")] if p)]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "channels",
    "runs",
    "trajectories",
    "agensh_web",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "agensh_web.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "agensh_web.addresses.NoNul",
]
ROOT_URLCONF = "agensh_web.urls"
ASGI_APPLICATION = "agensh_web.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "runs.context.viewer",
            ]
        },
    }
]

DATABASES = {"default": databases.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    if EMBEDDED
    else {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py 8 ends idle reads after 5 s by default; a quiet subscription is no fault.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}]},
    }
}

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "/sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_VERBOSE = False
AXES_LOCKOUT_CALLABLE = "runs.views.sign_in.locked_out"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if env.flag("AGENSH_HTTPS") or PUBLIC_URL.startswith("https:"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31_536_000
    # What the app's own network asks: the health check, and the batches and hooks of the teams.
    SECURE_REDIRECT_EXEMPT = [r"^health/", r"^ingest/"]
    CSRF_TRUSTED_ORIGINS = [*(f"https://{host}" for host in ALLOWED_HOSTS), *filter(None, [PUBLIC_URL])]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        # Plotly positions its drawing with style attributes; style elements still need a nonce or a file of ours.
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Only our own files: django_htmx ships scripts that the hashing storage cannot resolve, and no page uses them.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "agensh_web.storage.HashedStaticStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = False

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024

CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# The launcher's queue: only its process may have the Docker socket.
CELERY_TASK_ROUTES = (
    {name: {"queue": "launcher"} for name in ("runs.tasks.launch", "runs.tasks.engine")} if REDIS_URL else {}
)
# The tick re-drives whatever is due: a lost message costs its period, nothing else.
CELERY_BEAT_SCHEDULE = {
    "tick": {"task": "runs.tasks.tick", "schedule": 1.0, "options": {"expires": 5}},
    **({"engine": {"task": "runs.tasks.engine", "schedule": 20.0, "options": {"expires": 20}}} if APP_URL else {}),
    "listen": {"task": "trajectories.tasks.tick", "schedule": 1.0, "options": {"expires": 5}},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {name: {"level": "INFO"} for name in ("runs", "trajectories", "agensh_web")},
}
