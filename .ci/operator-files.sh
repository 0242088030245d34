# Checks the files of deploy/ with the programs that read them; sourced by .ci/run after servers.sh.

check_prometheus() {
  command -v promtool >/dev/null || install_package prometheus
  promtool check config deploy/prometheus/prometheus.yml
}

check_systemd() {
  command -v systemd-analyze >/dev/null || install_package systemd
  local folder instance
  folder=$(mktemp -d)
  cp deploy/systemd/bourse.target "$folder"
  for instance in api indexer keeper relayer-settle relayer-submit; do
    cp deploy/systemd/bourse@.service "$folder/bourse@$instance.service"
    # The unit names Node where a package puts it.
    sed -i "s|^ExecStart=/usr/bin/node|ExecStart=$(command -v node)|" "$folder/bourse@$instance.service"
  done
  systemd-analyze verify --man=no "$folder"/* || fail 'a systemd unit is not valid'
  rm -r "$folder"
}

check_postgresql() {
  local programs folder
  programs=$(pg_config --bindir 2>/dev/null || true)
  [ -x "$programs/postgres" ] || programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  [ -x "$programs/postgres" ] || { install_package postgresql; programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1); }
  folder=$(mktemp -d)
  "$programs/postgres" -C archive_command -c config_file="$PWD/deploy/postgresql/bourse.conf" -D "$folder" >/dev/null ||
    fail 'PostgreSQL does not take deploy/postgresql/bourse.conf'
  rm -r "$folder"
}

check_redis() {
  command -v redis-server >/dev/null || install_package redis-server
  local folder policy
  folder=$(mktemp -d)
  redis-server deploy/redis/redis.conf --port 0 --unixsocket "$folder/socket" --dir "$folder" --daemonize yes >/dev/null
  for _ in $(seq 50); do redis-cli -s "$folder/socket" ping >/dev/null 2>&1 && break; sleep 0.1; done
  policy=$(redis-cli -s "$folder/socket" config get maxmemory-policy | tail -n 1)
  redis-cli -s "$folder/socket" shutdown nosave >/dev/null 2>&1 || true
  rm -r "$folder"
  [ "$policy" = noeviction ] || fail 'Redis does not take deploy/redis/redis.conf'
}

check_operator_files() {
  check_prometheus
  check_systemd
  check_postgresql
  check_redis
}
