#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A zram device, if there is one that nobody uses.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
[ -b /dev/zram0 ] || skip 'there is no /dev/zram0'
[ "$(cat /sys/block/zram0/disksize)" = 0 ] || skip '/dev/zram0 is in use'

refused 4 /dev/zram0 run /dev/zram0 # it has no size
# shellcheck disable=SC2034 # for the end of the test, in devices
zram=zram0
echo 33554432 >/sys/block/zram0/disksize || skip '/dev/zram0 takes no size'
refused 3 /dev/zram0 run /dev/zram0
refused 3 --destroy run /dev/zram0 --rw randwrite
measured /dev/zram0 --rw write --destroy --bs 64k
measured /dev/zram0
[ "$(metric_of iops op)" = read ] || fault "the op is $(metric_of iops op)"
measured /dev/zram0 --iodepth 16 --numjobs 2 -o kept
grep -q zram kept/hardware.csv || fault 'hardware.csv does not name the device'
# zram compresses: the written data must be incompressible.
read -r original compressed _ </sys/block/zram0/mm_stat
is_true "$compressed > 0.98 * $original"
finish
