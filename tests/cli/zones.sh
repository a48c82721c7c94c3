#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --zonemode zbd without a zoned device: what it is refused for, and fio's job files that have it. What it does to zones
# is in tests/e2e/qemu_zones.sh.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# refuses WORDS ARGUMENT...
refuses() {
    words=$1
    shift
    status=0
    limited run "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || fault "$*: exit status $status"
    grep -qF -- "$words" err || fault "$*: no \"$words\": $(cat err)"
}

: >file
refuses '--zonesize goes with --zonemode zbd only' file --zonesize 4m
refuses '--max_open_zones goes with --zonemode zbd only' file --max_open_zones 4 --rw write
refuses '--read_beyond_wp goes with --zonemode zbd only' file --read_beyond_wp 1
refuses 'a job has one write in flight, not 8' file --zonemode zbd --rw write --iodepth 8
refuses 'needs --direct 1' file --zonemode zbd --rw write --direct 0
refuses 'go together: say both' file --zonemode zbd --rw write --zone_reset_threshold 0.5
refuses 'are about writes' file --zonemode zbd --rw read --max_open_zones 3
refuses 'a closed loop of one size' file --zonemode zbd --rw randread --rate_iops 100
refuses 'engines without one do not go with it' null --zonemode zbd --ioengine null
refuses 'hold nothing that could be read back: --verify' file --zonemode zbd --rw write --verify
refuses '--offset_increment and --atomic do not go with it' file --zonemode zbd --rw write --offset_increment 4m
truncate -s 4M file
refuses 'needs a zoned block device' file --zonemode zbd --rw read --allow-unwritten

cat >zbd.fio <<'END'
[global]
rw=randwrite
zonemode=zbd
zonesize=256M
bs=2M
direct=1
[dev1]
filename=/dev/none
size=8z
offset=524z
zone_reset_threshold=0.7
zone_reset_frequency=0.125
END
limited run zbd.fio --dry-run >out 2>err || fault "zbd.fio: $(cat err)"
for words in '--offset=140660178944 --size=2147483648' '--zonemode=zbd --zonesize=268435456' \
    '--zone_reset_threshold=0.7 --zone_reset_frequency=0.125'; do
    grep -qF -- "$words" out || fault "no $words: $(cat out)"
done
finish
