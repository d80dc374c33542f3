#!/bin/bash
# Makes the images that tests need on the engine named by DOCKER_HOST, from what this machine has: no image registry.
#   codehub-test/base    busybox, Node, bash, GNU tar, find and du, zstd, perl, nft, git, ssh and the libraries they need
#   codehub-test/job     base and the programs of jobs             (as deploy/images/job)
#   codehub-test/fake    base and a small stand-in for the IDE
#   codehub-test/ide     base and code-server, when `ide` or `all` is asked for and it is installed (as deploy/images/workspace)
#   codehub-test/server  base and CodeHub itself, when `all` is asked for (deploy/images/server)
# usage: DOCKER_HOST=unix://… NODE=/path/to/node IDE_DIR=/path make-images.sh [ide | all]
set -euo pipefail
repo=$(cd "$(dirname "$0")/../.." && pwd)
node=${NODE:-$(command -v node)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DOCKER_BUILDKIT=0 DOCKER_CONFIG="$work"

for tool in docker busybox tar zstd nft git git-lfs ssh; do
  command -v "$tool" > /dev/null || { echo "make-images: $tool is missing: apt-get install docker.io busybox-static tar zstd nftables git git-lfs openssh-client" >&2; exit 1; }
done

# The name carries what the image was made from, so that it is made once and again when something changes.
tag() { cat "$@" | sha256sum | cut -c1-12; }
have() { docker image inspect "$1" > /dev/null 2>&1; }

with_libraries() {
  install -D "$1" "$2"
  { ldd "$1" 2> /dev/null | grep -o '/[^ ]*\.so[^ ]*' || true; } | while read -r library; do
    [ -e "$root$library" ] || install -D "$library" "$root$library"
  done
}

make_base() {
  root="$work/root"
  mkdir -p "$root"/{bin,etc,proc,sys,dev,tmp,usr/bin,usr/sbin,home/coder,volume,root}
  chmod 1777 "$root/tmp"
  with_libraries "$(command -v busybox)" "$root/bin/busybox"
  for name in $("$root/bin/busybox" --list); do
    case $name in tar | busybox) ;; *) ln -s busybox "$root/bin/$name" ;; esac
  done
  with_libraries "$(readlink -f "$node")" "$root/usr/bin/node"
  for tool in tar zstd perl nft bash find du sync stat; do with_libraries "$(readlink -f "$(command -v $tool)")" "$root/usr/bin/$tool"; done
  # Git finds its own commands beside each other, most of them links to itself; those for http have libraries of their own.
  for tool in git git-lfs ssh ssh-agent ssh-add ssh-keygen; do with_libraries "$(readlink -f "$(command -v $tool)")" "$root/usr/bin/$tool"; done
  core=$(git --exec-path)
  mkdir -p "$root$core"
  cp -a "$core/." "$root$core/"
  with_libraries "$core/git-remote-http" "$root$core/git-remote-http"
  # Terminals of the IDE: their shell is the one of /etc/passwd, what opens them is linked with libutil, and the scripts
  # that are commands in them begin with /usr/bin/env.
  ln -s ../usr/bin/bash "$root/bin/bash"
  ln -s ../../bin/busybox "$root/usr/bin/env"
  libc=$(ldd "$(readlink -f "$node")" | grep -o '/[^ ]*/libc\.so[^ ]*')
  install -D "${libc%/*}/libutil.so.1" "$root${libc%/*}/libutil.so.1"
  printf 'root:x:0:0:root:/root:/bin/sh\ncoder:x:1000:1000:coder:/home/coder:/bin/bash\n' > "$root/etc/passwd"
  printf 'root:x:0:\ncoder:x:1000:\n' > "$root/etc/group"
  chown 1000:1000 "$root/home/coder"
  tar -C "$root" -c . | docker import --change 'ENV PATH=/usr/bin:/bin:/usr/sbin' - "$1" > /dev/null
}

base="codehub-test/base:$(tag "$0" <("$node" --version))"
have "$base" || make_base "$base"

build() { # NAME:TAG, Dockerfile on stdin, context in $work/context
  have "$1" || { cat > "$work/context/Dockerfile" && docker build -q -t "$1" "$work/context" > /dev/null; }
  docker tag "$1" "${1%:*}:latest"
}

mkdir -p "$work/context"
# Folders as they are: its programs find each other by relative paths.
(cd "$repo/server/src" && find job-program \( -name '*.ts' -o -name '*.cjs' \) ! -name '*.test.ts' -exec cp --parents {} "$work/context/" \;)
# From the first line after the copy on, as they are there.
job_steps=$(sed -n '/^COPY/,$p' "$repo/deploy/images/job/Dockerfile" | tail -n +2)
protocol=$(grep -oP '^LABEL \Kcodehub.job-protocol=.*' "$repo/deploy/images/job/Dockerfile")
build "codehub-test/job:$(tag "$0" $(find "$work/context/job-program" -type f | sort) <(echo "$protocol$job_steps"))" << EOF
FROM $base
LABEL $protocol
COPY job-program /app/job-program
$job_steps
EOF

cp "$repo/server/test/runtime/fake-ide.mjs" "$work/context/"
build "codehub-test/fake:$(tag "$0" "$work/context/fake-ide.mjs")" << EOF
FROM $base
COPY fake-ide.mjs /fake-ide.mjs
USER 1000:1000
CMD ["node", "/fake-ide.mjs", "8080"]
EOF

if [ "${1:-}" = ide ] || [ "${1:-}" = all ]; then
  version=$(basename "$(echo "${IDE_DIR:?}"/code-server-*)")
  name="codehub-test/ide:$(tag "$0" "$repo/deploy/images/workspace/entrypoint.sh" <(echo "$version"))"
  if ! have "$name"; then
    rm -rf "$work/context"
    mkdir -p "$work/context"
    cp -al "$IDE_DIR/$version" "$work/context/code-server" 2> /dev/null || cp -a "$IDE_DIR/$version" "$work/context/code-server"
    cp "$repo/deploy/images/workspace/entrypoint.sh" "$work/context/"
  fi
  build "$name" << EOF
FROM $base
COPY code-server /opt/code-server
COPY entrypoint.sh /opt/entrypoint.sh
ENV CODE_SERVER=/opt/code-server/node_modules/code-server/out/node/entry.js
ENV CODEHUB_IDE="node /opt/code-server/node_modules/code-server/out/node/entry.js --config /dev/null"
USER 1000:1000
CMD ["/bin/sh", "/opt/entrypoint.sh"]
EOF
fi

if [ "${1:-}" = all ]; then
  made_of=$(cd "$repo" && find deploy/images/server contract server/src dashboard package-lock.json scripts/build-server.ts -type f ! -name '*.test.ts' ! -path '*/dist/*' | sort)
  name="codehub-test/server:$(cd "$repo" && tag scripts/test/make-images.sh deploy/images/build.sh $made_of)"
  have "$name" || PREFIX=codehub-test TAG="${name#*:}" BASE="$base" "$repo/deploy/images/build.sh" server > /dev/null
  docker tag "$name" codehub-test/server:latest
fi
