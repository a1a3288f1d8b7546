# A Debian in a folder, and a container that boots it. Sourced by tools/packaging/test.

work=$(mktemp -d)
root=$work/root
log=$work/log
machine=
leader=

# copy_of_debian PACKAGES FOLDER: a copy of a minimal Debian with these packages, which FOLDER caches.
copy_of_debian() {
  if [ ! -x "$2/usr/bin/apt-get" ]; then
    debootstrap --variant=minbase --include="$1" bookworm "$2" > "$log" 2>&1
  fi
  cp -a "$2" "$root"
}

# download FILE...: fetches what packages depend on. apt in the container has no network.
download() {
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  rm -f "$root/etc/apt/apt.conf.d/docker-clean"
  chroot "$root" sh -c "apt-get update -q && apt-get install -y -q --no-install-recommends --download-only $*" > "$log" 2>&1
}

inside() { nsenter --target "$leader" --mount --uts --ipc --net --pid -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive HOME=/root "$@"; }

# boot: starts systemd in the copy. The container's own filters would forbid to lock memory, and Landlock.
boot() {
  systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network --capability=CAP_IPC_LOCK \
    --system-call-filter='landlock_create_ruleset landlock_add_rule landlock_restrict_self' --boot < /dev/null > "$work/console" 2>&1 &
  machine=$!
  until leader=$(pgrep --parent "$machine") && [ -S "/proc/$leader/root/run/systemd/private" ]; do
    kill -0 "$machine" || return 1
    sleep 0.2
  done
  [ "$(inside systemctl is-system-running --wait)" = running ]
}

stop_machine() {
  [ -n "$machine" ] || return 0
  # The signal of systemd for a shutdown; a container without systemd just ends.
  if [ -n "$leader" ]; then kill -s RTMIN+4 "$leader" || true; else kill "$machine" || true; fi
  wait "$machine" || true
  machine=
}

clean() {
  stop_machine
  rm -rf "$work"
}
trap clean EXIT

begun=$SECONDS
# step NAME COMMAND...: runs a step, and prints its name, its time and what the command printed.
step() {
  local name=$1 result
  shift
  # A step that changes variables of this script runs in it.
  set +e
  (exit 0)
  if [ "$1" = boot ]; then
    set -e; "$@"; result=
  else
    result=$(set -e; "$@" 2> "$work/errors")
  fi
  local code=$?
  set -e
  if [ "$code" != 0 ]; then
    printf 'FAILED  %s\n' "$name"
    cat "$work/errors" "$log" 2> /dev/null | tail -n 40
    exit 1
  fi
  printf 'ok %4d s  %s%s\n' $((SECONDS - begun)) "$name" "${result:+: $(head -n 1 <<< "$result")}"
}
