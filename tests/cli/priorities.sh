#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Priorities of requests: what a run, its record and its files report of requests with and without priority; refusals.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quiet='--realtime 0 --overhead 0 --monitor-cost 0'
limited run --size 1m --limit 0.3s --overhead 0 --ioengine uring --iodepth 2 >/dev/null 2>err
[ $? -ne 6 ] || skip 'O_DIRECT or io_uring does not work here'

# Classes that need no permission: be, which comes before idle.
# shellcheck disable=SC2086 # the options are words
status 0 run --size 4m --iodepth 4 --prioclass idle --cmdprio_percentage 25 --cmdprio_class be --cmdprio 2 \
    --runtime 0.6s $quiet -o kept
holds out 'Priority be/2'
tr -s ' \n' ' ' <out >flat
holds flat 'latency of 4 KiB reads over that with idle: mean'
holds out 'priority idle'
holds out '25 % with'
# A quarter of the requests has the priority, within the variation by chance.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
    NR == 2 { ok = $c["priority"] == "be/2" && $c["than"] == "idle" && $c["mean_ratio"] > 0; share = $c["share"]; n = $c["n"] }
    NR == 3 { ok = ok && $c["priority"] == "idle" && $c["than"] == "" && $c["n"] > 0; n += $c["n"] }
    END { exit !(ok && NR == 3 && n > 50 && (share - .25) ^ 2 * n < 5 ^ 2 * .25 * .75) }' kept/priorities.csv || {
    fault 'priorities.csv'
    cat kept/priorities.csv
}
holds kept/report.txt 'Latency by priority'
status 0 report kept/record.cupel -o again
cmp -s kept/priorities.csv again/priorities.csv || fault 'the record has other priorities than its session'
status 0 report kept/record.cupel --format json
holds out '"priorities":'
holds out '"cmdprio_percentage"'

# Different priorities for reads and writes, and for sizes; streams of a profile.
# shellcheck disable=SC2086
status 0 run --size 4m --rw randrw --bssplit 4k/50:16k/50,8k --iodepth 4 --cmdprio_bssplit 4k/50/be/0:4k/50/idle/0, \
    --runtime 0.5s $quiet --full
holds out '4 KiB reads, be/0'
holds out '4 KiB reads, idle'
holds out '8 KiB writes, none'
# shellcheck disable=SC2086
status 0 run --size 4m --iodepth 4 --profile '[stream a];kind closed;concurrency 2;priority idle;[stream b];kind closed;concurrency 2;priority be/1' \
    --runtime 0.5s $quiet --full
holds out 'be/1'
holds out 'idle'

# When all requests have the priority, there is no second kind to compare with.
for engine in sync uring; do
    # shellcheck disable=SC2086
    status 0 run --size 1m --ioengine $engine --prio 6 --runtime 0.2s $quiet
    holds out 'priority be/6'
    ! grep -q '^Priority' out || fault "$engine: one kind is compared"
done

refused 2 'one priority for all requests; use --ioengine uring' run --ioengine sync --cmdprio_percentage 10
refused 2 'goes past the block layer' run --ioengine null --prio 3
refused 2 'past the block layer' run --ioengine nvme-uring --cmdprio_percentage 10
refused 2 '--cmdprio_percentage needs --direct 1' run --direct 0 --cmdprio_percentage 10
refused 2 'leave --direct 0 out' run --direct 0 --rw randwrite --prioclass idle
refused 2 '--cmdprio_percentage and --cmdprio_bssplit exclude each other' run --cmdprio_percentage 10 --cmdprio_bssplit 4k/10
refused 2 '--cmdprio needs --cmdprio_percentage or --cmdprio_bssplit' run --cmdprio 1
refused 2 'a percentage' run --cmdprio_percentage 101
refused 2 'a percentage' run --cmdprio_percentage x
refused 2 'a percentage' run --cmdprio_percentage 10,20,30
refused 2 'no read has 8192 bytes' run --cmdprio_bssplit 8k/10
refused 2 '--prio' run --prio 8
refused 2 '--prioclass' run --prioclass high
refused 2 'of its own' run --profile '[stream a];kind closed' --cmdprio_percentage 10

# The class rt needs permission.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir open && chmod 777 open "$FOLDER"
    (cd open && timeout -s KILL 60 setpriv --reuid 65534 --clear-groups "$CUPEL" run --size 1m --prioclass rt --runtime 0.2s >out 2>err)
    [ $? -eq 6 ] || fault 'rt without permission'
    holds open/err 'needs root or CAP_SYS_NICE'
    [ ! -e open/cupel.scratch ] || fault 'a file was left'
fi
finish
