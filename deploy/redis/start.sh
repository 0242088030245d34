#!/bin/sh
# Redis for other containers: on every address, by the password alone. It is read on standard input, so that no list of processes
# shows it.  start.sh <redis.conf> <file with the password> [further options]
conf=$1 password=$2
shift 2
exec docker-entrypoint.sh redis-server "$conf" "$@" - << END
bind * -::*
requirepass $(cat "$password")
END
