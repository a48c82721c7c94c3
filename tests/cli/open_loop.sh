#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run with due times: rates that are kept and rates that are not, phases, think times, profiles; on the null engine,
# whose scripted delays are known. Rates that must be kept are low enough for a busy machine.
# Slow: sessions of seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quick='--preset quick --ci 100% --min-samples 5 --min-time 0.5s --limit 15s'

# measured ARGUMENT...: as status, with 0 or 5: the precision depends on the load of this machine.
measured() {
    limited "$@" >out 2>err
    got=$?
    if [ $got -ne 0 ] && [ $got -ne 5 ]; then
        fault "cupel $*: exit status $got"
        sed 's/^/    /' err
    fi
}

# 400 requests/s of 1 ms each: response times are the service time and a little more.
# shellcheck disable=SC2086
measured run --ioengine null --null-script const:1ms --rate_iops 400 --arrival uniform $quick --format csv -o kept
for metric in response_time service_time service_p99 issue_error_p50 issue_error_p99 issue_error_max issued_within_1us \
    issued_within_10us issued_within_50us issued_within_100us issued_within_1ms rate_asked queue_length backlog; do
    grep -q "^$metric," out || fault "there is no $metric"
done
is_true "$(metric_of iops value) > 360 && $(metric_of iops value) < 440"
is_true "$(metric_of service_time value) >= 1e6"
is_true "$(metric_of response_time value) >= $(metric_of service_time value)"
is_true "$(metric_of rate_asked value) == 400"
is_true "$(metric_of backlog value) < 100" # 250 ms of requests: this machine may be busy at the end
is_true "$(metric_of queue_length value) > 0.3"
cp out first
measured report kept/record.cupel --format csv
cmp -s first out || fault "report gives other numbers than the run: $(diff first out | head -n 4)"

# 2,000 requests/s are due, one at a time and 1 ms each: at most 1,000 are completed. The report says so, and the others count
# as waiting.
status 5 run --ioengine null --null-script const:1ms --rate_iops 2000 --iodepth 1 --preset quick --min-time 1s \
    --limit 20s --format csv
is_true "$(metric_of backlog value) > 500"
is_true "$(metric_of saturation value) > 0 && $(metric_of saturation value) < 1100"
waits="$(metric_of backlog_growth value) + $(metric_of saturation value)"
is_true "$waits > 1600 && $waits < 2400"
is_true "$(metric_of response_time value) > 10 * $(metric_of service_time value)"
grep -qi 'keep up' err || fault "standard error does not say that the target does not keep up: $(cat err)"

# Phases are measured in a single pass; the second phase is too fast for one request at a time.
status 0 run --ioengine null --null-script const:1ms --iodepth 1 --phases 20:1s,20-60:2s --arrival uniform --format json
holds out '"phases"'
status 5 run --ioengine null --null-script const:1ms --iodepth 1 --phases 200:1s,3k:1s --arrival uniform
holds out 'NOT KEPT UP: one pass of '
# 200 requests/s during half of the time: about 100, which end later on a busy machine.
status 0 run --ioengine null --phases 200/100ms/100ms:1s --format csv
done="$(metric_of iops value) * $(metric_of elapsed value)"
is_true "$done > 60 && $done < 140"

# A closed loop: 4 users who think for 20 ms and do I/O for 20 ms.
# shellcheck disable=SC2086
measured run --ioengine null --null-script const:20ms --iodepth 4 --thinktime 20ms $quick --format csv
is_true "$(metric_of iops value) > 50 && $(metric_of iops value) < 105"

# Mixes of sizes and of positions.
# shellcheck disable=SC2086
measured run --ioengine null --rate_iops 5k --bssplit 4k/50:64k/50 --random_distribution zipf:1.2 $quick --format csv
is_true "$(metric_of bandwidth value) / $(metric_of iops value) > 25000"
is_true "$(metric_of bandwidth value) / $(metric_of iops value) < 45000"
# shellcheck disable=SC2086
measured run --ioengine null --profile tpc-b --rate_iops 500 ${quick%--limit*} --limit 20s --format csv
grep -q '^iops,write' out || fault 'TPC-B writes'
status 0 help profile
holds out tpc-b
holds out spc-1

# What makes no sense is refused.
refused 2 '--arrival' run --ioengine null --rate_iops 1k --arrival poison
refused 2 'column' run --ioengine null --phases 1k:1s,2q
refused 2 'length' run --ioengine null --phases 1k
refused 2 '--rate_iops' run --ioengine null --phases 1k:1s --rate_iops 5
refused 2 '--thinktime' run --ioengine null --rate_iops 5 --thinktime 1ms
refused 2 'rate_iops' run --ioengine null --rate_iops -3
refused 2 '--arrival' run --ioengine null --arrival burst
refused 2 'no-such' run --ioengine null --rate_iops 5 --profile no-such
printf 'name x\n[stream a]\nkind opne\n' >wrong.profile
refused 2 'wrong.profile:3:' run --ioengine null --rate_iops 5 --profile wrong.profile
finish
