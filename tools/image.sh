# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# ./build.sh image: the disk image for a USB stick. boot/ has its parts.

# With --qemu: what the tests boot it with is installed too. With --firmware: what drivers load into their devices is in it.
# Exit 77: something that it needs cannot be had here.
cmd_image() {
    local tools=("${tools_image[@]}") boot_images="$machine all" debian
    PATH+=:/usr/sbin:/sbin
    while [ $# -gt 0 ]; do
        case $1 in
        --qemu) tools+=("${tools_qemu[@]}") ;;
        --firmware) boot_images+=' firmware' ;;
        *) die "image takes --qemu and --firmware, not $1" ;;
        esac
        shift
    done
    case $machine in
    x86_64) debian=amd64 ;;
    *) die "the image is for x86-64, and built there" ;;
    esac
    (need "${tools[@]}") || exit 77
    . boot/packages.sh
    . boot/initrd.sh
    . boot/image.sh
    prepare musl
    run_make binary
    begin_scratch
    make_image
    end_scratch
    exec 9>&-
}
