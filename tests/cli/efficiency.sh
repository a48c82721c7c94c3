#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run reports its bandwidth as a share of the data path's limit. The test gives the disk of this folder a made-up PCI
# Express link. First 32 GT/s x16: 32e9 x 16 x 128 / 130 / 8 = 63 GB/s on the line, a little less for payload, which is more
# than any page cache reaches. Then 2.5 GT/s x1, 250 MB/s, which the page cache exceeds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

number=$(stat -c '%Hd:%Ld' .)
case $number in
0:* | *[!0-9:]*) echo "this folder lies on no block device" && exit 77 ;;
esac
device=root/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0
mkdir -p $device/nvme/nvme0/nvme0n1/queue root/sys/dev/block root/sys/class/block root/sys/class/nvme \
    root/sys/bus/pci/devices root/proc/self
echo 0x010802 >$device/class
echo 0x144d >$device/vendor
echo 0xa80a >$device/device
link() {
    for file in max current; do
        echo "$1 GT/s PCIe" >$device/${file}_link_speed
        echo "$2" >$device/${file}_link_width
    done
    cp $device/*_link_* $device/..
}

# run_on SPEED WIDTH FOLDER EXPECTED CLAUSES: a run with that link that moves 420 MB/s, as a rate sets it. It lasts until the
# clauses are decided, however long that takes on a busy machine.
run_on() {
    link "$1" "$2"
    longer "$4" run . --size 16m --bs 1m --rate_iops 400 --direct 0 --ioengine sync --sysroot root --preset quick \
        --min-time 0.3s --limit 100s --overhead 0 --monitor-rate 20 --sla "$5" --format csv -o "$3"
    limit=$(awk -F, '$1 == "0000:01:00.0" && $2 == "pci_device" && $4 == "limit" { print $5 }' "$3/hardware.csv")
}

for file in vendor device; do
    cp $device/$file $device/../$file
done
echo 0x060400 >$device/../class
echo 2097152 >$device/nvme/nvme0/nvme0n1/size
echo "$number" >$device/nvme/nvme0/nvme0n1/dev
echo 0 >$device/nvme/nvme0/nvme0n1/stat
for name in 0000:00:01.0 0000:00:01.0/0000:01:00.0; do
    ln -s "../../../devices/pci0000:00/$name" "root/sys/bus/pci/devices/${name##*/}"
done
ln -s "../../devices/${device#root/sys/devices/}/nvme/nvme0" root/sys/class/nvme/nvme0
ln -s "../../devices/${device#root/sys/devices/}/nvme/nvme0/nvme0n1" root/sys/class/block/nvme0n1
ln -s "../../devices/${device#root/sys/devices/}/nvme/nvme0/nvme0n1" "root/sys/dev/block/$number"
echo "20 1 $number / / rw - ext4 /dev/nvme0n1 rw" >root/proc/self/mountinfo

run_on 2.5 1 exceeded 0 'read.iops>250'
is_true "${limit:-0} > 200e6"
is_true "${limit:-0} < 250e6"
[ -z "$(metric_of efficiency value)" ] || fault "a limit that was exceeded has a share: $(metric_of efficiency value)"
grep -q 'more was measured than the' out || fault 'nothing says that the limit was exceeded'

run_on 32.0 16 kept 1 'efficiency<90%, read.efficiency>80%'
is_true "${limit:-0} > 50e9"
is_true "${limit:-0} < 63.1e9"
is_true "($(metric_of efficiency value) + 0) * ${limit:-1} / ($(metric_of bandwidth value) + 0.001) > 0.999"
is_true "($(metric_of efficiency value) + 0) * ${limit:-1} / ($(metric_of bandwidth value) + 0.001) < 1.001"
grep -q 'that the data path lets through' out || fault 'efficiency does not say of what'

# The record gives the same result, also in the other formats.
limited report kept/record.cupel --format csv >again 2>err
cmp -s out again || fault "the record tells something else: $(diff out again | head -n 4)"
limited report kept --sla 'efficiency<90%, read.efficiency>80%' >text 2>err
grep -q '^  pass *efficiency<90%' text || fault "the efficiency's clause: $(grep efficiency text | head -n 3)"
grep -q '^  fail *read.efficiency>80%' text || fault "the efficiency's clause: $(grep efficiency text | head -n 3)"
limited report kept/record.cupel --full >text 2>err
grep -q '0000:01:00.0' text || fault 'the text report does not show the data path'
finish
