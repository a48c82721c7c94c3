#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A machine with a static address writes its report to the stick and sends it to the collector. Both get the same files, byte
# for byte, except for one that the collector refuses as too large, which is reported. The verdict is sent first.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/network.sh"
needs sfdisk mkfs.fat mcopy

# A data partition made by the test, so that no image is needed.
stick=$FOLDER/stick.img
truncate -s 64M "$stick"
printf 'label: dos\nlabel-id: 0xC0FE11A5\nstart=2048, type=c\n' | sfdisk -q "$stick"
mkfs.fat -F 32 -s 1 -i C0FE11A5 -n CUPEL --offset 2048 "$stick" $((63 * 1024)) >mkfs.log
own_stick "$stick"
cat >cupel.cfg <<'EOT'
network = 10.0.2.77/24,10.0.2.2
collector = http://10.0.2.100:80/small
preset = quick
limit = 1s
after = power-off
EOT
mcopy -i "$stick@@1M" cupel.cfg ::
devices+=(-device qemu-xhci -drive "file=$stick,if=none,id=stick,format=raw" -device 'usb-storage,drive=stick,removable=on')
collector_card e1000e
nvme_drive disk 64M
direct_boot cupel.countdown=0
power_off_within 100
serial_holds 'report: kept on the stick as '
serial_holds '! report: NOT sent whole: '
serial_holds ', 1 not: '
serial_holds '413 Content Too Large'

mkdir kept
mcopy -s -n -i "$stick@@1M" '::/20*' kept/
(cd kept && find . -type f | sort) >kept.list
[ -z "$(find kept -name '*-[0-9][0-9][0-9][0-9][0-9][0-9]' -prune -o -path 'kept/*' -print)" ] ||
    fault "the report's name has no time of day: $(ls kept)"
(cd "$COLLECTOR/put/small" && find . -type f | sort) >put.list
grep -v 'nvme0n1-randread/record.cupel$' kept.list | diff - put.list || fault 'stick and collector have different files'
grep -q 'nvme0n1-read/record.cupel$' put.list || fault 'the record of a test is not in the report'
case $(head -n 1 "$COLLECTOR/requests") in
*/qualification.*' 201') ;;
*) fault "the verdict was not sent first: $(cat "$COLLECTOR/requests")" ;;
esac
while read -r file; do
    posted "small/$file" "kept/$file"
done <put.list
finish
