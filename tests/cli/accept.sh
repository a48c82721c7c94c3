#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel report on the states of cupel accept: a drive whose cache was full after half of it; and three drives, of which one
# failed and one was cut off. Tests of cupel accept on devices are in tests/e2e/accept.sh.
project=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

states=$project/tests/fixtures/accept
status 0 report "$states/accepted"
[ "$(head -n 1 out)" = 'accepted  /dev/nvme0n1' ] || fault "the first line is $(head -n 1 out)"
[ "$(wc -l <out)" -le 22 ] || fault "the first screen has $(wc -l <out) lines"
holds out '1.75 TiB at 1.00 GB/s, its lowest level'
holds out 'it reached 71 C, its limit is 70 C'
status 0 report "$states/accepted" --full
holds out 'percentage used: 0 before, 1 after'
holds out '700 MB/s'
[ "$(grep -c '^  after ' out)" -eq 1 ] || fault 'there is one step in the throughput'

# Several pauses give one warning.
status 0 report "$states/hot" --full
holds out 'it reached 73 C, its limit is 70 C: writing paused'
holds out '3 times until it was 5 C below that'
[ "$(grep -c 'its limit is' out)" -eq 1 ] || fault 'each pause is a warning'

status 4 report "$states/three"
holds out 'FAILED  1 of 3 drives accepted, 1 failed, 1 undecided'
holds out 'it was begun and has not come to its'
holds err 'the drive has become read-only'
status 4 report "$states/three" --full
holds out 'media errors: 0 before, 2 after'
status 4 report "$states/three" --format csv
[ "$(head -n 1 out)" = row,disk,model,serial,name,grade,note,value,at,celsius ] || fault "the columns are $(head -n 1 out)"
[ "$(awk -F, '$1 == "disk" { print $6 }' out | tr '\n' ' ')" = 'accepted FAILED undecided ' ] || fault 'the verdicts in CSV'
[ "$(awk -F, '{ print NF }' out | sort -u | wc -l)" -eq 1 ] || grep -q '"' out || fault 'lines of CSV differ in columns'
status 4 report "$states/three" --format html
holds out 'Throughput'

# A state cut off at any byte either reads as before or as one in which nothing began. It never crashes the report, and never
# shows an accepted drive.
mkdir cut
bytes=$(wc -c <"$states/accepted/accept.state")
for share in 0 1 3 10 40 70 90 97 99; do
    head -c $((bytes * share / 100)) "$states/accepted/accept.state" >cut/accept.state
    limited report cut >out 2>err
    got=$?
    case $got in
    5) [ "$(cut -d ' ' -f 1 out | head -n 1)" = undecided ] || fault "cut at $share %: $(head -n 1 out)" ;;
    2) holds err 'accept.state' ;;
    *) fault "cut at $share %: exit status $got" ;;
    esac
done
refused 2 'cannot be used with it' report "$states/accepted" --sla 'p99<1ms'
finish
