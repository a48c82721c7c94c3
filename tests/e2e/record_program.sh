#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel record of programs with known I/O: dd and fio, with children, through the page cache and with O_DIRECT. Calls and
# bytes per file are exact, and the block layer's counts are those of direct I/O.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs dd

# recorded ARGUMENT...: leaves the CSV in out; skips the test where recording is impossible. The buffer is large enough for a
# busy machine that reads it late.
recorded() {
    "$CUPEL" record --buffer 64m --format csv "$@" >out 2>err </dev/null
    got=$?
    [ $got -ne 6 ] || skip "$(cat err)"
    [ $got -eq 0 ] || fault "cupel record $*: exit status $got: $(tail -n 1 err)"
    # A few events may be counted as lost when tracing is switched on or off; no check here depends on these.
    is_true "$(row events_lost all) <= 3 + $(row events all) / 100"
}

# row METRIC OP [NOTE]: prints its value.
row() {
    awk -F, -v m="$1" -v o="$2" -v n="$3" '$1 == m && $2 == o && $10 == n { print $4; exit }' out
}

# latency METRIC OP [COLUMN]: prints a percentile's value, or an end of its interval. If it has no interval, its note says
# why.
latency() {
    awk -F, -v m="$1" -v o="$2" -v c="${3:-4}" '$1 == m && $2 == o { print $c; exit }' out
}

# row_is EXPECTED METRIC OP [NOTE]: the value is exactly that.
row_is() {
    got=$(row "$2" "$3" "$4")
    [ "$got" = "$1" ] || fault "$2 $3 $4 is \"$got\" instead of $1"
}

# A file through the page cache.
recorded -- dd if=/dev/zero of=file bs=4096 count=500 conv=fsync
row_is 500 calls write "$FOLDER/file"
row_is 2048000 bytes write "$FOLDER/file"
row_is 1 calls flush "$FOLDER/file"
recorded -- dd if=file of=/dev/null bs=1000
row_is 2048 calls read "$FOLDER/file"
row_is 2048000 bytes read "$FOLDER/file"
[ -z "$(row calls write /dev/null)" ] || fault '/dev/null counts as storage'
is_true "$(row bps all) > 0 && $(row elapsed all) > 0 && $(latency lat_p50 read) > 0"
is_true "$(row lat_min read) <= $(latency lat_p50 read) && $(latency lat_p99 read) <= $(row lat_max read)"
[ -z "$(latency lat_p50 read 5)" ] || is_true "$(latency lat_p50 read 5) <= $(latency lat_p50 read) &&
    $(latency lat_p50 read) <= $(latency lat_p50 read 6)"

# Short-lived children: each one is seen, with the bytes that it read.
for i in 1 2 3 4 5 6 7 8; do
    dd if=/dev/urandom of=small$i bs=1000 count=$i 2>/dev/null
done
# shellcheck disable=SC2016 # $i is the inner shell's
recorded -- sh -c 'for i in 1 2 3 4 5 6 7 8; do (cat small$i | cat >copy$i) & done; wait'
for i in 1 2 3 4 5 6 7 8; do
    row_is $((1000 * i)) bytes read "$FOLDER/small$i"
    row_is $((1000 * i)) bytes write "$FOLDER/copy$i"
done
is_true "$(row processes all) >= 16"

# A deeply nested file, whose process has ended before its name is looked up: the kernel's event has room for 15 folder names
# and the filesystem's root.
mount=$(stat -c %m .)
root=$(awk -v at="$mount" '$5 == at { root = $4 } END { print root }' /proc/self/mountinfo)
inside=${root%/}${FOLDER#"${mount%/}"}
room=$((14 - $(printf %s "$inside" | tr -cd / | wc -c)))
[ $room -ge 0 ] || skip "$FOLDER lies too deep in its filesystem"
deep=.
for i in $(seq $room); do
    deep=$deep/level$i
done
mkdir -p "$deep"
recorded -- sh -c "echo deep >$deep/file"
row_is 5 bytes write "$FOLDER/${deep#./}/file"
# One folder more, and the root no longer fits.
mkdir "$deep/more"
recorded -- sh -c "echo more >$deep/more/file"
[ "$(awk -F, '$1 == "bytes" && $2 == "write" && $10 ~ /more[/]file$/ { print $4; exit }' out)" = 5 ] ||
    fault "a file that lies too deep: $(grep '^bytes' out)"

# cp, and descriptors that were inherited and duplicated.
recorded -- sh -c 'exec 5<file; cp file other; (dd bs=100 count=7 of=/dev/null) <&5; dd bs=50 count=3 of=/dev/null <&5'
row_is $((2048000 + 700 + 150)) bytes read "$FOLDER/file"
row_is 2048000 bytes write "$FOLDER/other"

# A loop device with O_DIRECT: each call is one request.
head -c 16777216 /dev/urandom >disk
attach disk
# shellcheck disable=SC2153 # attach sets it
loop=${LOOP#/dev/}
recorded -- dd if="$LOOP" of=/dev/null bs=64k iflag=direct
row_is 256 calls read "$LOOP"
row_is 16777216 bytes read "$LOOP"
row_is 256 device_requests read "$loop"
row_is 16777216 device_bytes read "$loop"
row_is 1 device_depth_max all "$loop"
row_is 256 device_own_requests all "$loop"
is_true "$(row device_response_time read "$loop") < $(row response_time read)" # the time of a call contains that of its request
recorded -- dd if=/dev/zero of="$LOOP" bs=32k count=100 oflag=direct
row_is 100 calls write "$LOOP"
row_is 100 device_requests write "$loop"
row_is 3276800 device_bytes write "$loop"

# Through the page cache, readahead turns many small reads into fewer, larger requests.
recorded -- dd if="$LOOP" of=/dev/null bs=1k count=8192
row_is 8192 calls read "$LOOP"
is_true "$(row device_requests read "$loop") < 2000"
is_true "$(row device_bytes read "$loop") >= 8388608"

# A filesystem mounted on a folder: the reported path is the mounted one.
mount_ext4 32M
# shellcheck disable=SC2153 # MOUNT comes with devices
recorded -- sh -c "mkdir $MOUNT/a; echo 12345 >$MOUNT/a/b; sync $MOUNT/a/b"
row_is 6 bytes write "$MOUNT/a/b"
is_true "$(row device_bytes write "${LOOP#/dev/}") >= 4096"

# A disk whose interrupts come while the processors sleep: a kernel that loses such events is kept awake.
dd if=/dev/zero of=plain bs=4k count=600 conv=fsync 2>/dev/null
if dd if=plain of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; then
    recorded -- dd if=plain of=/dev/null bs=4k iflag=direct
    seen=$(awk -F, '$1 == "device_requests" && $2 == "read" { n += $4 } END { print n + 0 }' out)
    [ "$seen" -eq 0 ] || is_true "$seen >= 600"
fi

# More events than the smallest buffer can hold: either almost none was lost, or there is no rate and no success.
"$CUPEL" record --buffer 64k --format csv -- \
    sh -c 'for i in 1 2 3; do dd if=/dev/zero of=many bs=1 count=60000 & done; wait' >out 2>err </dev/null
got=$?
if [ $got -eq 5 ]; then
    [ -z "$(row bps all)$(row iops write)" ] || fault 'a rate though most events were lost'
    is_true "$(row events_lost all) > $(row events all) / 100"
    holds err 'were lost, so no rate is known: record again with --buffer'
else
    [ $got -eq 0 ] || fault "a recording with a small buffer: exit status $got: $(tail -n 1 err)"
    is_true "$(row events_lost all) <= 9 + $(row events all) / 98 && $(row bps all) > 0"
fi

if command -v fio >/dev/null; then
    fio_is() { # ENGINE OPTION...
        engine=$1
        shift
        recorded -- fio --name=one --filename="$FOLDER/fio" --size=4m --bs=4k --ioengine="$engine" --output=fio.txt "$@"
    }
    fio_is psync --rw=randread --direct=1
    row_is 1024 calls read "$FOLDER/fio"
    row_is 4194304 bytes read "$FOLDER/fio"
    fio_is pvsync2 --rw=randwrite
    row_is 1024 calls write "$FOLDER/fio"
    row_is 4194304 bytes write "$FOLDER/fio"
    fio_is vsync --rw=write --numjobs=2
    row_is 8388608 bytes write "$FOLDER/fio"
    fio_is psync --rw=randwrite --fsync=64
    is_true "$(row calls flush "$FOLDER/fio") >= 15"
    fio_is libaio --rw=randread --direct=1 --iodepth=8
    row_is 1024 calls read "$FOLDER/fio"
    row_is 4194304 bytes read "$FOLDER/fio"
    fio_is libaio --rw=randwrite --iodepth=64 --iodepth_batch=32 --fsync=100 --bs=256
    row_is 16384 calls write "$FOLDER/fio"
    row_is 4194304 bytes write "$FOLDER/fio"
    is_true "$(row calls flush "$FOLDER/fio") > 100"
fi
finish
