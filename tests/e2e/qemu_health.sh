#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Health of SATA and SCSI disks through a real kernel: SMART of a drive on AHCI, and a SCSI disk that keeps no log of
# exceptions, of which it is not known, and says whether its write cache is on. Nothing is asked with --no-commands.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

sata_drive SATA 32M
drive SCSI 32M
devices+=(-device 'virtio-scsi-pci,id=scsi' -drive "file=$FOLDER/SCSI.img,if=none,id=SCSI,format=raw"
    -device 'scsi-hd,bus=scsi.0,drive=SCSI,serial=SCSI')
direct_boot cupel.countdown=0 cupel.data-wait=0 cupel.after=power-off "cupel.command=\"\
probe --format csv --serials; probe; probe --format csv --no-commands\""
power_off_within 60
console_of 'probe --format csv --serials' | tail -n +2 >all.csv
console_of 'probe --format csv --no-commands' | tail -n +2 >without.csv
console_of 'probe"' | words >page.txt

# fact DISK KEY VALUE,UNIT,SOURCE,STATUS: the CSV has this row.
fact() {
    local line
    line=$(grep "^$1,disk,[^,]*,$2," all.csv | cut -d, -f5-)
    [ "$line" = "$3" ] || fault "$1 $2 is \"$line\", not \"$3\""
}
disk_of() {
    awk -F, -v serial="$1" '$4 == "serial" && $5 == serial { print $1; exit }' all.csv
}

sata=$(disk_of SATA) scsi=$(disk_of SCSI)
fact "$sata" health 'good,,ATA SMART RETURN STATUS,ok'
fact "$sata" power_on_hours '1,h,ATA SMART READ DATA,ok'
fact "$sata" reallocated_sectors '0,,ATA SMART READ DATA,ok'
fact "$scsi" health ',,"SCSI LOG SENSE, informational exceptions",absent'
fact "$scsi" drive_write_cache 'on,,"SCSI MODE SENSE, caching",ok'
! grep "^$scsi,disk,[^,]*,grown_defects," all.csv || fault 'a disk without log pages has a list of defects'
says page.txt "health good"
says_not page.txt 'HEALTH '
! grep -E "^sd[a-z],disk,[^,]*,health," without.csv || fault 'it was asked with --no-commands'
finish
