# One image for the web server, the workers and the migration; docker-compose.yml has their commands.
# The base image is the one with this digest; docs/operating.md says how to renew it.
# Use this image with PostgreSQL: its SQLite is older than 3.51.3, the first version that is safe with several writers.
FROM python:3.11.16-slim-trixie@sha256:e41613d42d4891e4930f79523f93f81bbc7632584ec65e36ab055f41a800b41e

# Calls to models check certificates against those of the system.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 10001 interrater \
    && useradd --system --uid 10001 --gid interrater --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin interrater \
    && install -d -o interrater -g interrater -m 0700 /var/lib/interrater /backups

WORKDIR /app
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements/ requirements/
RUN python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/base.txt

# RETRIEVAL=1 adds dense retrieval. TORCH_INDEX is the address of an index that has torch for CPUs only. Without it the
# build of the default index is installed; for some machines that is several GB for graphics cards.
ARG RETRIEVAL=0
ARG TORCH_INDEX=
RUN if [ "$RETRIEVAL" = 1 ]; then \
      if [ -n "$TORCH_INDEX" ]; then \
        python -m pip install --require-hashes --no-deps --only-binary :all: --extra-index-url "$TORCH_INDEX" \
          -r requirements/torch_cpu.txt; \
      else python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/torch_default.txt; fi \
      && python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/retrieval.txt; \
    fi

# SENTRY=1 adds the package that reports errors; compose does so if SENTRY_DSN is set.
ARG SENTRY=
RUN if [ "$SENTRY" = 1 ]; then \
      python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/sentry.txt; \
    fi

COPY . .
# Nothing is written later, so without this each process would compile the whole program when it starts.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
      accounts agreement annotation api config files judges llm managing operating reports retrieval \
      sessions parts
# This uses a temporary signing key that is deleted afterwards, so the image contains no secret.
ENV STATIC_ROOT=/app/static-collected
RUN PROFILE=embedded VAR=/tmp/building python manage.py collectstatic --noinput --verbosity 0 \
    && rm -rf /tmp/building

ENV PROFILE=production VAR=/var/lib/interrater HF_HUB_OFFLINE=1
USER 10001:10001
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "config.buffering_worker.BufferingWorker", "--workers", "2", "--threads", "2", "--no-control-socket"]
