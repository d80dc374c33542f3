#!/bin/sh
# Writes .env, the settings of docker-compose.yml, with passwords of this installation's own. What is there is never changed.
#
#   sh deploy/compose/init.sh codehub.example.com codehub-workspaces.example
#
# The dashboard's name, and the domain below which every workspace has a name; the second is best one that browsers count as another site.
set -eu
if [ $# != 2 ]; then
  echo "usage: init.sh DASHBOARD_NAME WORKSPACES_DOMAIN" >&2
  exit 64
fi
cd "$(dirname "$0")"
socket=${DOCKER_SOCKET:-/var/run/docker.sock}
if [ -e .env ]; then
  echo "There is a .env already: its passwords are those of what has been installed. Change it by hand." >&2
  exit 1
fi
[ -S "$socket" ] || { echo "There is no Docker engine at $socket: start it, or name it by DOCKER_SOCKET." >&2; exit 1; }
random() { od -An -v -tx1 -N24 /dev/urandom | tr -d ' \n'; }

umask 077
cat > .env << EOF
COMPOSE_PROJECT_NAME=codehub
BASE_URL=https://$1
WORKSPACE_BASE_URL=https://{id}.$2
SITES=$1, *.$2
DOCKER_SOCKET=$socket
DOCKER_GID=$(stat -c %g "$socket")
POSTGRES_PASSWORD=$(random)
REDIS_PASSWORD=$(random)
STORE_SECRET=$(random)
METRICS_TOKEN=$(random)
EOF
echo "Written: $PWD/.env. Two things are left:"
echo "  - $PWD/certificates/tls.crt and tls.key: a certificate for $1 and *.$2"
echo "  - CodeHub's images on the engine: npm run images"
echo "Then: docker compose --project-directory $PWD up -d"
