#!/usr/bin/env bash
# Feeds random packets to the check of what comes from a network: tests/fuzz/wire_fuzz.cpp.
#   tools/dev/fuzz.sh [SECONDS]     20 by default; an hour is a thorough search
# A failure leaves the input that repeats it: build/fuzz/wire_fuzz FILE.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

seconds=${1:-20}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "./dev fuzz: $seconds is not a number of seconds" >&2; exit 2; }
folder=build/fuzz
mkdir -p "$folder/corpus"
clang++-14 -std=c++20 -O1 -g -Wall -Wextra -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
  -Isrc tests/fuzz/wire_fuzz.cpp -o "$folder/wire_fuzz"
# Good packets to begin with.
python3 - "$folder/corpus/good" <<'PY'
import struct
import sys
def packet(number, kind=0, size=16, sender=3):
    made = struct.pack("<QQIiiHBB", 0x1122334455667788, number, size, sender, 1, 2, kind, 1) + bytes(size)
    return struct.pack("<H", len(made)) + made


with open(sys.argv[1], "wb") as good:
    good.write(packet(0) + packet(0, sender=0) + packet(1) + packet(0) + packet(2, kind=1, size=0) + packet(3) + packet(9))
PY
exec "$folder/wire_fuzz" -max_total_time="$seconds" -max_len=2048 -use_value_profile=1 -verbosity=0 -print_final_stats=1 \
  -artifact_prefix="$folder/" "$folder/corpus"
