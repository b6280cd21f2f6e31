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
exec ip netns exec "$HEDDLE_TEST_NODES$node" unshare -u sh -c 'hostname "$0"; exec sh -c "$*"' "$node" "$@"
