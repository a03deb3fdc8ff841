#!/bin/sh
# Go back to an earlier version with Docker: deploy/go_back.sh VERSION BACKUP
# BACKUP is a path in the containers: /backups/… or /var/lib/interrater/backups/before-migration-….zip. What people did
# after it is lost for the site; the database that ran until now is kept under another name.
set -eu
version=${1:?Name the version and the backup: deploy/go_back.sh v0.1.0 /backups/interrater-….zip}
backup=${2:?Name the backup: deploy/go_back.sh $version /backups/interrater-….zip}
cd "$(dirname "$0")/.."
aside="interrater_until_$(date -u +%Y%m%d_%H%M%S)"
docker compose run --rm --no-deps -T backup test -r "$backup"
git checkout --quiet "$version"
docker compose build
docker compose stop web workers backup
docker compose exec -T postgres psql -v ON_ERROR_STOP=1 -U interrater -d postgres \
  -c "ALTER DATABASE interrater RENAME TO $aside" -c "CREATE DATABASE interrater OWNER interrater"
# Without the services that it depends on: migrate would make the tables that the restore makes.
docker compose run --rm --no-deps -T backup python manage.py restore "$backup"
docker compose run --rm --no-deps -T backup python manage.py checkdata
docker compose up -d --wait
docker compose restart proxy # its files may have changed, too
echo "$version runs. The database until now is $aside; drop it when you no longer need it."
