#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Zoned devices (--zonemode zbd), in tests/guest/guest_zones.c: null_blk with conventional zones, and a ZNS namespace with
# limits on open zones, whose zone capacity is less than the zone size and not a multiple of the block size.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

truncate -s 64M zns.img
devices+=(-drive "file=$FOLDER/zns.img,if=none,id=zns,format=raw" -device "nvme,id=zoned,serial=zns,mdts=8"
    -device "nvme-ns,drive=zns,bus=zoned,nsid=1,zoned=true,zoned.zone_size=2M,zoned.zone_capacity=1600k,\
zoned.max_open=6,zoned.max_active=6,logical_block_size=4096,physical_block_size=4096")

add_file "$CUPEL" cupel
guest_test guest_zones nvme 'null_blk gb=1 bs=4096 zoned=1 zone_size=4 zone_nr_conv=3 nr_devices=1'

# Each refusal has its exact reason.
for words in 'nothing of the region' 'is not where a zone of' 'is no multiple of its zones of' 'its zones have' \
    'is larger than the capacity of a zone' 'a job has one write in flight, not 2' 'needs --direct 1' \
    'the device permits 6 that are written to'; do
    serial_holds "$words"
done
finish
