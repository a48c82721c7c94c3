#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sections of a job file that run at the same time but cannot be one session, because targets, engines or times differ. There
# is one result per section and one for all.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

mkdir d
cat >several.fio <<'END'
[global]
size=8m
runtime=1
[first]
filename=a.dat
rw=randread
ioengine=libaio
iodepth=4
[second]
filename=b.dat
rw=write
bs=64k
ioengine=psync
[third]
directory=d
rw=randrw
[last]
stonewall
filename=a.dat
rw=read
END
status 0 run several.fio --dry-run
[ "$(grep -c ', at the same time$' out)" = 2 ] || fault 'two sections run beside the first'
holds out '# [last]'
status 0 run several.fio --monitor-cost 0 -o kept
holds out 'DONE: 3 targets at the same time'
holds out '[first] randread 4 KiB, iodepth 4'
holds out '[second] write 64 KiB'
for name in first second third all; do
    grep -q "^$name  " out || fault "there is no line for $name"
done
for file in 1-first/first/record.cupel 1-first/second/report.html 1-first/third/summary.csv 1-first/merged.cupel 2-last/record.cupel; do
    [ -s kept/$file ] || fault "there is no kept/$file"
done
status 0 report kept/1-first --format csv
[ "$(awk -F, '$1 == "iops" && $2 == "write" { print $(NF - 6) }' out | sort -u | tr '\n' ' ')" = "$(pwd)/b.dat $(pwd)/d all " ] ||
    fault "targets of the writes: $(awk -F, '$1 == "iops" { print $2, $(NF - 6) }' out)"
[ "$(find d -mindepth 1 | wc -l)" = 0 ] || fault 'a scratch file is left'
status 0 run several.fio --runtime 300ms --monitor-cost 0 --format fio-json
if command -v python3 >/dev/null; then
    python3 - out <<'END' || fault 'not the jobs of fio-json'
import json, sys
jobs = [(j["jobname"], j["groupid"], j["read"]["total_ios"] > 0, j["write"]["total_ios"] > 0) for j in json.load(open(sys.argv[1]))["jobs"]]
assert jobs == [("first", 0, True, False), ("second", 0, False, True), ("third", 0, True, True), ("last", 1, True, False)], jobs
END
fi
# The steps are one document in each format; --section selects some of them.
status 0 run several.fio --section first,last --runtime 200ms --monitor-cost 0 --format csv
[ "$(grep -c '^metric,' out)" = 1 ] || fault 'the rows of two steps are not below one header'
[ "$(grep -c '^iops,read' out)" = 2 ] || fault 'not the rows of two steps'
status 0 run several.fio --section first,last --runtime 200ms --monitor-cost 0 --format html
[ "$(grep -c '<!DOCTYPE' out)$(grep -c '<h1>' out)$(grep -c '</html>' out)" = 121 ] || fault 'two steps are not one page'
status 0 run several.fio --section first,last --runtime 200ms --monitor-cost 0 --format json
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; d = json.load(open("out")); assert d["kind"] == "steps" and len(d["steps"]) == 2, d' || fault 'two steps are not one object'
fi
refused 2 'no section is named none' run several.fio --section none
refused 2 '--section needs a job file' run --ioengine null --section x

# file_service_type=sequential: files one after another are steps, each with all jobs and a share of the size. No other
# section runs during them.
printf '[x]\nfilename=a.dat:b.dat\nfile_service_type=sequential\nrw=read\nioengine=libaio\niodepth=7\nsize=2m\n' >sequential.fio
status 0 run sequential.fio --dry-run
[ "$(grep -c -- '--iodepth=7 --size=1048576 ' out)" = 2 ] || fault "not the files of a section: $(cat out)"
lacks out 'at the same time'
holds out '# file_service_type: 2 files one after another'
printf '[y]\nfilename=c.dat\nrw=read\n' >>sequential.fio
refused 2 'file_service_type: its files follow one another, and other sections run at the same time' run sequential.fio --dry-run
echo stonewall >>sequential.fio
status 0 run sequential.fio --dry-run

# Several files in one section: each has its share of the size and its own protection against overwriting.
printf '[x]\nfilename=a.dat:b.dat\nfilename=new.dat\nrw=randread\nioengine=libaio\niodepth=7\nsize=3m\nruntime=300ms\n' >files.fio
status 0 run files.fio --monitor-cost 0 -o files
holds out 'DONE: 3 targets at the same time'
holds out '[x a.dat] randread 4 KiB, iodepth 3'
holds out '[x new.dat] randread 4 KiB, iodepth 2'
head -c 1048576 /dev/urandom >foreign
before=$(cksum <foreign)
printf '[x]\nfilename=a.dat:foreign\nrw=randwrite\nioengine=libaio\niodepth=2\nruntime=300ms\n' >files.fio
refused 3 'foreign: cupel did not make this file' run files.fio
ln -f foreign other.name
printf '[x]\nfilename=foreign:other.name\nrw=randread\nioengine=libaio\niodepth=2\nruntime=300ms\n' >files.fio
refused 2 'other.name is one of the others under another name' run files.fio
# All sections are checked before the first is measured.
printf '[x]\nfilename=a.dat\nrw=read\nruntime=300ms\n[y]\nstonewall\nfilename=foreign\nrw=write\nruntime=300ms\n' >late.fio
refused 3 '[y]: foreign: cupel did not make this file; --overwrite' run late.fio -o late
{ [ ! -e late ] && [ ! -s out ]; } || fault 'a section was measured before another was refused'
[ "$(cksum <foreign)" = "$before" ] || fault 'a file was written without permission'
rm foreign other.name

# Several sections may read one existing file or disk, each with its own engine, processors and depth.
printf '[global]\nfilename=a.dat\nruntime=500ms\n[x]\nrw=randread\nioengine=libaio\niodepth=8\n[y]\nrw=read\nbs=32k\n' >readers.fio
status 0 run readers.fio --monitor-cost 0 -o readers
holds out 'DONE: 2 targets at the same time'
{ [ -s readers/x/record.cupel ] && [ -s readers/y/record.cupel ]; } || fault "no record of each: $(ls readers)"
status 0 report readers --format csv
grep -q 'a.dat \[x\]' out || fault 'the rows of one file are not apart'

# Several sections may write one file, each with its own engine. They need one permission, and afterwards the file counts as
# made by cupel.
cat >writers.fio <<'END'
[global]
filename=both.dat
size=4m
runtime=500ms
[slow]
rw=read
ioengine=sync
thinktime=2000
[fast]
rw=randrw
ioengine=libaio
iodepth=8
rate=300,300
END
status 0 run writers.fio --monitor-cost 0 -o writers
holds out 'DONE: 2 targets at the same time'
status 0 run writers.fio --monitor-cost 0
printf '[x]\nfilename=foreign\nrw=randread\nioengine=libaio\nruntime=500ms\n[y]\nfilename=foreign\nrw=write\nruntime=500ms\n' >clash.fio
head -c 1048576 /dev/urandom >foreign
before=$(cksum <foreign)
status 3 run clash.fio
[ "$(cksum <foreign)" = "$before" ] || fault 'a file was written without permission'
exec 9>>foreign
for _ in 1 2 3; do # either of the two sections may open it first
    refused 3 'foreign: another program has it open for writing' run clash.fio --overwrite
done
exec 9>&-
[ "$(cksum <foreign)" = "$before" ] || fault 'a file was written that another program has open for writing'
status 0 run clash.fio --overwrite --monitor-cost 0
[ "$(cksum <foreign)" != "$before" ] || fault 'nothing was written'
ln -s both.dat b.link
printf '[x]\nfilename=both.dat\nrw=randread\nioengine=libaio\n[y]\nfilename=b.link\nrw=write\n' >clash.fio
refused 3 '[x] and [y]: both.dat and b.link: they are two names of one file; nothing was written' run clash.fio --overwrite

# Files that are verified or trimmed, or whose size changes, cannot be written by several sections.
for other in 'rw=write\nverify=crc32c' 'rw=randtrim' 'rw=write\nioengine=ftruncate'; do
    # shellcheck disable=SC2059
    printf "[x]\nfilename=both.dat\nrw=randread\nioengine=libaio\n[y]\nfilename=both.dat\n$other\n" >clash.fio
    refused 2 'clash.fio:5:1: [y] it runs at the same time as [x], on one target, which is written, in another way' run clash.fio --overwrite
    status 0 run clash.fio --lenient --dry-run
    [ "$(grep -c 'at the same time$' out)" = 0 ] || fault 'a section that was left out of its time runs in it'
done
# A size or offset that cannot be translated is never ignored when a section writes: --lenient leaves out the whole section.
for other in 'rw=randtrim\nsize=50%%' 'rw=write\nioengine=ftruncate\noffset=50%%' 'rw=write\nsize=1m*2' 'rw=write\noffset=1m\nsize=50%%'; do
    # shellcheck disable=SC2059
    printf "[x]\nfilename=both.dat\nrw=randread\n[y]\nstonewall\nfilename=both.dat\n$other\n" >clash.fio
    status 2 run clash.fio --overwrite
    status 0 run clash.fio --lenient --dry-run
    grep -q -e '--rw=write' -e '--rw=randtrim' out && fault "more than its region: $(cat out)"
done
printf '[x]\nfilename=a.dat\nflow=2\nioengine=libaio\n[y]\nfilename=a.dat\nflow=3\n' >clash.fio
refused 2 'their flows are of one target and engine' run clash.fio
printf '[x]\nioengine=null\n[y]\nioengine=null\niodepth=2\nbs=8k\nruntime=1\n[z]\nwait_for=x\nioengine=null\n' >clash.fio
refused 2 'clash.fio:9:1: [z] wait_for=x: it would run beside the other sections of that time' run clash.fio

# Options that apply to a single session are refused before anything is measured.
for option in '--repeat 2' '--live' '--certificate' '--start-at next:10s'; do
    # shellcheck disable=SC2086
    status 2 run several.fio $option
done
[ ! -s out ] || fault 'something was measured'

# When several targets are written, a serial number is required for each.
printf '[x]\nfilename=a.dat\nrw=write\nruntime=1\n[y]\nfilename=b.dat\nrw=write\nruntime=2\n' >two.fio
refused 3 'a serial number for each of the 2 targets' run two.fio --overwrite
refused 3 'a serial number for each of the 2 targets' run two.fio --destroy-serial A
refused 3 'a serial number for each of the 2 targets' run two.fio --destroy-serial A,B,C

# A signal ends all running sections, and later ones do not begin.
"$CUPEL" run several.fio --runtime 60s --limit 90s -o stopped >out 2>err &
session=$!
for _ in $(seq 300); do
    grep -q 'round 1' err && break
    sleep .1
done
kill -INT $session
wait $session && fault 'a signal gave exit status 0'
holds out UNDECIDED
[ -s stopped/1-first/second/record.cupel ] || fault 'what was measured is not kept'
[ ! -e stopped/2-last ] || fault 'a section began after the signal'
finish
