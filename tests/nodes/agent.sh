#!/bin/sh
# agent.sh [OPTIONS OF SSH] NODE COMMAND... — runs a command on a node of the test (nodes.py), in ssh's place.
while :; do
  case "$1" in
    -x | -X | -n | -q | -T | -t | -4 | -6 | -a | -C) shift ;;
    -o | -l | -p | -i) shift 2 ;;
    --) shift; break ;;
    *) break ;;
  esac
done
node=$1
shift
# The mounts of `ip netns exec` are its own.
[ "${HEDDLE_TEST_HIDE%%:*}" = "$node" ] && hide=${HEDDLE_TEST_HIDE#*:}
exec ip netns exec "$HEDDLE_TEST_NODES$node" unshare -u env HIDE="$hide" sh -c '
  hostname "$0"
  [ -z "$HEDDLE_TEST_TABLE" ] || mount --bind "$HEDDLE_TEST_TABLE" /etc/hosts
  [ -z "$HIDE" ] || mount -t tmpfs none "$HIDE"
  exec sh -c "$*"' "$node" "$@"
