# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# ./build.sh image: the disk image for a USB stick. boot/ has its parts.

# With --qemu: what the tests boot it with is installed too. Exit 77: something that it needs cannot be had here.
cmd_image() {
    local tools=("${tools_image[@]}")
    PATH+=:/usr/sbin:/sbin
    case ${1:-} in
    '') ;;
    --qemu) tools+=("${tools_qemu[@]}") ;;
    *) die "image takes --qemu or nothing, not $1" ;;
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
