#!/bin/sh
# Run a command of Interrater with the user, settings, secrets and limits of its units, as root:
#   deploy/systemd/manage.sh checkdata
# Without it, manage.py would use the embedded profile with a database of its own. The command may read and write
# /var/lib/interrater and /var/backups/interrater; name files in them by full paths.
set -euf
: "${1:?Name a command, such as: deploy/systemd/manage.sh checkdata}"
case "$*" in
  *'$'*) echo "systemd would replace names after a dollar sign: use words without one." >&2; exit 2 ;;
esac
unit="interrater-command-$$.service"
# The unit of the daily backup, with what you have changed by systemctl edit. Its secrets are in a folder named after it.
properties=$(systemctl cat interrater-backup.service | sed -n '
  /^\[Service\]/,/^\[/ {
    /^\(Exec\|Type=\|TimeoutStartSec=\)/d
    s|%d|/run/credentials/'"$unit"'|g
    s/^[A-Z][A-Za-z]*=/--property=&/p
  }')
[ -n "$properties" ]
how=--pipe
if [ -t 0 ]; then how=--pty; fi
IFS='
'
exec systemd-run --quiet --collect --wait "$how" --unit "$unit" $properties \
  /opt/interrater/.venv/bin/python manage.py "$@"
