set -eu
mkdir -p "$PGDATA" /var/run/postgresql
chown -R postgres:postgres "$(dirname "$PGDATA")" /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(mktemp)
  cat "$POSTGRES_PASSWORD_FILE" > "$password"
  chown postgres "$password"
  runuser -u postgres -- initdb --pgdata "$PGDATA" --username "$POSTGRES_USER" --pwfile "$password" --auth scram-sha-256 --encoding UTF8 >/dev/null
  rm "$password"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  sed -i '1i local all all trust' "$PGDATA/pg_hba.conf"
  runuser -u postgres -- pg_ctl -D "$PGDATA" -o "-c listen_addresses=" -w start >/dev/null
  runuser -u postgres -- createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  runuser -u postgres -- pg_ctl -D "$PGDATA" -w stop >/dev/null
fi
exec runuser -u postgres -- postgres -D "$PGDATA" -c listen_addresses='*' -c max_connections=200
