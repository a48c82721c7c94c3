#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Started from the network by the card's boot code (iPXE), without a disk or a stick: the script and the kernel come by TFTP,
# the initrds by HTTP; the configuration is in a separate initrd. The report is posted to the collector.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/network.sh"
[ -e /usr/share/qemu/pxe-virtio.rom ] || [ -e /usr/lib/ipxe/qemu/pxe-virtio.rom ] || skip 'there is no ipxe-qemu'

[ $(($(wc -c <"$BOOT/initrd") % 4)) -eq 0 ] || fault 'the kernel would not find an initrd behind that of the image'
site_initrd <<'EOT'
collector = http://10.0.2.100/reports/
command = probe; help qualify
after = power-off
EOT
make_initrd "$BOOT/initrd"
mkdir tftp "$COLLECTOR/get"
ln -s "$BOOT/vmlinuz" tftp/vmlinuz
mv initrd site.cpio "$COLLECTOR/get/"
cat >tftp/boot.ipxe <<'EOT'
#!ipxe
kernel vmlinuz console=ttyS0,115200 quiet panic=-1 cupel.countdown=0 cupel.data-wait=0
initrd http://10.0.2.100/initrd
initrd http://10.0.2.100/site.cpio
boot
EOT
collector_card virtio-net-pci "tftp=$FOLDER/tftp,bootfile=boot.ipxe"
# shellcheck disable=SC2034 # for start_qemu; as in stick_boot
processors=1
start_qemu -boot n
wait_for 'cupel: ready' 100
power_off_within 60
serial_holds 'files sent to http://10.0.2.100/reports/'
grep -q '^GET /site.cpio 200$' "$COLLECTOR/requests" || fault 'the second initrd was not fetched'
console=$(find "$COLLECTOR/put/reports" -name console.txt)
grep -qF '(Q35 + ICH9, 2009)' "$console" || fault 'the report does not say what machine it is of'
grep -qF 'command "help qualify"' "$console" || fault 'the configuration of the second initrd was not followed'
finish
