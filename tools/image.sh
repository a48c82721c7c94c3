# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# ./build.sh image: makes the disk image for a USB stick. The parts are in boot/.

# With --qemu, also installs what the tests need to boot it. With --firmware, adds the firmware that drivers load into
# devices. Exits with 77 when something that it needs is not available here.
cmd_image() {
    local tools=("${tools_image[@]}") variant=musl emulator=() boot_images=all debian efi
    PATH+=:/usr/sbin:/sbin
    while [ $# -gt 0 ]; do
        case $1 in
        --qemu) emulator=("${tools_qemu[@]}") ;;
        --firmware) boot_images+=' firmware' ;;
        --target=*) set_target "$1" ;;
        --target)
            set_target "$1" "${2:-}"
            shift
            ;;
        *) die "image takes --qemu, --firmware and --target MACHINE, not $1" ;;
        esac
        shift
    done
    if [ $variant = aarch64 ]; then # the program itself prints the example of cupel.cfg
        tools+=("${tools_emulator[@]}")
        [ ${#emulator[@]} -eq 0 ] || emulator=("${tools_qemu_aarch64[@]}")
    fi
    tools+=("${emulator[@]}")
    (need "${tools[@]}") || exit 77
    . boot/packages.sh
    . boot/initrd.sh
    . boot/image.sh
    prepare $variant
    boot_images+=" $machine"
    case $machine in
    x86_64) debian=amd64 efi=x64 ;;
    aarch64) debian=arm64 efi=aa64 ;;
    *) die "there is an image for x86-64 and one for aarch64, and none for $machine" ;;
    esac
    run_make binary
    begin_scratch
    make_image
    end_scratch
    exec 9>&-
}
