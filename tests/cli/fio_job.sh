#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run JOB.fio: sections become sessions; --dry-run prints them as command lines that cupel accepts. Options that cannot
# be honoured are reported with name, line and column. A job file never grants a permission to write, and one permission never
# covers several targets.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

cat >job.fio <<'END'
; two sections, and a part that cupel does not have
[global]
ioengine=null
runtime=300ms
include more.fio
[first part]
rw=randread
[second]
stonewall
rw=${WHAT}
iodepth=4
END
echo 'bs=8k # for all' >more.fio
export WHAT=write

status 0 run job.fio --dry-run
holds out '# [first part]'
holds out 'cupel run --rw=randread --bs=8192 --iodepth=1 --ioengine=null --runtime=0.3s'
holds out '--rw=write --bs=8192 --iodepth=4 --ioengine=null'
grep -c '^cupel run ' out | grep -qx 2 || fault 'not two sessions'
[ -s err ] && fault 'a dry run says something beside'

# cupel accepts what --dry-run prints.
sed -n 's/^cupel run //p' out | while read -r words; do
    # shellcheck disable=SC2086
    limited run $words --limit 5s >again 2>err || {
        echo "FAULT: cupel run $words: $(cat err)"
        exit 1
    }
done || failures=$((failures + 1))

status 0 run job.fio --bs 4k -o kept
holds out '[first part] randread 4 KiB'
holds out '[second] write 4 KiB'
for folder in kept/1-first_part kept/2-second; do
    status 0 report $folder/record.cupel
    holds out "[$(echo "${folder#*-}" | tr _ ' ')]"
done
[ "$(grep -c '^metric,' kept/summary.csv)$(grep -c '^iops,' kept/summary.csv)$(grep -c '</html>' kept/report.html)" = 121 ] ||
    fault 'the steps have no common report'
refused 2 'exists' run job.fio -o kept
refused 2 'is for one session' run job.fio --start-at +1s
(unset WHAT && limited run job.fio --dry-run >out 2>err) && fault 'a variable without a value is taken'
holds err 'job.fio:10:4: $''{WHAT} has no value here'

# Options that cannot be honoured are refused, or with --lenient left out with a warning.
printf '[a]\nioengine=null\nverify_only=1\nruntime=300ms\n write_barrier=1\n' >part.fio
status 2 run part.fio
holds err 'part.fio:3:1: [a] verify_only: '
holds err 'part.fio:5:2: [a] write_barrier: '
holds err 'these 2 things cannot be honoured; --lenient leaves them out'
status 0 run part.fio --lenient -o partly
holds out 'left out of the job file: 3:1: verify_only'
status 0 report partly/record.cupel
holds out 'left out of the job file: 5:2: write_barrier'
printf '[a]\nbs=12x\n' >bad.fio
refused 2 'bad.fio:2:4: bs is a size' run bad.fio --lenient
printf '[a]\ninclude bad2.fio\n' >bad.fio
printf 'bs=4k\n  =\n' >bad2.fio
refused 2 'bad2.fio:2:3: a name is expected' run bad.fio
printf '[a]\ninclude bad.fio\n' >bad.fio
refused 2 'includes itself' run bad.fio
printf '[a]\nioengine=rados\n' >bad.fio
refused 2 'no section is left that can be measured: bad.fio:2:1: [a] ioengine=rados' run bad.fio --lenient
refused 2 '--lenient needs a job file' run --ioengine null --lenient
refused 2 '--dry-run needs a job file' run --ioengine null --dry-run
refused 2 'missing.fio' run missing.fio

# Sections that run at the same time are one session, even with engines that do one I/O at a time. cupel accepts what it
# prints.
printf '[global]\nioengine=psync\nsize=1m\nruntime=300ms\ndirect=0\n[small]\nrw=randread\n[large]\nbs=64k\nnumjobs=2\n' >both.fio
status 0 run both.fio --dry-run
eval "set -- $(sed -n 's/^cupel run //p' out)"
status 0 run --monitor-cost 0 "$@"
holds out 'streams small, large, iodepth 1, 3 copies'
status 0 run both.fio --monitor-cost 0 -o both
holds out '[small, large] streams small, large'
status 0 report both/record.cupel
holds out 'streams small, large'
printf '[global]\nioengine=null\nruntime=300ms\n[a]\nflow=1\nrw=write\n[b]\nflow=9\n' >flow.fio
status 0 run flow.fio --format csv
awk -F, '$1 == "iops" { v[$2] = $4 } END { s = v["write"] / v["all"]; exit !(s > .09 && s < .11) }' out || fault 'a flow has other shares'
printf '[a]\nrw=randread\nrandom_distribution=zoned:1/2\n' >bad.fio
refused 2 'bad.fio:3:21: random_distribution: column 7: ' run bad.fio

# No text in a job file grants a permission.
dd if=/dev/zero of=data bs=64k count=16 2>/dev/null
cp data ./--overwrite
printf '[a]\nrw=write\nfilename=data\noverwrite=1\nruntime=300ms\n' >write.fio
refused 3 '[a]: data: cupel did not make this file; --overwrite' run write.fio
printf '[a]\nrw=write\nfilename=--overwrite\noverwrite=1\nruntime=300ms\n' >write.fio
refused 3 'cupel did not make this file' run write.fio
status 0 run write.fio --dry-run
holds out '# it writes: to a device with --destroy only, to a file that is there with --overwrite only'
printf '[a]\nrw=write\nfilename=data\nruntime=300ms\n[b]\nstonewall\nrw=write\nfilename=--overwrite\n' >write.fio
refused 3 'one permission is for one target' run write.fio --overwrite
[ "$(tr -d '\0' <data | wc -c)" -eq 0 ] || fault 'a file was written to'
finish
