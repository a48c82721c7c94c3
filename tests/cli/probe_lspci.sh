#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe --lspci: PCI devices from the output of `lspci -x`, `-xxx` and `-xxxx`, complete, short and damaged.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/checks"
export NO_COLOR=1 LC_ALL=C
mkdir -p nothing/sys

# fact NODE KEY: prints the value in the CSV of the last command.
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

# 256 bytes per function: links, the capabilities of both ends, payload sizes.
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
# The bridges' bus numbers give the tree, including a switch.
parent=$(awk -F, '$1 == "0000:c3:00.0" { print $3; exit }' out)
[ "$parent" = 0000:c2:00.0 ] || fault "0000:c3:00.0 hangs on \"$parent\""
parent=$(awk -F, '$1 == "0000:c1:00.0" { print $3; exit }' out)
[ "$parent" = 0000:c0:01.1 ] || fault "0000:c1:00.0 hangs on \"$parent\""
fact_is 0000:c1:00.0 negotiated '16.0 GT/s x8'
status 0 probe --sysroot nothing --pci-ids none --lspci "$tests/fixtures/lspci/server.txt"
holds out 0000:42:00.0
holds out DEGRADED

# All 4096 bytes give the same result, including a drive in a slot where both could run faster.
dump whole
fact_is 0000:42:00.0 negotiated '16.0 GT/s x2'
fact_is 0000:42:00.0 degraded yes

# 64 bytes, as an ordinary user sees them, and addresses without a domain: what lies beyond is reported as unknown.
dump short
fact_is 0000:18:00.0 vendor_id 0x1000
fact_is 0000:3b:00.0 negotiated ''
fact_is 0000:3b:00.0 degraded ''

# Without a --sysroot, no processor, disk or kernel of this machine is shown.
status 0 probe --lspci "$tests/fixtures/lspci/server.txt" --pci-ids none
holds out 'The PCI devices in '
holds out 'DEGRADED  0000:42:00.0'
lacks out 'rocessor'
lacks out 'vda'
lacks out "$(uname -r)"
status 0 probe --lspci "$tests/fixtures/lspci/server.txt" --pci-ids none --format csv
kinds=$(awk -F, 'NR > 1 { print $2 }' out | sort -u | tr '\n' ' ')
[ "$kinds" = 'machine pci_bridge pci_device pci_host ' ] || fault "kinds of nodes: $kinds"
# A drive without faults is listed, with its link.
status 0 probe --lspci "$tests/fixtures/lspci/server.txt" --pci-ids none
grep -q '0000:41:00.0 .*16.0 GT/s x4' out || fault 'a drive without faults is not shown'
refused 2 'the text has no more than PCI devices' probe --lspci "$tests/fixtures/lspci/server.txt" --capture x.tar

refused 2 'in the text of --lspci' probe --lspci "$tests/fixtures/lspci/server.txt" vda

# Text without configuration space: a link is judged when both its ends are in the text.
cat >words <<'EOF'
00:01.0 PCI bridge [0604]: Example Root Port [1234:0001] (rev 02) (prog-if 00 [Normal decode])
	Bus: primary=00, secondary=01, subordinate=01, sec-latency=0
	Capabilities: [40] Express (v2) Root Port (Slot+), MSI 00
		LnkCap:	Port #1, Speed 16GT/s, Width x4, ASPM L1
		LnkSta:	Speed 8GT/s (downgraded), Width x2 (downgraded)
01:00.0 Non-Volatile memory controller [0108]: Example [X] SSD [1234:0002] (prog-if 02 [NVM Express])
	Capabilities: [70] Express (v2) Endpoint, MSI 00
		DevCap:	MaxPayload 512 bytes, PhantFunc 0
		DevCtl:	CorrErr+ NonFatalErr+
			MaxPayload 256 bytes, MaxReadReq 512 bytes
		LnkCap:	Port #0, Speed 16GT/s, Width x4, ASPM L1
		LnkSta:	Speed 8GT/s (downgraded), Width x2 (downgraded)
		LnkSta2: Current De-emphasis Level: -6dB
EOF
status 0 probe --lspci words --pci-ids none
holds out 'DEGRADED  0000:01:00.0 Example [X] SSD'
holds out '2 of 4 lanes, 8.0 of 16.0 GT/s'
status 0 probe --lspci words --pci-ids none --format csv
fact_is 0000:01:00.0 max_payload 256
fact_is 0000:01:00.0 device_name 'Example [X] SSD'
parent=$(awk -F, '$1 == "0000:01:00.0" { print $3; exit }' out)
[ "$parent" = 0000:00:01.0 ] || fault "0000:01:00.0 hangs on \"$parent\""
# The port is not in the text: the known part is shown, and the unknown part does not count as healthy.
sed -n '/^01:/,$p' words >card
status 2 probe --lspci card --pci-ids none
holds out 'DEGRADED? 0000:01:00.0'
lacks out 'nothing degraded'
holds err 'no configuration space'
holds err 'lspci -xxxx'
sed 's/LnkSta:.*/LnkSta: Speed 16GT\/s, Width x4/' card >healthy
status 0 probe --lspci healthy --pci-ids none
holds out 'nothing degraded'
holds out 'Example [X] SSD'
# Text with neither configuration space nor links.
grep '^0' words >names
refused 2 'neither configuration space nor links' probe --lspci names
printf '01:00.0 Ethernet controller: X\n\tCapabilities: <access denied>\n' >denied
refused 2 'which were not permitted; as root, lspci -xxxx' probe --lspci denied

# Damaged input does not crash it, and the sound device is still found.
dump garbage
fact_is 0000:00:07.0 vendor_id 0x8086
grep -q '^0000:00:07.0,[^,]*,[^,]*,limit,[0-9]' out && fault "a link of no known speed has a limit"
status 0 probe --sysroot nothing --pci-ids none --lspci /dev/null --format csv
# Unreadable input is refused: an empty result would look like a machine without faults.
echo 'This is no dump.' >letter
refused 2 letter probe --sysroot nothing --lspci letter
refused 2 offset.txt probe --sysroot nothing --lspci "$tests/fixtures/lspci/offset.txt"
refused 2 not-there probe --sysroot nothing --lspci not-there
finish
