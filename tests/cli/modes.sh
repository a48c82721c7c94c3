#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --mode: the modes on a real file, buffered and direct: the system calls they make and their offsets, the file
# afterwards, and refusals.
# Slow: 28 short runs.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# Not every filesystem supports O_DIRECT.
direct='0 1'
limited run --size 1m --limit 0.3s --overhead 0 >/dev/null 2>err
[ $? -ne 6 ] || direct=0
traced=
# Sanitizers do not work under strace, and the C library of that build makes other calls.
is_static && strace -o first true 2>/dev/null && traced=1
[ "$traced" ] || echo 'without strace: the calls are not looked at'

quiet='--realtime 0 --overhead 0 --monitor-cost 0 --format csv'
short="--runtime 0.1s $quiet"
size=163840 # five records of 32 KiB
mark=4096

# mode_once MODE DIRECT TIME [ARGUMENT...]: a run on the file data; the calls of its threads are left in files trace.*
mode_once() {
    mode=$1 d=$2 runtime=$3
    shift 3
    set -- run data --size 160k --bs 32k --mode "$mode" --direct "$d" --runtime "$runtime" "$@"
    rm -f trace.*
    # shellcheck disable=SC2086 # the options are words
    if [ "$traced" ]; then
        timeout -s KILL 60 strace -ff -qq -o trace -e trace=read,write,readv,writev,pread64,pwrite64,lseek,ftruncate,fadvise64 \
            "$CUPEL" "$@" $quiet >out 2>err </dev/null
    else
        limited "$@" $quiet >out 2>err
    fi
}

# The worker is the thread with the most calls that modes make on a file, in records of 32 KiB.
find_worker() {
    worker=$(grep -cE '^(p?(read|write)(v|64)?\(.*32768|ftruncate\()' trace.* | sort -t : -k 2 -n | tail -n 1)
    calls=${worker#*:} worker=${worker%:*}
}

# mode_run MODE DIRECT [ARGUMENT...]: a run of some passes over the file. It is repeated with a longer time when the machine
# is too busy for them in 0.1 s. The calls of its worker are left in the file $worker.
mode_run() {
    mode=$1 d=$2
    shift 2
    for runtime in 0.1s 1s 5s; do
        mode_once "$mode" "$d" "$runtime" "$@"
        got=$?
        calls=99
        [ -z "$traced" ] || find_worker
        [ "$calls" -lt 16 ] || ! awk "BEGIN { exit !($(metric_of iops value) + 0 > 0) }" || break
    done
    [ "$got" -eq 0 ] || {
        fault "$mode --direct $d: exit status $got"
        sed 's/^/    /' err
    }
    is_true "$(metric_of iops value) + 0 > 0"
}

# offsets CALL COUNT: prints the offsets, in records of 32 KiB, of the first COUNT calls of a kind. A call without an offset
# continues from the last lseek.
offsets() {
    awk -v call="$1" -v count="$2" '
        /^lseek\(/ { split($0, part, ", "); at = part[2] }
        index($0, call "(") == 1 && /, 32768(, [0-9]+)?\) += 32768$/ {
            if (call ~ /64$/) { n = split($0, part, ", "); at = part[n]; sub(/\).*/, "", at) }
            printf "%s%d", seen++ ? " " : "", at / 32768
            at += 32768
            if (seen == count) exit
        }' "$worker"
}

calls_are() {
    [ -z "$traced" ] || [ "$(offsets "$1" 8)" = "$2" ] || fault "$mode --direct $d: $1 at records $(offsets "$1" 8) instead of $2"
}

counted() {
    [ -z "$traced" ] || [ "$(grep -c "$1" "$worker")" -gt 1 ] || fault "$mode --direct $d: no second $1 in the calls"
}

# Makes the file with a first run.
# shellcheck disable=SC2086 # the options are words
status 0 run data --size 160k --mode reread --direct 0 $short

for d in $direct; do
    for mode in rewrite read reread randread randwrite backwardread recordrewrite strideread pwrite pread initialwrite; do
        mode_run "$mode" "$d"
        [ "$(stat -c %s data)" -eq $((size + mark)) ] || fault "$mode: the file has $(stat -c %s data) bytes"
        case $mode in
        initialwrite) calls_are write '0 1 2 3 4 0 1 2' && counted 'ftruncate([0-9]*, 0) *= 0' ;;
        rewrite) calls_are write '0 1 2 3 4 0 1 2' ;;
        read | reread | strideread) calls_are read '0 1 2 3 4 0 1 2' ;; # with fewer than 17 records each has a lane of its own
        backwardread) calls_are read '4 3 2 1 0 4 3 2' ;;
        recordrewrite) calls_are write '0 0 0 0 0 0 0 0' ;;
        pwrite) calls_are pwrite64 '0 1 2 3 4 0 1 2' ;;
        pread) calls_are pread64 '0 1 2 3 4 0 1 2' ;;
        esac
        [ "$mode $d" != 'read 0' ] || counted 'fadvise64([0-9]*, 0, 0, POSIX_FADV_DONTNEED) *= 0'
    done
done
d=0
mode_run fread 0
counted 'readv(.* = [0-9]'
mode_run fwrite 0
counted 'writev(.* = [0-9]'
counted 'ftruncate([0-9]*, 0) *= 0'

# Jobs of a mixed workload read and write in turns, at the same time: no thread does both.
for mode in mixedworkload mixedsequential; do
    for runtime in 0.2s 1s 5s; do
        mode_once "$mode" 0 "$runtime" --numjobs 3
        got=$?
        reads=$(awk -F, '$1 == "iops" && $2 == "read" { print $4 + 0; exit }' out)
        writes=$(awk -F, '$1 == "iops" && $2 == "write" { print $4 + 0; exit }' out)
        awk -v r="${reads:-0}" -v w="${writes:-0}" 'BEGIN { exit !(r > 0 && w > 0) }' && break
    done
    [ "$got" -eq 0 ] || fault "$mode: exit status $got: $(cat err)"
    is_true "${reads:-0} > 0 && ${writes:-0} > 0"
    [ "$traced" ] || continue
    both=0 readers=0 writers=0
    for trace in trace.*; do
        r=$(grep -c '^read(.*, 32768) *= 32768' "$trace")
        w=$(grep -c '^write(.*, 32768) *= 32768' "$trace")
        [ "$r" -eq 0 ] || readers=$((readers + 1))
        [ "$w" -eq 0 ] || writers=$((writers + 1))
        [ "$r" -eq 0 ] || [ "$w" -eq 0 ] || both=$((both + 1))
    done
    # The third reader is the main thread, which may read the file before the jobs begin.
    case "$both $writers $readers" in
    '0 1 2' | '0 1 3') ;;
    *) fault "$mode: $readers threads read, $writers write, $both do both" ;;
    esac
done
status 0 run data --size 160k --mode mixedworkload --direct 0 --runtime 0.1s --realtime 0 --overhead 0 --monitor-cost 0 --full
holds out 'mixedworkload with one job: it only reads'
holds out 'mixedworkload (0 of 1 jobs write)'

# fread and fwrite are buffered without --direct 0, and the report states what was measured.
status 0 run data --mode fread --runtime 0.1s --realtime 0 --overhead 0 --monitor-cost 0
holds out 'through the page cache'
holds out 'fread '
refused 2 '--direct 0 only' run data --mode fread --direct 1

# initialwrite writes only new files: an existing file is not touched, whoever made it and whatever is permitted.
head -c $((size + mark)) /dev/urandom >theirs
cp theirs copy
before=$(ls -A)
for overwrite in '' --overwrite; do
    # shellcheck disable=SC2086 # no option, or one
    status 0 run theirs --mode initialwrite --direct 0 --bs 32k --numjobs 3 --size 160k --runtime 0.1s --realtime 0 --format json $overwrite
    cmp -s theirs copy || fault 'a file that cupel did not make was changed by a first write'
    holds out 'left alone'
done
[ "$(ls -A)" = "$before" ] || fault "a first write left something: $(ls -A)"
for mode in rewrite pwrite recordrewrite randwrite; do
    refused 3 --overwrite run theirs --mode $mode --direct 0
done
refused 3 --overwrite run theirs --mode mixedworkload --direct 0 --numjobs 2
cmp -s theirs copy || fault 'a refused write changed a file'
refused 2 'it is no file' run /dev/null --mode initialwrite

# An option that conflicts with a mode is refused with both names.
refused 2 '--mode and --rw exclude each other' run data --mode read --rw write
refused 2 '--mode pread is about sync, not about --ioengine uring' run data --mode pread --ioengine uring
refused 2 '--mode fwrite writes a new file from its begin, without --offset' run data --mode fwrite --offset 4k
refused 2 '--rate_iops' run data --mode reread --rate_iops 100
refused 2 'prepares the file before each pass' run data --mode initialwrite --iodepth 4
refused 2 backwardread run data --mode backwards

# Several sessions, and the mode in the record.
status 0 run data --mode initialwrite --direct 0 --bs 32k --size 160k --runtime 0.1s --realtime 0 -o kept
status 0 report kept/record.cupel
holds out 'initialwrite 32 KiB'

# A sweep with the mode as a factor.
cat >plan.txt <<'END'
target: swept
size: 256k
bs: 32k
realtime: 0
direct: 0
runtime: 0.3s
factor mode: initialwrite reread backwardread fwrite pread
factor threads: 1 2
response: throughput
repeats: 1
END
longer 0 sweep plan.txt -o sweep
[ "$(awk -F, 'NR > 1 && $3 != "" { print $1 }' sweep/runs.csv | sort | uniq -c | awk '{ printf "%s:%s ", $2, $1 }')" = \
    'backwardread:2 fwrite:2 initialwrite:2 pread:2 reread:2 ' ] || fault "the sweep: $(cat sweep/runs.csv)"
finish
