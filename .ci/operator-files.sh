# Checks the files of deploy/ with the programs that read them; sourced by .ci/run after servers.sh.

check_prometheus() {
  command -v promtool >/dev/null || install_package prometheus
  promtool check config deploy/prometheus/prometheus.yml
  promtool test rules deploy/prometheus/alerts.test.yml || fail 'an alert does not tell what it should'
  command -v amtool >/dev/null || install_package prometheus-alertmanager
  amtool check-config deploy/prometheus/alertmanager.yml
}

check_caddy() {
  command -v caddy >/dev/null || install_package caddy
  VENUE_DOMAIN=trade.example caddy validate --adapter caddyfile --config deploy/caddy/Caddyfile 2>/dev/null ||
    fail 'Caddy does not take deploy/caddy/Caddyfile'
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

# As the compose file starts it: whoever has no password gets nothing, whoever has it comes in from another address than loopback.
check_redis_start() {
  local folder address port=16379 answer
  folder=$(mktemp -d)
  address=$(hostname -I | cut -d ' ' -f 1)
  mkdir "$folder/bin"
  printf '#!/bin/sh\nexec "$@"\n' > "$folder/bin/docker-entrypoint.sh"
  chmod +x "$folder/bin/docker-entrypoint.sh"
  echo examplepassword > "$folder/password"
  PATH="$folder/bin:$PATH" sh deploy/redis/start.sh deploy/redis/redis.conf "$folder/password" --port "$port" --dir "$folder" \
    --daemonize yes >/dev/null
  for _ in $(seq 50); do redis-cli -h "$address" -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
  answer="$(redis-cli -h "$address" -p "$port" ping 2>&1 || true) $(REDISCLI_AUTH=examplepassword redis-cli -h "$address" -p "$port" ping)"
  REDISCLI_AUTH=examplepassword redis-cli -h "$address" -p "$port" shutdown nosave >/dev/null 2>&1 || true
  rm -r "$folder"
  case $answer in NOAUTH*PONG) ;; *) fail "deploy/redis/start.sh does not ask for its password: $answer" ;; esac
}

check_operator_files() {
  check_prometheus
  check_caddy
  check_systemd
  check_postgresql
  check_redis
  check_redis_start
}
