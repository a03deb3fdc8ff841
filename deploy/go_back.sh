#!/bin/sh
# Go back to an earlier version with Docker: deploy/go_back.sh VERSION BACKUP
# BACKUP is a path in the containers: /backups/… or /var/lib/interrater/backups/before-migration-….zip. What people did
# after it is lost for the site; the database and the files until now are kept under other names. If the backup cannot
# be restored, the present version starts again with its data. It can be run again after any failure.
set -eu
version=${1:?Name the version and the backup: deploy/go_back.sh v0.1.0 /backups/interrater-….zip}
backup=${2:?Name the backup: deploy/go_back.sh $version /backups/interrater-….zip}
cd "$(dirname "$0")/.."
before=$(git describe --tags --always)
var=/var/lib/interrater
aside="interrater_until_$(date -u +%Y%m%d_%H%M%S)"
# The folders that backups have; see `var_folders` of each app.
folders="turn_judges exports uploads audit"

# Without the services that it depends on: migrate would make the tables that the restore makes.
inside() { docker compose run --rm --no-deps -T "$@"; }
sql() { docker compose exec -T postgres psql -v ON_ERROR_STOP=1 -U interrater -d postgres "$@"; }

# Restore into a database and a folder of their own; only complete ones replace what is there, the databases at once.
# So a folder without its database says that only the files remain to be exchanged.
restore() {
  inside backup rm -rf $var/restored &&
    sql -c "DROP DATABASE IF EXISTS interrater_restored" -c "CREATE DATABASE interrater_restored OWNER interrater" &&
    inside backup mkdir -m 0700 $var/restored &&
    inside -e VAR=$var/restored -e DATABASE_URL=postgres://interrater@postgres:5432/interrater_restored \
      backup python manage.py restore "$backup" &&
    inside backup sh -c "cd $var/restored && mkdir -p -m 0700 $folders" &&
    sql --single-transaction -c "ALTER DATABASE interrater RENAME TO $aside" \
      -c "ALTER DATABASE interrater_restored RENAME TO interrater"
}

# The databases until now that are kept, the newest last.
kept() { sql -Atc "SELECT datname FROM pg_database WHERE datname LIKE 'interrater\_until\_%' ORDER BY datname"; }

# The proxy is restarted because its files may have changed, too.
start() { docker compose up -d --wait --remove-orphans && docker compose restart proxy; }

# A folder is still to be exchanged as long as it is in restored/, which has all of them. So this can be done again
# after a cut, and ends at what cannot be moved.
exchange_files() {
  inside backup sh -ec "cd $var; mkdir -p -m 0700 $aside
    for name in $folders; do
      if [ -e restored/\$name ]; then
        if [ -e \$name ]; then mv \$name $aside/; fi
        mv restored/\$name .
      fi
    done
    rm -rf restored restoring.json"
}

docker compose up -d --wait postgres
inside backup test -r "$backup"
git checkout --quiet "$version"
built=yes
docker compose build || built=no
# Until everything has stopped, the files are those of the version that runs, because they name its services.
git checkout --quiet "$before"
[ "$built" = yes ]
# The proxy says that the site is away.
docker compose stop web workers backup
if inside backup test -e $var/restored &&
  [ "$(sql -Atc "SELECT count(*) FROM pg_database WHERE datname = 'interrater_restored'")" = 0 ]; then
  this=$aside
  aside=$(kept | tail -n 1)
  if ! exchange_files; then
    echo "Files of an earlier run cannot be exchanged; the message is above. Move the folders that are still in" >&2
    echo "$var/restored to $var by hand, delete it, and run this again. Starting $before again ..." >&2
    docker compose build
    start
    exit 1
  fi
  aside=$this
fi
git checkout --quiet "$version"
if ! restore; then
  echo "The backup was not restored; the message is above. Starting $before again, whose data is as it was ..." >&2
  git checkout --quiet "$before"
  docker compose build
  start
  exit 1
fi
exchange_files ||
  echo "Not all files were exchanged: those of the backup are in $var/restored, the others in $var/$aside." >&2
if ! start; then
  echo "$version did not start; docker compose logs says why. The data until now is kept as $aside." >&2
  exit 1
fi
# Only now, because background work that was claimed before the backup is late until workers have taken it again.
echo "$version runs. Looking for rows that contradict each other ..."
docker compose exec -T backup python manage.py checkdata ||
  echo "Work that was claimed when the backup was made is taken again within minutes: run checkdata again then." >&2
echo "The database until now is $aside, its files are in $var/$aside. All that are kept, the newest last:"
kept
echo "Drop them, and delete the folders of the same names, when you no longer need them."
