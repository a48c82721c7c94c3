# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A rack's network for the virtual machines of lib.sh; sourced after that file. It has DHCP, a gateway at 10.0.2.2, and a
# collector at http://10.0.2.100/ (collector.sh), which exists only inside QEMU. The guest gets 10.0.2.15.
COLLECTOR=$FOLDER/collector
mkdir "$COLLECTOR"

# collector_card MODEL [OPTION,...]: adds a network card that reaches the collector; OPTIONs are those of -netdev user
# (tftp=FOLDER, bootfile=NAME, domainname=NAME).
collector_card() {
    devices+=(-netdev "user,id=rack,guestfwd=tcp:10.0.2.100:80-cmd:$PROJECT/tests/e2e/qemu/collector.sh $COLLECTOR${2:+,$2}"
        -device "$1,netdev=rack")
}

# deaf_card MODEL: adds a network card with a link but nobody at its other end.
deaf_card() {
    devices+=(-netdev "hubport,id=deaf,hubid=7" -device "$1,netdev=deaf")
}

# posted PATH FILE: the collector has received the file, byte for byte.
posted() {
    if [ ! -f "$COLLECTOR/put/$1" ]; then
        fault "the collector was not given $1; it was asked for:"
        sed 's/^/    /' "$COLLECTOR/requests"
    elif ! cmp "$COLLECTOR/put/$1" "$2"; then
        fault "the collector's $1 differs from what was sent"
    fi
}

# site_initrd: makes site.cpio, an archive in which standard input is the guest's /cupel.cfg (boot/README.md).
site_initrd() {
    mkdir site
    cat >site/cupel.cfg
    (cd site && echo cupel.cfg | cpio --quiet -o -H newc) >site.cpio
}
