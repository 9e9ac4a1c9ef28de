#!/bin/sh
# First thing at each start of the production stack: ownership of the data folder, tables, static files.
set -eu
mkdir -p "$AGENSH_DATA_DIR"
chown 10001:10001 "$AGENSH_DATA_DIR"
exec setpriv --reuid 10001 --regid 10001 --clear-groups sh -eu -c '
  python /opt/agensh/manage.py migrate --noinput --verbosity 0
  python /opt/agensh/manage.py collectstatic --noinput --verbosity 0
'
