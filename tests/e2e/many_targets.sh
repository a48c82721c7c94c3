#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests that are due at instants, for more targets than there are processors, which then share threads: every request
# is issued, and each target has its own in its own rows. Counts only, no times.
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"

targets=$(($(nproc) * 2 + 3))
all=
number=0
while [ $number -lt $targets ]; do
    head -c 1048576 /dev/zero >"file$number"
    all="$all file$number"
    number=$((number + 1))
done

# Device d of the trace has 100 + d requests of (1 + d % 4) * 4 KiB in one second.
awk -v n=$targets 'BEGIN { for (i = 0; i < 100 + n; i++) for (d = 0; d < n; d++) if (i < 100 + d)
    printf "128166%012d,lu,%d,Read,%d,%d,10\n", 50000 * i + d, d, 16384 * (i % 60), 4096 * (1 + d % 4) }' >trace
requests() { awk -F, -v t="$1" '$1 == "iops" && $13 == t { n += $8 } END { print n + 0 }' out; }
for spin in auto never always; do
    # shellcheck disable=SC2086 # several words
    status 0 replay trace $all --ioengine uring --direct 0 --spin $spin --format csv
    number=0
    while [ $number -lt $targets ]; do
        n=$(requests "$(pwd)/file$number")
        [ "$n" -eq $((100 + number)) ] || fault "--spin $spin: file$number has $n requests instead of $((100 + number))"
        number=$((number + 1))
    done
done
finish
