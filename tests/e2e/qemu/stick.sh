# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh reads this in: it sets and uses what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# Virtual machines that start from the stick: build/cupel.img as a USB disk, with BIOS, UEFI, or UEFI with Secure Boot and
# Microsoft's keys. mtools reads and writes its partitions.
IMAGE=$BUILT/cupel.img

# make_stick: makes stick.img, a copy of the image. A test may change it before the boot: mcopy -i "$(stick_part 1)" ...
make_stick() {
    [ -e "$IMAGE" ] || skip "there is no $IMAGE: ./build.sh image --target $guest makes it"
    cmp -s "$BOOT/root/init" "$CUPEL" || skip "$IMAGE holds another cupel: ./build.sh image --target $guest makes it anew"
    needs mcopy sfdisk fsck.fat
    cp --sparse=always "$IMAGE" stick.img
}

# stick_part 1|2: prints the data or the boot partition of stick.img as a name for mtools.
stick_part() {
    echo "stick.img@@$(($(sfdisk -d stick.img | sed -n "s,^stick.img$1 : start= *\([0-9]*\).*,\1,p") * 512))"
}

# part_alone 1|2: copies that partition of stick.img into the file part1 or part2, for programs that need a separate file.
part_alone() {
    local begin sectors
    read -r begin sectors < <(sfdisk -d stick.img | tr -d , |
        sed -n "s/^stick.img$1 : start= *\([0-9]*\) size= *\([0-9]*\) .*/\1 \2/p")
    dd if=stick.img of="part$1" bs=1M iflag=skip_bytes,count_bytes skip=$((begin * 512)) count=$((sectors * 512)) \
        conv=sparse status=none
}

# own_stick FILE [IMAGE]: makes FILE, whose data partition begins at its second MiB, a stick of the booted image (or of
# IMAGE). direct_boot then says that the machine is started from it.
own_stick() {
    printf '%s%s\n' "$(constant DATA_IMAGE_WORDS)" "${2:-$(cat "$BOOT/root/image-id")}" |
        dd of="$1" bs=512 seek=$((2048 + $(constant DATA_IMAGE_SECTOR))) conv=notrunc status=none
    stick_argument=cupel.stick=own
}

# constant NAME: prints the value of a #define in tables/boot_image.h.
constant() {
    sed -n "s/^#define $1 *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$PROJECT/tables/boot_image.h"
}

# stick_config LINE...: writes cupel.cfg of stick.img.
stick_config() {
    printf '%s\n' "$@" >cupel.cfg
    mcopy -o -i "$(stick_part 1)" cupel.cfg ::cupel.cfg
}

# trust_timer: makes the kernels of stick.img skip the test of their timer, which fails when an emulated machine has to wait
# for a processor.
trust_timer() {
    mcopy -n -o -i "$(stick_part 2)" ::EFI/debian/grub.cfg trusting.cfg
    sed -i 's/ quiet / quiet no_timer_check /' trusting.cfg
    mcopy -o -i "$(stick_part 2)" trusting.cfg ::EFI/debian/grub.cfg
}

# stick_boot bios|uefi|secure: boots from stick.img, which is made if it does not exist. With one processor, because firmware
# lets all others wait while one works.
stick_boot() {
    local firmware=/usr/share/OVMF options=() screen=(-vga std) secure=off
    processors=1
    [ -e stick.img ] || make_stick
    [ "$guest" != x86_64 ] || trust_timer
    case $1 in
    bios) ;;
    uefi) options=(OVMF_CODE_4M.fd OVMF_VARS_4M.fd) ;;
    secure)
        options=(OVMF_CODE_4M.secboot.fd OVMF_VARS_4M.ms.fd)
        machine=q35,smm=on secure=on
        ;;
    esac
    [ "$guest" = x86_64 ] || firmware=/usr/share/AAVMF options=(AAVMF_CODE.fd AAVMF_VARS.fd) screen=(-device ramfb)
    if [ ${#options[@]} -gt 0 ]; then
        [ -e "$firmware/${options[0]}" ] || skip "there is no $firmware/${options[0]}: ./build.sh image --qemu --target $guest installs it"
        cp "$firmware/${options[1]}" variables.fd
        options=(-global "driver=cfi.pflash01,property=secure,value=$secure"
            -drive "if=pflash,format=raw,unit=0,readonly=on,file=$firmware/${options[0]}"
            -drive "if=pflash,format=raw,unit=1,file=variables.fd")
    fi
    start_qemu "${options[@]}" "${screen[@]}" -device qemu-xhci -drive file=stick.img,if=none,id=stick,format=raw \
        -device usb-storage,drive=stick,bootindex=0,removable=on
}

# stick_reports: copies the report folders of stick.img to ./reports/NAME.
stick_reports() {
    rm -rf reports
    mkdir reports
    mcopy -s -n -Q -i "$(stick_part 1)" '::20*' reports/ 2>mtools.err || true
    ls reports
}

# boots_and_qualifies bios|uefi|secure: tests everything from the firmware to the report on the stick, without any key
# pressed.
boots_and_qualifies() {
    local report before
    nvme_drive disk 64M
    before=$(sha256sum <disk.img)
    devices+=(-smbios 'type=2,serial=BOARD-42')
    [ -e stick.img ] || make_stick
    stick_config 'countdown = 0' 'preset = quick' 'limit = 1s' 'after = power-off'
    stick_boot "$1"
    wait_for ', Linux ' 120
    power_off_within 150
    report=$(stick_reports)
    [[ $report =~ ^20[0-9][0-9]-[01][0-9]-[0-3][0-9]-BOARD-42$ ]] || give_up "the folders on the stick are: $report"
    grep -q '^device,nvme0n1,.*,disk,verdict,' "reports/$report/qualification.csv" ||
        fault 'there is no verdict on the drive'
    grep -q '^measurement,nvme0n1,' "reports/$report/qualification.csv" || fault 'nothing was measured'
    [ "$(sha256sum <disk.img)" = "$before" ] || fault 'the drive was written to'
    part_alone 1
    fsck.fat -n part1 >fsck || fault "the data partition: $(cat fsck)"
    cp -R "reports/$report"/. .
}
