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
git checkout --quiet "$version"
if ! docker compose up -d --wait --remove-orphans; then
  echo "$version did not start; docker compose logs says why. To go back to $before, name the newest backup:" >&2
  echo "  deploy/go_back.sh $before /backups/interrater-….zip" >&2
  exit 1
fi
docker compose restart proxy # its files may have changed, too
echo "$version runs. Before it ran $before."
