#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No part of the input is ignored silently: an option given twice is refused, or a line says which value is used.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

printf '[global]\nrw=randread\nbs=4k\nsize=1m\n[both]\nfilename=one.dat\nfilename=two.dat\n' >twice.fio
printf '[global]\nrw=randread\nbs=4k\nsize=1m\nfilename=one.dat\n[both]\nfilename=two.dat\n' >global.fio
# Files of a section, including those of [global], are measured at the same time, and each needs a request in flight.
refused 2 'of 2 files each needs a request in flight' run twice.fio --dry-run
refused 2 'of 2 files each needs a request in flight' run global.fio --dry-run
for file in twice global; do
    echo numjobs=2 >>$file.fio
    status 0 run $file.fio --dry-run
    holds out '[both one.dat]'
    holds out '[both two.dat]'
done
if [ -f "${CUPEL_CASES:-}/field/repeated-filename.fio" ]; then
    status 0 run "$CUPEL_CASES/field/repeated-filename.fio" --dry-run
    holds out 'one.dat'
    holds out 'two.dat'
fi
# The same name given twice is one file.
printf '[one]\nrw=randread\nsize=1m\nfilename=one.dat\nfilename=one.dat\n' >same.fio
status 0 run same.fio --dry-run

# Any other key that a job file has twice: the later value is used, as in fio, and the translation says so.
printf '[one]\nrw=randread\nbs=4k\nsize=1m\nbs=8k\nfilename=one.dat\n' >again.fio
status 0 run again.fio --dry-run
holds out 'bs stands in line 3 and again in line 5: the later one holds'
holds out '--bs=8192'
printf '[global]\nbs=4k\n[one]\nrw=randread\nbs=8k\nsize=1m\nfilename=one.dat\n' >usual.fio
status 0 run usual.fio --dry-run
! grep -q 'again in line' out || fault "a section that sets what [global] does is noted: $(cat out)"

# On the command line a second list of limits is refused; of other options the last value is used, with a note if it differs.
null='--ioengine null --rw randread'
# shellcheck disable=SC2086 # the options are words
{
    refused 2 '--sla is given twice' run $null --sla 'iops>1' --sla 'p99<1s'
    refused 2 '--precise is given twice' run $null --precise iops:5% --precise p99:5%
    limited run $null --runtime 5s --runtime 0.1s --overhead 0 >out 2>err || fault "a repeated option: $(cat err)"
    holds err 'runtime is given more than once: the last one holds, 0.1s'
    limited run $null --runtime 0.1s --runtime 0.1s --overhead 0 >out 2>err || fault "the same option again: $(cat err)"
    ! grep -q "given" err || fault "the same text again is noted: $(cat err)"
}

finish
