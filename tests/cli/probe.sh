#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe: all formats agree, targets have data paths or are refused, --watch ends with status 0, and a capture shows the
# same machine again.
# Slow: it watches for seconds.
TREES=$PWD/tests/fixtures
# shellcheck source=/dev/null
. "$(dirname "$0")/in_memory"
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

sh -c "bash '$TREES/unpack.sh' '$TREES/machines/server.tree' server" || fault "the fixture cannot be unpacked"

# This machine, without any privilege.
status 0 probe
[ -s out ] || fault "no report"
[ ! -s err ] || fault "something on standard error: $(cat err)"
status 0 probe --format csv /
[ "$(head -n 1 out)" = node,kind,parent,key,value,unit,source,status ] || fault "the header is $(head -n 1 out)"
grep -q '^machine,machine,,' out || fault "there is no machine"
grep -q ',data_path,' out || fault "there is no data path of /"

# A link that trained at half its width is reported first in every format.
status 0 probe --sysroot server
sed -n 3p out | grep -q '^DEGRADED  0000:42:00.0' || fault "the degraded link is not at the top: $(sed -n 3p out)"
status 0 probe --sysroot server --format csv nvme1n1
holds out '0000:42:00.0,pci_device,0000:40:01.2,degraded,yes,'
holds out 'nvme1,data_path,nvme1n1,limit_read,'
status 0 probe --sysroot server --format json nvme1n1
holds out '"limiting_read": "0000:42:00.0"'
status 0 probe --sysroot server --all
holds out 'limit_capable'

# Targets, folders and files that do not exist.
refused 2 'nosuch: there is no such file' probe nosuch
refused 2 'on the machine of --sysroot' probe --sysroot server nvme77n1
refused 2 'exclude each other' probe --watch --capture x.tar
refused 2 'no-such-folder' probe --sysroot no-such-folder
refused 2 '--lspci gone' probe --lspci gone
refused 2 'it is no pci.ids' probe --pci-ids /etc/passwd
refused 2 'no regular file' probe --pci-ids /etc

# --sysroot needs a folder that is a machine's root, and then relative targets have no meaning. With this machine's root they
# have.
mkdir empty
refused 2 'neither sys nor proc' probe --sysroot empty
refused 2 'on the machine of --sysroot' probe --sysroot server .
refused 2 'on the machine of --sysroot' probe --sysroot server ../server
status 0 probe --sysroot / .
status 0 probe --sysroot /. .
truncate -s 600M large.tar
refused 2 'larger than 512 MiB' probe --sysroot large.tar
rm large.tar

# A capture of the tree gives the same result as the tree; the names of devices come from pci.ids, left out here.
status 0 probe --sysroot server --pci-ids none --format csv
cp out before
status 0 probe --sysroot server --capture server.tar --format csv
status 0 probe --sysroot server.tar --pci-ids none --format csv
cmp -s before out || fault "the capture shows another machine: $(diff before out | head -n 4)"
refused 2 server.tar probe --sysroot server --capture server.tar
refused 2 'cannot make' probe --sysroot server --capture no/folder.tar

# A capture contains the names of its devices: the result is the same without a pci.ids, or with another one.
for format in text csv json; do
    status 0 probe --sysroot server --pci-ids server/usr/share/misc/pci.ids --format "$format"
    cp out before
    [ -s named.tar ] || status 0 probe --sysroot server --pci-ids server/usr/share/misc/pci.ids --capture named.tar
    status 0 probe --sysroot named.tar --format "$format"
    cmp -s before out || fault "the capture has other names in $format: $(diff before out | head -n 4)"
done

# Private words on the kernel's command line are hidden, in the output and in the capture.
secret='BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-0001-4000-8000-00000000abcd ip=10.1.2.3::10.1.2.1 BOOTIF=01-00-1b-21-3c-9d-f8
 admin_password="two words" inst.repo=nfs:10.9.8.7:/x isolcpus=2-3'
chmod u+w server/proc/cmdline 2>/dev/null
echo "$secret" | tr -d '\n' >server/proc/cmdline
echo 'Linux version 6.1.0 (builder@forge7) (gcc 12) #1 SMP' >server/proc/version
hidden='root=UUID=hidden ip=hidden BOOTIF=hidden admin_password=hidden inst.repo=hidden isolcpus=2-3'
status 0 probe --sysroot server --format csv
holds out "$hidden"
status 0 probe --sysroot server --format csv --serials
holds out 'ip=10.1.2.3::10.1.2.1'
status 0 probe --sysroot server --capture private.tar
for word in 10.1.2 10.9.8 00-1b-21 'two words' 00000000abcd builder forge7; do
    grep -qF -e "$word" private.tar && fault "$word is in the capture"
done
status 0 probe --sysroot private.tar --format csv
holds out "$hidden"

# A signal at any time leaves a complete capture or none. The leak checker is off: it stops the process at its end, and hangs
# when the signal comes just then, once in a thousand times.
mkdir stopped
checked=${ASAN_OPTIONS-}
export ASAN_OPTIONS="${checked:+$checked:}detect_leaks=0"
for delay in 0.01 0.02 0.03 0.05 0.08; do
    for signal in INT TERM HUP; do
        rm -f stopped/*
        timeout -s "$signal" --preserve-status "$delay" "$CUPEL" probe --capture stopped/here.tar >out 2>err </dev/null
        got=$?
        left=$(ls stopped)
        case $got in
        0) [ "$left" = here.tar ] ;;
        5) [ -z "$left" ] && holds err 'stopped by a signal' ;;
        129 | 130 | 143) [ -z "$left" ] ;;
        *) false ;;
        esac || fault "$signal after $delay s: exit status $got, \"$left\" is left: $(cat err)"
    done
done

export ASAN_OPTIONS="$checked"

# --watch repeats the probe until a signal.
timeout --preserve-status -s TERM 2 "$CUPEL" probe --sysroot server --watch 0.2 --format csv >out 2>err </dev/null ||
    fault "--watch did not end with status 0: $(cat err)"
[ "$(grep -c '^node,kind' out)" -ge 2 ] || fault "--watch looked only $(grep -c '^node,kind' out) times"

finish
