# One image for the web server, the workers and the migration: docker-compose.yml says what each of them runs.
# The base is pinned by its tag; for a build that is to be kept, add the digest that your registry shows for it.
# Its SQLite is older than 3.51.3, the first that is safe with several writers at any load: this image is for PostgreSQL.
FROM python:3.11.14-slim-trixie

# The certificates of the system are what calls to models are checked against.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --system --gid 10001 interrater \
    && useradd --system --uid 10001 --gid interrater --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin interrater \
    && install -d -o interrater -g interrater -m 0700 /var/lib/interrater

WORKDIR /app
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements/ requirements/
RUN python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/base.txt

# RETRIEVAL=1 adds dense retrieval. TORCH_INDEX is the address of an index that has torch for processors alone; without
# it the default index's own build comes, which for some machines holds several GB for graphics cards.
ARG RETRIEVAL=0
ARG TORCH_INDEX=
RUN if [ "$RETRIEVAL" = 1 ]; then \
      if [ -n "$TORCH_INDEX" ]; then \
        python -m pip install --no-deps --only-binary :all: --extra-index-url "$TORCH_INDEX" \
          "$(sed -n 's/^torch==.*/&+cpu/p' requirements/torch.txt)"; \
      else python -m pip install --only-binary :all: "$(sed -n '/^torch==/p' requirements/torch.txt)"; fi \
      && python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/retrieval.txt; \
    fi

COPY . .
# With a signing key of its own that is gone afterwards: no secret is part of the image.
ENV STATIC_ROOT=/app/static-collected
RUN PROFILE=embedded VAR=/tmp/building python manage.py collectstatic --noinput --verbosity 0 \
    && rm -rf /tmp/building

ENV PROFILE=production VAR=/var/lib/interrater HF_HUB_OFFLINE=1
USER 10001:10001
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "8", "--no-control-socket"]
