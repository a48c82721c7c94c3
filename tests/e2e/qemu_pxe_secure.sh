#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Started from the network by UEFI with Secure Boot: shim, GRUB, kernel and initrds by TFTP, as boot/README.md describes.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/network.sh"
firmware=/usr/share/OVMF
shim=$BOOT/shim/usr/lib/shim/shimx64.efi.signed
grub=$BOOT/grub-efi/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed
for file in $firmware/OVMF_CODE_4M.secboot.fd "$shim" "$grub"; do
    [ -e "$file" ] || skip "there is no $file"
done

site_initrd <<'EOT'
collector = http://10.0.2.100/reports/
command = help qualify
after = power-off
EOT
make_initrd "$BOOT/initrd"
mkdir -p tftp/grub
cp "$shim" tftp/shimx64.efi
cp "$grub" tftp/grubx64.efi
ln -s "$BOOT/vmlinuz" tftp/vmlinuz
mv initrd site.cpio tftp/
cat >tftp/grub/grub.cfg <<'EOT'
linux /vmlinuz console=ttyS0,115200 panic=-1 cryptomgr.notests cupel.countdown=0 cupel.data-wait=0
initrd /initrd /site.cpio
boot
EOT
# romfile=: use the firmware's network code. The card's own (iPXE of 2019) gives shim a GRUB with extra bytes after its
# signature, which shim refuses.
collector_card virtio-net-pci,romfile= "tftp=$FOLDER/tftp,bootfile=shimx64.efi"
# shellcheck disable=SC2034 # for start_qemu; as in stick_boot
machine=q35,smm=on processors=1
cp $firmware/OVMF_VARS_4M.ms.fd variables.fd
QEMU_LIMIT=280 start_qemu -global driver=cfi.pflash01,property=secure,value=on \
    -drive "if=pflash,format=raw,unit=0,readonly=on,file=$firmware/OVMF_CODE_4M.secboot.fd" \
    -drive "if=pflash,format=raw,unit=1,file=variables.fd" -boot n
wait_for 'Secure boot enabled' 130
wait_for 'cupel: ready' 60
power_off_within 60
serial_holds 'files sent to http://10.0.2.100/reports/'
finish
