#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The report of a machine with a given address goes to the stick and to the collector: both have the same files, byte
# for byte.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/network.sh"
needs sfdisk mkfs.fat mcopy

# A data partition of our own, so that this needs no image.
stick=$FOLDER/stick.img
truncate -s 64M "$stick"
echo 'start=2048, type=c' | sfdisk -q -X dos "$stick"
mkfs.fat -F 32 -s 1 -i C0FE11A5 -n CUPEL --offset 2048 "$stick" $((63 * 1024)) >mkfs.log
cat >cupel.cfg <<'EOT'
network = 10.0.2.77/24,10.0.2.2
collector = http://10.0.2.100:80/reports
command = run /dev/nvme0n1 --limit 2s -o nvme0n1
after = power-off
EOT
mcopy -i "$stick@@1M" cupel.cfg ::
devices+=(-device qemu-xhci -drive "file=$stick,if=none,id=stick,format=raw" -device 'usb-storage,drive=stick,removable=on')
collector_card e1000e
nvme_drive disk 64M
direct_boot cupel.countdown=0
power_off_within 100
serial_holds 'report: kept on the stick as '
serial_holds 'files sent to http://10.0.2.100:80/reports'

mkdir kept
mcopy -s -n -i "$stick@@1M" '::/20*' kept/
(cd kept && find . -type f | sort) >kept.list
(cd "$COLLECTOR/put/reports" && find . -type f | sort) >put.list
diff kept.list put.list || fault 'stick and collector have different files'
grep -q 'nvme0n1/record.cupel$' put.list || fault 'the record of the run is not in the report'
while read -r file; do
    posted "reports/$file" "kept/$file"
done <kept.list
finish
