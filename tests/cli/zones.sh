#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --zonemode zbd without a zoned device: refusals, and fio job files with this option. tests/e2e/qemu_zones.sh tests real
# zones.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# refuses WORDS ARGUMENT...: the command line is refused with these words.
refuses() {
    words=$1
    shift
    status=0
    limited run "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || fault "$*: exit status $status"
    grep -qF -- "$words" err || fault "$*: no \"$words\": $(cat err)"
}

: >file
refuses '--zonesize needs --zonemode zbd' file --zonesize 4m
refuses '--max_open_zones needs --zonemode zbd' file --max_open_zones 4 --rw write
refuses '--read_beyond_wp needs --zonemode zbd' file --read_beyond_wp 1
refuses 'a job has one write in flight, not 8' file --zonemode zbd --rw write --iodepth 8
refuses 'needs --direct 1' file --zonemode zbd --rw write --direct 0
refuses '--zone_reset_threshold needs --zone_reset_frequency' file --zonemode zbd --rw write --zone_reset_threshold 0.5
refuses '--max_open_zones needs writes (--rw)' file --zonemode zbd --rw read --max_open_zones 3
refuses 'a closed loop of one size' file --zonemode zbd --rw randread --rate_iops 100
refuses '--ioengine null has none' null --zonemode zbd --ioengine null
refuses '--zonemode and --verify exclude each other' file --zonemode zbd --rw write --verify
refuses '--zonemode and --offset_increment exclude each other' file --zonemode zbd --rw write --offset_increment 4m
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
