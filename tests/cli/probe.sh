#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe: the forms agree, targets have paths or are refused, --watch ends with status 0, and a capture shows the
# same machine again.
TREES=$PWD/tests/fixtures
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

sh -c "bash '$TREES/unpack.sh' '$TREES/machines/server.tree' server" || fault "the fixture cannot be unpacked"

# This machine, whatever it is, without any privilege asked for.
status 0 probe
[ -s out ] || fault "no report"
[ ! -s err ] || fault "something on standard error: $(cat err)"
status 0 probe --format csv /
[ "$(head -n 1 out)" = node,kind,parent,key,value,unit,source,status ] || fault "the header is $(head -n 1 out)"
grep -q '^machine,machine,,' out || fault "there is no machine"
grep -q ',data_path,' out || fault "there is no data path of /"

# The link that trained at half its width comes first, in every form.
status 0 probe --sysroot server
sed -n 3p out | grep -q '^DEGRADED  0000:42:00.0' || fault "the degraded link is not at the top: $(sed -n 3p out)"
status 0 probe --sysroot server --format csv nvme1n1
holds out '0000:42:00.0,pci_device,0000:40:01.2,degraded,yes,'
holds out 'nvme1,data_path,nvme1n1,limit_read,'
status 0 probe --sysroot server --format json nvme1n1
holds out '"limiting_read": "0000:42:00.0"'
status 0 probe --sysroot server --all
holds out 'limit_capable'

# What is not there.
refused 2 'nosuch: there is no such file' probe nosuch
refused 2 'on the machine of --sysroot' probe --sysroot server nvme77n1
refused 2 'exclude each other' probe --watch --capture x.tar
refused 2 'no-such-folder' probe --sysroot no-such-folder
refused 2 '--lspci gone' probe --lspci gone

# A capture of the tree tells what the tree tells; names of devices come from elsewhere.
status 0 probe --sysroot server --pci-ids none --format csv
cp out before
status 0 probe --sysroot server --capture server.tar --format csv
status 0 probe --sysroot server.tar --pci-ids none --format csv
cmp -s before out || fault "the capture shows another machine: $(diff before out | head -n 4)"
refused 2 server.tar probe --sysroot server --capture server.tar

# Again and again, until a signal.
timeout --preserve-status -s TERM 2 "$CUPEL" probe --sysroot server --watch 0.2 --format csv >out 2>err </dev/null ||
    fault "--watch did not end with status 0: $(cat err)"
[ "$(grep -c '^node,kind' out)" -ge 2 ] || fault "--watch looked only $(grep -c '^node,kind' out) times"

finish
