#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel probe on trees that other programs collect: lsblk's dumps, which have /sys/dev/block but no /sys/class and are nested
# in a folder; and the JSON that smartctl -j and nvme -o json printed, beside a capture.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/checks"
export NO_COLOR=1 LC_ALL=C

# disk NAME NUMBER FOLDER MODEL: a disk of 1 GiB and its first partition, as lsblk's dumps have them.
disk() {
    mkdir -p "dump/machine$3/$1/queue" "dump/machine$3/$1/${1}p1" "dump/machine/sys/dev/block" "dump/machine/sys/block"
    echo 2097152 >"dump/machine$3/$1/size"
    echo 0 >"dump/machine$3/$1/queue/rotational"
    mkdir -p "dump/machine$3/$1/device"
    echo "$4" >"dump/machine$3/$1/device/model"
    echo 1 >"dump/machine$3/$1/${1}p1/partition"
    echo 2048 >"dump/machine$3/$1/${1}p1/start"
    echo 1000 >"dump/machine$3/$1/${1}p1/size"
    ln -s "../..${3#/sys}/$1" "dump/machine/sys/dev/block/$2:0"
    ln -s "../..${3#/sys}/$1/${1}p1" "dump/machine/sys/dev/block/$2:1"
    ln -s "..${3#/sys}/$1" "dump/machine/sys/block/$1"
}
disk nvme0n1 259 /sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0 'Fast Drive'
disk sda 8 /sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/block 'Round Drive'

# fact_is NODE KEY EXPECTED: the value in the CSV of the last command.
fact_is() {
    got=$(awk -F, -v node="$1" -v key="$2" '$1 == node && $4 == key { print $5; exit }' out)
    [ "$got" = "$3" ] || fault "$2 of $1 is \"$got\" instead of \"$3\""
}

status 0 probe --sysroot dump --pci-ids none
holds out 'nvme0n1  disk, Fast Drive, 1 GiB, with nvme0n1p1'
holds out 'sda  disk, Round Drive'
lacks out 'No device and no link'
status 0 probe --sysroot dump/machine --pci-ids none --format csv
fact_is nvme0n1 size 1073741824
fact_is nvme0n1p1 start 1048576
parent=$(awk -F, '$1 == "sdap1" { print $3; exit }' out)
[ "$parent" = sda ] || fault "sdap1 hangs on \"$parent\""
tar -cf dump.tar -C dump machine
status 0 probe --sysroot dump.tar --pci-ids none
holds out 'Fast Drive'

# Health data of the drives, in the folder of the capture and beside its archive.
cat >dump/machine/smart-log-nvme0.json <<'END'
{"critical_warning": 1, "temperature": 313, "avail_spare": 3, "spare_thresh": 10, "percent_used": 4, "media_errors": 2,
 "num_err_log_entries": 0, "power_on_hours": 4711, "unsafe_shutdowns": 5, "thm_temp1_trans_count": 0}
END
cat >dump/machine/a.json <<'END'
{"smartctl": {"version": [7, 4]}, "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
 "model_name": "Other Name", "smart_status": {"passed": false}, "temperature": {"current": 41}, "power_on_time": {"hours": 99},
 "ata_smart_attributes": {"table": [{"id": 5, "raw": {"value": 65543}}, {"id": 197, "raw": {"value": 8}}, {"id": 200, "raw": {"value": 1}}]}}
END
echo '{"device": {"name": "/dev/sdq"}, "smart_status": {"passed": true}}' >dump/machine/other.json
echo 'no JSON' >dump/machine/broken.json
mkfifo dump/machine/pipe.json
status 0 probe --sysroot dump/machine --pci-ids none --format csv
fact_is nvme0n1 health 'spare low'
fact_is nvme0n1 temperature 40
fact_is nvme0n1 available_spare 3
fact_is nvme0n1 media_errors 2
fact_is nvme0n1 power_on_hours 4711
fact_is sda health 'failing: the drive predicts it (SMART)'
fact_is sda model 'Round Drive'
fact_is sda reallocated_sectors 7
fact_is sda pending_sectors 8
fact_is sda temperature 41
status 0 probe --sysroot dump/machine --pci-ids none
holds out 'HEALTH    nvme0n1'
holds out 'HEALTH    sda'
# A file of a drive that the capture does not have is reported; a file that is not about a drive is ignored.
holds err 'other.json is of sdq, a drive that the capture does not have'
! grep -q 'broken' err || fault "what is no JSON is named: $(cat err)"
echo '{"critical_warning": 0, "percent_used": 7}' >dump/machine/log.json
status 0 probe --sysroot dump/machine --pci-ids none
holds err 'log.json names no drive of the capture: name the file after its drive'
rm dump/machine/log.json
cp dump/machine/a.json dump-sda.json
status 0 probe --sysroot dump.tar --pci-ids none --format csv
fact_is sda power_on_hours 99
fact_is nvme0n1 health ''
mv dump-sda.json other-sda.json
status 0 probe --sysroot dump.tar --pci-ids none --format csv
fact_is sda health ''
finish
