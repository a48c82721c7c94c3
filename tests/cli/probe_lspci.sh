#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe --lspci: PCI devices out of what `lspci -x`, `-xxx` and `-xxxx` print, whole, short and damaged.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/checks"
export NO_COLOR=1 LC_ALL=C
mkdir -p nothing/sys

# fact NODE KEY: its value in the CSV of the last command.
fact() {
    awk -F, -v node="$1" -v key="$2" '$1 == node && $4 == key { print $5; exit }' out
}

fact_is() {
    got=$(fact "$1" "$2")
    [ "$got" = "$3" ] || fault "$2 of $1 is \"$got\" instead of \"$3\""
}

dump() {
    status 0 probe --sysroot nothing --pci-ids none --lspci "$tests/fixtures/lspci/$1.txt" --format csv
}

# 256 bytes of each function: the links, what both ends can, the sizes of a payload.
dump server
fact_is 0000:42:00.0 vendor_id 0x144d
fact_is 0000:42:00.0 device_id 0xa824
fact_is 0000:42:00.0 negotiated '16.0 GT/s x2'
fact_is 0000:42:00.0 capable '16.0 GT/s x4'
fact_is 0000:42:00.0 degraded yes
fact_is 0000:42:00.0 max_payload 512
fact_is 0000:42:00.0 max_read_request 512
fact_is 0000:41:00.0 negotiated '16.0 GT/s x4'
fact_is 0000:41:00.0 degraded no
# The bus numbers of the bridges say what hangs where, a switch included.
parent=$(awk -F, '$1 == "0000:c3:00.0" { print $3; exit }' out)
[ "$parent" = 0000:c2:00.0 ] || fault "0000:c3:00.0 hangs on \"$parent\""
parent=$(awk -F, '$1 == "0000:c1:00.0" { print $3; exit }' out)
[ "$parent" = 0000:c0:01.1 ] || fault "0000:c1:00.0 hangs on \"$parent\""
fact_is 0000:c1:00.0 negotiated '16.0 GT/s x8'
status 0 probe --sysroot nothing --pci-ids none --lspci "$tests/fixtures/lspci/server.txt"
holds out 0000:42:00.0
holds out DEGRADED

# All 4096 bytes, and a drive in a slot that both could do more: the same.
dump whole
fact_is 0000:42:00.0 negotiated '16.0 GT/s x2'
fact_is 0000:42:00.0 degraded yes

# 64 bytes, as for an ordinary user, addresses without a domain: what is behind them is not known, and said so.
dump short
fact_is 0000:18:00.0 vendor_id 0x1000
fact_is 0000:3b:00.0 negotiated ''
fact_is 0000:3b:00.0 degraded ''

# Damaged: no crash, and the sound device is there.
dump garbage
fact_is 0000:00:07.0 vendor_id 0x8086
grep -q '^0000:00:07.0,[^,]*,[^,]*,limit,[0-9]' out && fault "a link of no known speed has a limit"
status 0 probe --sysroot nothing --pci-ids none --lspci /dev/null --format csv
# Input that cannot be read is refused: silence would look like a machine without faults.
echo 'This is no dump.' >letter
refused 2 letter probe --sysroot nothing --lspci letter
refused 2 offset.txt probe --sysroot nothing --lspci "$tests/fixtures/lspci/offset.txt"
refused 2 not-there probe --sysroot nothing --lspci not-there
finish
