# Functions of .ci/run that make sure a Chromium is there and a PostgreSQL and a Redis server answer, and set DATABASE_URL
# and REDIS_URL.
# A server that the environment already names is used as it is. Otherwise Debian's packages are installed and started.

fail() {
  echo "CI cannot go on: $1" >&2
  exit 1
}

install_package() {
  echo "Installing $1 …"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null || fail "$1 cannot be installed"
}

# The browser that CHROMIUM names, or Debian's.
find_chromium() {
  if [ -n "${CHROMIUM:-}" ]; then
    [ -x "$CHROMIUM" ] || fail "CHROMIUM is $CHROMIUM, which cannot be run"
    return
  fi
  [ -x /usr/bin/chromium-headless-shell ] || install_package chromium-headless-shell
}

postgresql_answers() {
  node -e '
    const sql = require("postgres")(process.argv[1], { max: 1, connect_timeout: 5, onnotice() {} })
    sql`select 1`.then(() => process.exit(0), () => process.exit(1))' "$DATABASE_URL"
}

redis_answers() {
  node -e '
    const client = require("redis").createClient({ url: process.argv[1], socket: { reconnectStrategy: false } })
    client.on("error", () => {})
    client.connect().then(() => client.ping()).then(() => process.exit(0), () => process.exit(1))' "$REDIS_URL"
}

as_postgres() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else sudo -n -u postgres -- "$@"; fi; }

start_postgresql() {
  if [ -n "${DATABASE_URL:-}" ]; then
    postgresql_answers || fail 'the server of DATABASE_URL does not answer'
    return
  fi
  export DATABASE_URL='postgres://bourse_ci:bourse_ci@127.0.0.1:5432/postgres'
  postgresql_answers && allow_connections && allow_emptying && return
  command -v pg_ctlcluster >/dev/null || install_package postgresql
  local version
  version=$(ls /etc/postgresql | sort -n | tail -n 1)
  as_postgres psql -qc 'select 1' >/dev/null 2>&1 || pg_ctlcluster --skip-systemctl-redirect "$version" main start || true
  for _ in $(seq 50); do as_postgres psql -qc 'select 1' >/dev/null 2>&1 && break; sleep 0.2; done
  as_postgres psql -qc "create role bourse_ci login createdb password 'bourse_ci'" 2>/dev/null || true
  allow_connections
  allow_emptying
  postgresql_answers || fail 'PostgreSQL does not answer on 127.0.0.1:5432'
}

# Three venues at a time, each of five processes with a pool of its own.
allow_connections() {
  local version allowed
  allowed=$(as_postgres psql -qAtc 'show max_connections')
  [ "$allowed" -ge 500 ] && return
  version=$(ls /etc/postgresql | sort -n | tail -n 1)
  as_postgres psql -qc 'alter system set max_connections = 500'
  pg_ctlcluster --skip-systemctl-redirect "$version" main restart -m fast
  for _ in $(seq 50); do as_postgres psql -qc 'select 1' >/dev/null 2>&1 && break; sleep 0.2; done
}

# Tests empty a database that is given back, for which triggers and foreign keys are put aside; a clone of the template for
# each test costs ten times as much.
allow_emptying() { as_postgres psql -qc 'grant set on parameter session_replication_role to bourse_ci'; }

start_redis() {
  if [ -n "${REDIS_URL:-}" ]; then
    redis_answers || fail 'the server of REDIS_URL does not answer'
    return
  fi
  export REDIS_URL='redis://127.0.0.1:6379'
  redis_answers && return
  command -v redis-server >/dev/null || install_package redis-server
  redis-server --daemonize yes --bind 127.0.0.1 --port 6379 --save '' --appendonly no >/dev/null
  for _ in $(seq 50); do redis_answers && return; sleep 0.2; done
  fail 'Redis does not answer on 127.0.0.1:6379'
}
