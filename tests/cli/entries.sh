#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run DIR --ioengine filecreate and the other metadata engines: the report, the same from the record, that no file is
# left (also after a signal), what a killed run leaves behind, and refusals.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

mkdir folder
echo theirs >folder/file
quiet='--realtime 0 --overhead 0 --monitor-cost 0'
none_left() {
    [ "$(ls -A folder)" = file ] || fault "left in the folder: $(ls -A folder)"
}

for engine in filecreate filestat dirdelete; do
    # shellcheck disable=SC2086 # the options are words
    status 0 run folder --ioengine $engine --files 50 --numjobs 2 --runtime 0.2s $quiet --format json
    none_left
    for has in "\"rw\": *\"$engine\"" '"files": *50' '"metric": *"iops"' '"metric": *"lat_p99"'; do
        grep -q "$has" out || fault "$engine: no $has"
    done
    for has in '"metric": *"bandwidth"' '"metric": *"bps"' '"metric": *"efficiency"' '"bs_bytes"'; do
        grep -q "$has" out && fault "$engine: there is $has"
    done
done

# shellcheck disable=SC2086 # the options are words
status 0 run folder --ioengine filedelete --files 40 --size 8k --runtime 0.2s $quiet -o kept
none_left
for again in 'file deletions/s' 'file deletions, 40 entries of 8 KiB for 1 job'; do
    holds out "$again"
done
grep -qE 'IOPS|bandwidth|write' out && fault "a report of deletions speaks of bytes: $(grep -E 'IOPS|bandwidth|write' out)"
status 0 report kept/record.cupel
holds out 'file deletions/s'
holds out 'file deletions, 40 entries of 8 KiB for 1 job'

# Several folders. The table of targets mentions no I/O, as there is none.
mkdir other
# shellcheck disable=SC2086 # the options are words
status 0 run folder other --ioengine dirstat --files 20 --runtime 0.2s $quiet
grep -q '^target  *a second' out || fault "the columns are $(grep '^target' out)"
rmdir other

# The jobs of fio's examples for these engines, in one session.
cat >job.fio <<'END'
[global]
create_on_open=1
nrfiles=30
ioengine=dircreate
fallocate=none
filesize=4k
openfiles=1
directory=folder
runtime=1
[t0]
[t1]
[t2]
END
status 0 run job.fio --dry-run
holds out 'cupel run --ioengine=dircreate --runtime=1s --files=30 --numjobs=3 -- folder'
grep -q '^# it writes' out && fault 'it writes over nothing'
# shellcheck disable=SC2086 # the options are words
status 0 run job.fio --runtime 0.2s $quiet
holds out 'folder creations/s'
none_left

# A run that a signal ends leaves no file. A killed one leaves its folder, which the next run names.
"$CUPEL" run folder --ioengine filecreate --runtime 60s --realtime 0 >out 2>err </dev/null &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
[ $? -eq 5 ] || fault "after a signal: exit status not 5"
none_left
"$CUPEL" run folder --ioengine filestat --files 10 --runtime 60s --realtime 0 >out 2>err </dev/null &
pid=$!
tries=0
until ls folder/.cupel-folder-*/00000000/00000009 >list 2>/dev/null || [ $tries -eq 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -KILL $pid
wait $pid 2>killed
left=$(cd folder && echo .cupel-folder-*)
# shellcheck disable=SC2086 # the options are words
status 0 run folder --ioengine dirstat --files 5 --runtime 0.2s $quiet --full
holds out '1 scratch folder of runs that were killed'
[ -d "folder/$left/00000000" ] || fault 'what another run has left was removed'
rm -r "folder/$left"

# Refusals: targets and options that do not fit these engines.
refused 2 'it is no folder' run folder/file --ioengine filecreate
refused 2 'there is no such folder' run nowhere --ioengine filecreate
refused 3 'an interface of the kernel' run /proc/self --ioengine filecreate
refused 2 'one file creation at a time, not --iodepth 4: use --numjobs 4' run folder --ioengine filecreate --iodepth 4
refused 2 '--ioengine filestat and --rw exclude each other' run folder --ioengine filestat --rw randread
refused 2 '--ioengine filestat and --bs exclude each other' run folder --ioengine filestat --bs 4k
refused 2 '--ioengine filecreate and --overwrite exclude each other' run folder --ioengine filecreate --overwrite
refused 2 'no direct I/O for folder stats' run folder --ioengine dirstat --direct 1
refused 2 'what it makes is empty, without --size' run folder --ioengine filecreate --size 4k
refused 2 'do not wait for' run folder --ioengine filecreate --rate_iops 100
refused 2 'file creations move no bytes: they have iops, mean' run folder --ioengine filecreate --sla 'bandwidth>1MB/s'
refused 2 'do not wait for' run folder --ioengine filestat --thinktime 1ms
refused 2 '--ioengine filecreate and --trace exclude each other' run folder --ioengine filecreate --trace=t
refused 2 '--ioengine filestat and --mode exclude each other' run folder --ioengine filestat --mode read
refused 2 '--files needs --ioengine filecreate' run folder --files 7
none_left
finish
