#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel replay with several targets: to which target each device of the trace goes, refusals, and the result of each target.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# The trace has three devices. hm.0: 100 requests of 4 KiB; hm.1: 50 of 8 KiB; hm.2: one write of 64 KiB, 60 ms after the
# first request.
awk 'BEGIN { for (i = 0; i < 150; i++)
    printf "128166%012d,hm,%d,Read,%d,%d,10\n", 4000 * i, i % 3 == 2, 4096 * i, i % 3 == 2 ? 8192 : 4096
    printf "128166%012d,hm,2,Write,0,65536,10\n", 600000 }' >trace
null="--ioengine null --monitor-cost 0"

# value METRIC TARGET: prints its value in the CSV in out. requests TARGET: prints their number.
value() { awk -F, -v m="$1" -v t="$2" '$1 == m && $13 == t { print $4; exit }' out; }
requests() { awk -F, -v t="$1" '$1 == "iops" && $13 == t { n += $8 } END { print n + 0 }' out; }

# replayed ARGUMENT...: replays on the null engine as CSV, with exit status 0.
replayed() {
    # shellcheck disable=SC2086 # several words
    status 0 replay trace "$@" $null --format csv
}

# has TARGET REQUESTS BYTES: the target has that many requests and bytes.
has() {
    [ "$(requests "$1")" -eq "$2" ] || fault "$1 has $(requests "$1") requests instead of $2"
    is_true "int($(value bandwidth "$1") * $(value elapsed "$1") + .5) == $3"
}

# ---- in the order of the trace, and as --map assigns
replayed one two three
has one 100 409600
has two 50 409600
has three 1 65536
holds err 'hm.0 goes to one: 100 requests, 400 KiB'
holds err 'hm.2 goes to three: 1 request, 64 KiB'
replayed one two three --map hm.0=three --map hm.2=one
has three 100 409600
has two 50 409600
has one 1 65536
replayed --map hm.0=a --map hm.1=b --map hm.2=c --map scale
has a 100 409600
has c 1 65536
replayed a b --map hm.0=b --map hm.2=b
has a 50 409600
has b 101 475136

# ---- devices left out are counted and reported; a single remaining device needs only a target
replayed a b --map hm.1=-
has a 100 409600
has b 1 65536
holds err 'left out: 1 device, 50 requests, 400 KiB: hm.1'
replayed a --map hm.0=- --map hm.1=-
has null 1 65536
# shellcheck disable=SC2086
status 0 replay trace a b --map hm.1=- $null -o kept
tr -s '\n ' '  ' <out >words
holds words 'left out of the replay: 1 device, 50 requests, 400 KiB: hm.1'
holds words 'Devices of the trace: hm.0 on a, hm.2 on b'
[ "$(grep -c 'left out of the replay' out)" -eq 1 ] || fault 'what all targets have is not shown once'
# shellcheck disable=SC2086
status 0 replay trace a $null
grep -F 'left out of the replay' out && fault 'a trace that is replayed whole has something left out'

# ---- kept and read again: the record, the JSON and the CSV of each target
status 0 report kept
holds out 'Devices of the trace: hm.0 on a, hm.2 on b'
status 0 report kept/b --full
tr -s '\n ' '  ' <out >words
holds words 'of the trace this target had what is of hm.2'
status 0 report kept --format json
tr -d ' \n' <out >words
holds words '"trace_devices":"hm.0"'
holds words '"trace_devices":"hm.2"'
[ "$(grep -o '"trace_left_out":"1device,50requests' words | wc -l)" -eq 2 ] || fault "what is left out is not that of both targets"
[ "$(grep -o '"trace_begin_ns":0,' words | wc -l)" -eq 2 ] || fault "the begin is not that of both targets"
# The only request of the third device is due 60 ms after the begin of the whole trace, even though none of its own comes
# earlier.
replayed one two three
is_true "$(value elapsed three) >= .06"
is_true "$(value elapsed all) >= .06"
# Without the devices that are left out, the replay begins at the first request of the others.
# shellcheck disable=SC2086
status 0 replay trace three --map hm.0=- --map hm.1=- $null --format json
tr -d ' ' <out >words
holds words '"trace_begin_ns":60000000'

# ---- all targets together are one pass that is measured as a whole, even if one target ends earlier than another
awk 'BEGIN { for (i = 0; i < 2000; i++) printf "128166%012d,h,0,Read,%d,4096,10\n", 1000 * i, 4096 * i
    for (i = 0; i < 30; i++) printf "128166%012d,h,1,Read,%d,4096,10\n", 400000 * i, 4096 * i }' | sort >uneven
# shellcheck disable=SC2086
status 0 replay uneven one two $null --format csv -o uneven.kept
[ "$(requests all)" -eq 2030 ] || fault "all have $(requests all) requests"
is_true "int($(value iops all) * $(value elapsed all) + .5) == 2030"
is_true "$(value elapsed all) >= 1.16 && $(value elapsed all) < 4"
is_true "int($(value bandwidth all) * $(value elapsed all) + .5) == 2030 * 4096"
awk -F, '$1 == "iops" && $13 == "all" && ($5 != "" || $6 != "")' out | grep . && fault 'what is known as a whole has an interval'
status 0 report uneven.kept --format csv
is_true "int($(value iops all) * $(value elapsed all) + .5) == 2030"

# ---- a device with only flushes has not failed, nor has one whose requests lie beyond the end of its target
printf 'fio version 2 iolog\na add\nb add\na open\nb open\na read 0 4096\nb sync 0 0\n' >flushes
# shellcheck disable=SC2086
status 0 replay flushes one two $null --format csv
has one 1 4096
[ "$(requests two)" -eq 0 ] || fault 'a flush is counted as a read'
# shellcheck disable=SC2086
status 0 replay flushes one two $null -o idle
status 0 report idle
holds out 'DONE: 2 targets'
printf 'fio version 2 iolog\na add\nb add\na open\nb open\na sync 0 0\nb sync 0 0\n' >flushes
# shellcheck disable=SC2086
status 4 replay flushes one two $null -o none
holds out 'request was issued'
status 4 report none
head -c 65536 /dev/zero >small
head -c 1048576 /dev/zero >large
printf 'fio version 2 iolog\na add\nb add\na open\nb open\na read 0 4096\nb read 524288 4096\n' >beyond
status 0 replay beyond large small --map none --format csv
[ "$(requests "$FOLDER/large")$(requests large)" != 00 ] || fault 'what fits was not issued'

# ---- device names of other formats: 8:16 is 8,16; a file's name may contain '='
printf 'fio version 2 iolog\na=b add\nc add\na=b open\nc open\na=b read 0 4096\nc read 0 4096\nc read 4096 4096\n' >files
# shellcheck disable=SC2086
status 0 replay files --map a=b=one --map c=two $null --format csv
has one 1 4096
has two 2 8192
awk 'BEGIN { for (d = 0; d < 2; d++) { printf "  8,%d 0 %d 0.00%d000000 7 D R 128 + 8 [dd]\n", 16 * d, 2 * d + 1, d
    printf "  8,%d 0 %d 0.00%d100000 0 C R 128 + 8 [0]\n", 16 * d, 2 * d + 2, d } }' >block
# shellcheck disable=SC2086
status 0 replay block one two --map 8:16=one $null --format csv
holds err '8,16 goes to one: 1 request, 4 KiB'
holds err '8,0 goes to two: 1 request, 4 KiB'

# ---- a device with only discards needs no target and may be left out: it is named, and takes no target from other devices
printf '  8,0 0 1 0.000000000 7 D R 128 + 8 [dd]\n  8,0 0 2 0.000100000 0 C R 128 + 8 [0]\n' >discards
for i in 3 5; do
    printf '  8,16 0 %d 0.000%d00000 7 D D 128 + 8 [dd]\n  8,16 0 %d 0.000%d50000 0 C D 128 + 8 [0]\n' \
        $i $i $((i + 1)) $i
done >>discards
for map in 8,16=- 8,0=one; do
    # shellcheck disable=SC2086
    status 0 replay discards one --map $map $null -o "of.$map"
    holds err 'left out: 1 device, 2 discards: 8,16'
    holds out 'left out of the replay: 1 device, 2 discards: 8,16'
done
refused 2 'this device of the trace has discards alone' replay discards one --map 8,16=two
refused 2 '8,16 (2 discards)' replay discards one two

# ---- the name of a single target may contain the rank
head -c 1048576 /dev/urandom >"data-0"
CUPEL_RANK=0 CUPEL_SIZE=1 "$CUPEL" replay trace data-%r --map hm.0=- --map hm.1=- --format csv >out 2>err || fault "data-%r: $(cat err)"
[ "$(requests "$FOLDER/data-0")" -eq 1 ] || fault "data-%r is not data-0: $(head -n 3 out)"

# ---- refused in one line that lists the devices and says what to type
refused 2 'the trace has hm.0 (100 requests, 400 KiB), hm.1 (50 requests, 400 KiB), hm.2 (1 request, 64 KiB)' replay trace a b
holds err '3 devices of the trace have no target, and 2 targets have no device'
refused 2 "--map 'hm.0=TARGET'" replay trace a b c d
holds err "--map 'hm.0=-'"
refused 2 "--map 'hm.1=TARGET'" replay trace --map hm.0=a
refused 2 'no device hm.7' replay trace a b c --map hm.7=c
holds err 'hm.1 (50 requests'
refused 2 'has its target already' replay trace a b c --map hm.0=a --map hm.0=b
refused 2 'name is empty' replay trace a b c --map hm.0=
refused 2 'every device of the trace is left out' replay trace --map hm.0=- --map hm.1=- --map hm.2=-
refused 2 'a is given twice' replay trace a a b
refused 2 'wrap, fold' replay trace a --map sideways
refused 2 'a file is needed' replay - a b c
refused 2 'cannot' replay missing a b c
refused 2 'needs a single TARGET' replay trace a b c --ioengine null --repeat 2
refused 2 'needs a single TARGET' replay trace a b c --ioengine null --trace=all
head -c 1048576 /dev/zero >plain
cp trace kept.trace
refused 3 'given twice' replay trace plain trace --map hm.0=- --allow-writes --overwrite
refused 3 'given twice' replay trace trace --allow-writes --overwrite
ln trace other
refused 3 'two names of one file' replay trace ./other --allow-writes --overwrite
# A target that is the trace itself, by its name with the rank in it.
cp trace rank-0
CUPEL_RANK=0 CUPEL_SIZE=1 "$CUPEL" replay rank-0 rank-%r --map hm.0=- --allow-writes >out 2>err
[ $? -eq 3 ] || fault 'rank-%r is not refused as the trace'
holds err 'given twice'
cmp -s rank-0 kept.trace || fault 'the trace rank-0 was written'
# A target that is the trace on standard input, or another input of the command.
for name in - /dev/stdin /proc/self/fd/0; do
    # shellcheck disable=SC2094 # the trace is its own target
    "$CUPEL" replay "$name" trace --allow-writes --overwrite <trace >out 2>err
    [ $? -eq 3 ] || fault "the trace as $name is not refused: $(cat err)"
    grep -q "given twice\|as its input\|two names" err || fault "the trace as $name is refused for another reason: $(cat err)"
    cmp -s trace kept.trace || fault "the trace $name was written"
done
cat >own.plan <<'END'
target: own.plan
rw: randwrite
allow-unwritten: on
bs: 512
factor iodepth: 1 2
repeats: 1
END
cp own.plan kept.plan
"$CUPEL" sweep own.plan --overwrite >out 2>err </dev/null
cmp -s own.plan kept.plan || fault "a plan was written by its own sweep"
holds err 'this command reads it as its input'
# A target that is a file of the blktrace trace, given by the files' common beginning or by their folder.
mkdir folder
cp trace pre.blktrace.0
cp trace folder/pre.blktrace.0
refused 3 'two names of one file' replay pre pre.blktrace.0 --allow-writes --overwrite
refused 3 'two names of one file' replay pre plain pre.blktrace.0 --map hm.0=- --allow-writes --overwrite
refused 3 'given twice' replay folder folder/pre.blktrace.0 --map hm.0=- --allow-writes --overwrite
for file in trace pre.blktrace.0 folder/pre.blktrace.0; do
    cmp -s $file kept.trace || fault "the trace $file was written"
done
status 2 replay trace new ./new --map hm.2=-
holds err 'two names of one file'
refused 3 'two names of one file' run new "$FOLDER/new" --rw randwrite --size 1M
[ ! -e new ] || fault 'new was made'
refused 2 'target is needed' compare 'replay trace a --map hm.0=a' 'replay trace b'
for name in a b; do
    [ ! -e $name ] || fault "$name was made"
done
finish
