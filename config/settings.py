"""All settings of Interrater, read strictly from environment variables (see `.env.example`)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from environs import Env

from config.environment import (
    check_log_format,
    part_environments,
    people_use_https,
    read_boolean,
    read_broker,
    read_database,
    read_earlier_keys,
    read_folder,
    read_level,
    read_metrics_token,
    read_parts,
    read_profile,
    read_second_factor,
    read_secret_key,
    read_sentry_dsn,
    read_synchronous,
    read_whole,
    refuse_unsafe_production,
)
from config.installed_kinds import package_folders
from config.parts import part_apps

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()

PROFILE = read_profile(env)
PRODUCTION = PROFILE == "production"
VAR = read_folder(env, "VAR", BASE_DIR / "var")
DEBUG = read_boolean(env, "DEBUG", False)
SECRET_KEY = read_secret_key(env, PROFILE, VAR)
SECRET_KEY_FALLBACKS = read_earlier_keys(env, PROFILE)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", [] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
if PRODUCTION:
    refuse_unsafe_production(DEBUG, ALLOWED_HOSTS)
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
BEHIND_PROXY = read_boolean(env, "BEHIND_PROXY", False)

PARTS = read_parts(env)
"""The keys of the optional parts that are installed."""
INSTALLED_APPS = [
    "config.admin_site.InterraterAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "config",
    "accounts",
    "annotation",
    "files",
    "llm",
    "retrieval",
    "sessions",
    "judges",
    "reports",
    "managing",
    "api",
    "operating",
    *(part_apps()[key] for key in PARTS),
]

MIDDLEWARE = [
    "config.middleware.RequestMiddleware",
    "config.process_counts.CountingMiddleware",
    "accounts.languages.PersonLocaleMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ResponseHeadersMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.RefusalMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.browser_sessions.PersonMiddleware",
    "accounts.required_second_factor.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", *package_folders("templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.tz",
                "annotation.templatetags.kept_words",
                "annotation.templatetags.text_direction",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": read_database(env, VAR / "interrater.sqlite3", PROFILE)}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A transaction that reads and then writes must wait for the write lock at BEGIN. A deferred one fails at once if
    # another writer committed in between. With FULL, an acknowledged rating survives a power cut.
    DATABASES["default"]["ENGINE"] = "config.queued_sqlite3"
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            f"PRAGMA journal_mode=WAL; PRAGMA synchronous={read_synchronous(env)}; "
            "PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=27103364; PRAGMA cache_size=-16000; "
            # Otherwise REPLACE INTO deletes rows without firing the triggers that protect evidence.
            "PRAGMA recursive_triggers=ON;"
        ),
    }
else:
    DATABASES["default"]["ENGINE"] = "config.watched_postgresql"
    # Only the statements of config/prepared_sql.py are prepared: psycopg never prepares Django's own, but prepares
    # nothing at all without a threshold. Planning some of them takes ten times as long as running them, and their plan
    # does not depend on their parameters, so each is planned once per connection.
    _given = DATABASES["default"].setdefault("OPTIONS", {})
    _given["prepare_threshold"] = 5
    # A server that does not answer must not hold a request for minutes: give up if no connection is made, if what was
    # sent is not acknowledged, and, which the engine adds, if neither a statement nor another connection is answered.
    _given.setdefault("connect_timeout", 5)
    _given.setdefault("tcp_user_timeout", 15_000)
    # Plans are kept from when tables were small; with the cost of disks that seek, a claim then reads all answers.
    # Compiling a statement takes a third of a second, for pages of which each takes a hundredth.
    _plans = "-c plan_cache_mode=force_generic_plan -c random_page_cost=1.1 -c jit=off"
    _given["options"] = f"{_plans} {_given.get('options', '')}".strip()
# Whether a round trip to the database takes so long that statements are to travel together (config/prepared_sql.py).
DATABASE_FAR = read_boolean(env, "DATABASE_FAR", default=False)
# Each process caches in its own memory, which ends with it. Cached values can always be computed again from the rows.
_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": {"BACKEND": _MEMORY},
    # Entries take up to a megabyte and contain answers that may be erased, so keep only a few, for an hour.
    "comparisons": {
        "BACKEND": _MEMORY, "LOCATION": "comparisons", "TIMEOUT": 3600, "OPTIONS": {"MAX_ENTRIES": 50},
    },
}  # fmt: skip

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.Person"
PASSWORD_HASHERS = ["accounts.hashing.BoundedPBKDF2Hasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "annotation:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"

# The annotators' pages are in these languages (accounts/languages.py), and all others in English.
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", "English"), ("de", "Deutsch"), ("es", "Español"), ("ar", "العربية"), ("zh-hans", "简体中文"),
]  # fmt: skip
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", *package_folders("static")]
STATIC_ROOT = read_folder(env, "STATIC_ROOT", VAR / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_ROOT = BASE_DIR / "static" / "root"
"""Files that browsers ask for by a fixed address, such as /favicon.ico."""

SESSION_ENGINE = "accounts.browser_sessions"
# A session ends after so long without a request, and two weeks after its last change in any case.
SESSION_IDLE = timedelta(hours=read_whole(env, "SESSION_IDLE_HOURS", 168))
SESSION_COOKIE_SAMESITE = "Lax"
# Who is asked for a code at sign-in: nobody, those who have turned it on, or these and all staff, who must.
SECOND_FACTOR = read_second_factor(env)
# Workers move older audit entries to files in VAR/audit; without it they stay in the database.
AUDIT_KEEP_DAYS = read_whole(env, "AUDIT_KEEP_DAYS", 1) if env.str("AUDIT_KEEP_DAYS", "").strip() else None
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = people_use_https(PRODUCTION, BEHIND_PROXY, CSRF_TRUSTED_ORIGINS)
SECURE_SSL_REDIRECT = PRODUCTION and read_boolean(env, "SSL_REDIRECT", True)
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # probes ask the web server itself, which speaks HTTP
SECURE_HSTS_SECONDS = 31536000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.error_pages.csrf_failure"
PROXY_COUNT = read_whole(env, "PROXY_COUNT", 1) if BEHIND_PROXY else 0
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# Limits of uploads. Commands that read files have no limit on rows, but LINE_LIMIT applies to their lines too.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000  # the page that builds a study has up to 15 fields for each of 200 questions
DATA_UPLOAD_MAX_NUMBER_FILES = 20
FILE_UPLOAD_HANDLERS = [
    "config.form_uploads.LimitedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
LINE_LIMIT = 1_000_000
UPLOAD_BYTES = read_whole(env, "UPLOAD_BYTES", 20 * 1024 * 1024)
# A request with a larger body is refused before it is read. A form is a little larger than the file in it.
LARGEST_BODY = UPLOAD_BYTES + 1024 * 1024
UPLOAD_ROWS = read_whole(env, "UPLOAD_ROWS", 50_000)
# A file of items or ratings that researchers upload on a page comes in parts, each an ordinary request.
STUDY_UPLOAD_BYTES = read_whole(env, "STUDY_UPLOAD_BYTES", 1024 * 1024 * 1024)
# Files of exports and bundles that stay here to be downloaded: how many per study, and for how long.
KEPT_EXPORTS = read_whole(env, "KEPT_EXPORTS", 10)
KEPT_EXPORT_DAYS = read_whole(env, "KEPT_EXPORT_DAYS", 30)

# Programs that send this token read figures for monitoring at /metrics; without it there is no such page.
METRICS_TOKEN = read_metrics_token(env, PROFILE)

# Backups: how many dated ones stay, the age in hours from which the admin warns, and whether `migrate` makes one before
# it changes data.
BACKUP_KEEP = read_whole(env, "BACKUP_KEEP", 14)
BACKUP_WARN_HOURS = read_whole(env, "BACKUP_WARN_HOURS", 48)
BACKUP_BEFORE_MIGRATE = read_boolean(env, "BACKUP_BEFORE_MIGRATE", True)

# The operator's list of language model endpoints. No other address is ever called.
ENDPOINTS_FILE = Path(env.str("ENDPOINTS_FILE", "") or VAR / "endpoints.yaml")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.requests.authentication.TokenAuthentication",
        "api.requests.authentication.SessionReading",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["api.requests.negotiation.JSONWithLineEnd"],
    "DEFAULT_PARSER_CLASSES": ["api.requests.negotiation.JSONLines", "api.requests.negotiation.AlternativeJSONLines"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "api.requests.negotiation.OneFormat",
    "DEFAULT_METADATA_CLASS": None,
    "NUM_PROXIES": PROXY_COUNT,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["api.requests.throttling.PerCaller"],
    "DEFAULT_THROTTLE_RATES": {"api": f"{read_whole(env, 'API_REQUESTS_PER_MINUTE', 600)}/min"},
    "EXCEPTION_HANDLER": "api.requests.api_errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Interrater",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Make, fill, steer and read studies, take their exports and reports, and annotate in them.",
    "SERVE_PUBLIC": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SCHEMA_PATH_PREFIX": "/api/",
    "SORT_OPERATIONS": False,
    "POSTPROCESSING_HOOKS": [],
}

# For budgets: what a million tokens cost if the model has no price, in the currency of the other prices.
UNKNOWN_PRICE = read_whole(env, "UNKNOWN_PRICE", 100)

# Background work: database rows are the queue, and the broker only wakes workers (config/background/).
CALL_THREADS = read_whole(env, "CALL_THREADS", 32 if PRODUCTION else 8)
CALL_LEASE = timedelta(seconds=read_whole(env, "CALL_LEASE", 30))
JOB_PROCESSES = read_whole(env, "JOB_PROCESSES", 1)
JOB_MINUTES = read_whole(env, "JOB_MINUTES", 240)
BROKER_URL = read_broker(env, PROFILE)
CELERY_BROKER_URL = BROKER_URL or "files://localhost"
# A message that was taken but not acknowledged comes back after the visibility timeout, which must be longer than the
# longest task. We must give up on a broker that does not respond within 5 seconds, hence one retry and timeouts of
# 1.5 seconds.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {
        "visibility_timeout": JOB_MINUTES * 60 + 600, "unacked_restore_interval": 10, "unacked_restore_throttle": 1,
        "socket_timeout": 1.5, "socket_connect_timeout": 1.5, "max_retries": 1,
    }
    if BROKER_URL
    else {"folder": str(VAR / "broker"), "polling_interval": 0.1}
)  # fmt: skip
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SOFT_TIME_LIMIT = JOB_MINUTES * 60
CELERY_TASK_TIME_LIMIT = JOB_MINUTES * 60 + 60
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 8.0
CELERY_WORKER_REDIRECT_STDOUTS = CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TIMEZONE = TIME_ZONE

# Errors are reported there, without personal data (config/error_reports.py); sentry-sdk is needed only for this.
SENTRY_DSN = read_sentry_dsn(env)
check_log_format(env)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.log_lines.line_formatter"}},
    # The handler has the level too, because Django's own loggers set their levels themselves.
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "level": read_level(env)}},
    "root": {"handlers": ["console"], "level": read_level(env)},
    # At DEBUG these loggers write whole study texts and headers.
    "loggers": {
        **{name: {"level": "INFO"} for name in ("django.db.backends", "amqp", "kombu")},
        **{name: {"level": "WARNING"} for name in ("openai", "httpx2", "httpcore2")},
        **{name: {"level": "WARNING"} for name in ("celery.app.trace", "celery.worker.strategy")},  # one line per task
    },
}

# What parts read from the environment themselves, which can be settings of Django, too.
for _environment in part_environments(PARTS):
    globals().update(_environment.read(env, PROFILE))
