#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the stick says when nothing failed but not everything is decided: a clause on a drive that was never written and is
# therefore not measured. The console, the menu and the report agree, and none of them says pass.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

truncate -s 16M empty.img
devices+=(-drive "file=$FOLDER/empty.img,if=none,id=empty,format=raw" -device 'nvme,drive=empty,serial=EMPTY')
data_stick 'countdown = 0' 'preset = quick' 'limit = 1s'
printf '[disk nvme]\ncount = 1\n\n[test randread nvme]\np99 < 10s\nerrors = 0\n' >expect.txt
mcopy -i data.img@@1M expect.txt ::
direct_boot
wait_for 'cupel: qualification NOT DECIDED: ' 60
send ' '
wait_for 'last result: NOT DECIDED: ' 20
send '9\r'
power_off_within 30
read_reports

says report/qualification.txt 'NOT DECIDED: '
says report/qualification.txt 'undecided randread p99 not known, expected below 10s: not measured'
row() {
    grep -q "^$1\$" report/qualification.csv || fault "no row $1 in $(cat report/qualification.csv)"
}
row 'machine,.*,verdict,undecided,.*,expect.txt,not decided,.*'
row 'device,nvme0n1,[^,]*,EMPTY,verdict,undecided,.*'
row 'check,nvme0n1,[^,]*,EMPTY,randread errors,undecided,.*,not known,0,"not measured: .*'
says report/qualification.json '"undecided": true'
finish
