"""All settings of Interrater, read strictly from the environment (see `.env.example`)."""

from pathlib import Path

from csp.constants import NONE, SELF
from environs import Env

from config.environment import (
    read_boolean,
    read_database,
    read_level,
    read_profile,
    read_secret_key,
    read_whole,
    refuse_unsafe_production,
)

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()

PROFILE = read_profile(env)
PRODUCTION = PROFILE == "production"
VAR = Path(env.str("VAR", str(BASE_DIR / "var")))
DEBUG = read_boolean(env, "DEBUG", False)
SECRET_KEY = read_secret_key(env, PROFILE, VAR)
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", [] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
if PRODUCTION:
    refuse_unsafe_production(DEBUG, ALLOWED_HOSTS)
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "config",
    "accounts",
    "annotation",
    "llm",
    "retrieval",
    "sessions",
    "reports",
]

MIDDLEWARE = [
    "config.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.PrivateResponseMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
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
            ],
        },
    },
]

DATABASES = {"default": read_database(env, VAR / "interrater.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A transaction that reads and then writes must wait for the write lock at BEGIN: a deferred one
    # fails at once where somebody else wrote meanwhile. FULL: an acknowledged rating survives a power cut.
    DATABASES["default"]["CONN_MAX_AGE"] = None
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": (
            f"PRAGMA journal_mode=WAL; PRAGMA synchronous={env.str('SQLITE_SYNCHRONOUS', 'FULL')}; "
            "PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=27103364; PRAGMA cache_size=-16000;"
        ),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.Person"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "annotation:home"
LOGOUT_REDIRECT_URL = "accounts:sign_in"

LANGUAGE_CODE = "en"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.HashedStaticFiles"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = PRODUCTION and read_boolean(env, "SSL_REDIRECT", True)
SECURE_HSTS_SECONDS = 31536000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
if read_boolean(env, "BEHIND_PROXY", False):
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

# Uploads; the commands that read files have no limit on rows. A line over LINE_LIMIT is refused everywhere.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 4
LINE_LIMIT = 1_000_000
UPLOAD_BYTES = read_whole(env, "UPLOAD_BYTES", 20 * 1024 * 1024)
UPLOAD_ROWS = read_whole(env, "UPLOAD_ROWS", 50_000)

# The operator's endpoints of language models: no other address is ever called.
ENDPOINTS_FILE = Path(env.str("ENDPOINTS_FILE", "") or VAR / "endpoints.yaml")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "reports.api.authentication.TokenAuthentication",
        "reports.api.authentication.SessionReading",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["reports.api.negotiation.JSONLines", "reports.api.negotiation.NamedJSONLines"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "reports.api.negotiation.OneAnswer",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["reports.api.throttling.PerCaller"],
    "DEFAULT_THROTTLE_RATES": {"api": f"{read_whole(env, 'API_REQUESTS_PER_MINUTE', 600)}/min"},
    "EXCEPTION_HANDLER": "reports.api.errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Interrater",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Read studies, add items, ratings and scores to them, take their exports and agreement reports.",
    "SERVE_PUBLIC": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SCHEMA_PATH_PREFIX": "/api/",
    "SORT_OPERATIONS": False,
}

# Language models. What a million tokens of a model without a price count, in the currency of the other prices.
UNKNOWN_PRICE = read_whole(env, "UNKNOWN_PRICE", 100)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.OneLineFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": read_level(env)},
    "loggers": {"django.db.backends": {"level": "INFO"}},
}
