#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept: invalid work is refused before a byte is written; work continues with the options it began with; a part that
# was verified before a later write is verified again.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

truncate -s 96M disk
attach disk
head -c 100663296 /dev/urandom | dd of="$LOOP" bs=1M oflag=direct status=none
sync "$LOOP"
before=$(sha256sum <disk)

# untouched WORDS ARGUMENT...: refused with exit status 2, and neither the disk nor a folder was changed.
untouched() {
    words=$1
    shift
    refused 2 "$words" accept "$LOOP" "$@"
    sync "$LOOP"
    [ "$before" = "$(sha256sum <disk)" ] || fault "the disk was written: $*"
    [ ! -e new ] || fault "a folder was made: $*"
}
untouched 'verify reads back what precondition writes' --destroy -o new --stages capacity,verify
untouched 'give it more --hours' --destroy -o new --stages precondition,pts-iops --hours 0.01
untouched 'give it more --hours' --dry-run --stages precondition,pts-iops --hours 0.01
untouched 'purge: --purge says' --destroy -o new --stages purge,precondition
# shellcheck disable=SC2046 # 65 names
refused 2 'more than 64 disks' accept $(seq -f '/dev/loop%g' 65) --destroy -o new
refused 6 'it is a volume and no drive' accept "$LOOP" --destroy -o new --purge format
refused 6 'it is a volume and no drive' accept "$LOOP" --destroy -o new --purge secure-erase
sync "$LOOP"
[ "$before" = "$(sha256sum <disk)" ] || fault 'a volume was written'

# Verified in the middle of the work: at the end all of it is verified again.
timeout -s INT 1 "$CUPEL" accept "$LOOP" --destroy -o kept --passes 60 --stages precondition,verify >out 2>err </dev/null
grep -q ' end stage=precondition status=done' kept/accept.state && skip 'the disk is too fast to be stopped in the middle'
grep -q ' written ' kept/accept.state || skip 'the disk is too slow'
limited accept --verify "$LOOP" -o kept >out 2>err
holds kept/accept.state 'end stage=verify status=done'
status 5 report kept
refused 2 'begun with other options' accept "$LOOP" --destroy -o kept --passes 3
refused 2 '--passes and --resume exclude each other' accept --resume kept --destroy --passes 3
status 0 accept --resume kept --destroy
awk '$3 == "written" { last = NR } $3 == "end" && /stage=verify status=done/ { verified = NR } END { exit !(verified > last) }' \
    kept/accept.state || fault 'it was accepted without being read back after the last write'
holds out '96 MiB read back'
finish
