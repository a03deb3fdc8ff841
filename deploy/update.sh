#!/bin/sh
# Update an installation with Docker: deploy/update.sh VERSION
# Builds first, while people work; then makes a backup, migrates and starts the new version. See "Updating and going
# back" in docs/operating.md.
set -eu
version=${1:?Name the version, such as: deploy/update.sh v0.2.0}
cd "$(dirname "$0")/.."
before=$(git describe --tags --always)
git fetch --tags
git checkout --quiet "$version"
built=yes
docker compose build || built=no
# Until everything has stopped, the files are those of the version that runs, because they name its services.
git checkout --quiet "$before"
[ "$built" = yes ]
docker compose exec -T backup python manage.py dated_backup /backups
# Nobody may write between the backup of the migration and the new version. The proxy says that the site is away.
docker compose stop web workers backup
stopped=$(date -u +%Y-%m-%dT%H:%M:%SZ)
git checkout --quiet "$version"
if ! docker compose up -d --wait --remove-orphans; then
  echo "$version did not start; docker compose logs says why." >&2
  # The backup above lacks what people answered until the services stopped; that of the migration has it.
  migrated=$(docker compose logs --no-log-prefix --since "$stopped" migrate 2>&1) || migrated=
  backup=$(printf '%s\n' "$migrated" | sed -n 's/^Made a backup before the migration: //p' | tail -n 1)
  case "$migrated" in *"failed and changed nothing"*) backup= ;; esac
  if [ -n "$backup" ]; then
    echo "To go back to $before, with all answers until the site stopped:" >&2
    echo "  deploy/go_back.sh $before $backup" >&2
  elif printf '%s\n' "$migrated" | grep -q '^ *Applying .* OK$'; then
    echo "It migrated without a backup (BACKUP_BEFORE_MIGRATE). The newest one lacks the last answers: fix this" >&2
    echo "version. To go back to $before all the same: deploy/go_back.sh $before /backups/interrater-….zip" >&2
  else
    echo "No data was changed, so nothing has to be restored. To start $before again:" >&2
    echo "  git checkout $before && docker compose build && docker compose up -d --wait --remove-orphans" >&2
  fi
  exit 1
fi
docker compose restart proxy # its files may have changed, too
echo "$version runs. Before it ran $before."
