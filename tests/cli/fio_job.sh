#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run JOB.fio: sections as sessions, with --dry-run as command lines that cupel takes back; what cannot be honoured by name,
# line and column; no permission out of a file, and none for several targets at once.
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
holds out 'cupel run --rw=randread --bs=8192 --ioengine=null --iodepth=1 --runtime=0.3s'
holds out '--rw=write --bs=8192 --ioengine=null --iodepth=4'
grep -c '^cupel run ' out | grep -qx 2 || fault 'not two sessions'
[ -s err ] && fault 'a dry run says something beside'

# What it prints is taken back.
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
refused 2 'exists' run job.fio -o kept
refused 2 'is for one session' run job.fio --start-at +1s
(unset WHAT && limited run job.fio --dry-run >out 2>err) && fault 'a variable without a value is taken'
holds err 'job.fio:10:4: $''{WHAT} has no value here'

# What cannot be honoured: refused, or left out with a warning.
printf '[a]\nioengine=null\nverify=md5\nruntime=300ms\n fsync=1\n' >part.fio
status 2 run part.fio
holds err 'part.fio:3:1: [a] verify: '
holds err 'part.fio:5:2: [a] fsync: '
holds err 'these 2 things cannot be honoured; --lenient leaves them out'
status 0 run part.fio --lenient -o partly
holds out 'left out of the job file: 3:1: verify'
status 0 report partly/record.cupel
holds out 'left out of the job file: 5:2: fsync'
printf '[a]\nbs=12x\n' >bad.fio
refused 2 'bad.fio:2:4: bs is a size' run bad.fio --lenient
printf '[a]\ninclude bad2.fio\n' >bad.fio
printf 'bs=4k\n  =\n' >bad2.fio
refused 2 'bad2.fio:2:3: a name is expected' run bad.fio
printf '[a]\ninclude bad.fio\n' >bad.fio
refused 2 'includes itself' run bad.fio
printf '[a]\nioengine=rados\n' >bad.fio
refused 2 'no section is left that can be measured: bad.fio:2:1: [a] ioengine=rados' run bad.fio --lenient
refused 2 '--lenient goes with a job file' run --ioengine null --lenient
refused 2 '--dry-run goes with a job file' run --ioengine null --dry-run
refused 2 'missing.fio' run missing.fio

# No permission comes out of a file, whatever its words are.
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
