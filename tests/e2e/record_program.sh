#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel record of programs whose I/O is known: dd and fio, with children, through the page cache and past it. Counts and
# bytes are exactly those that were asked for, of each file; the block layer's view is what direct I/O must give.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs dd

# recorded ARGUMENT...: the CSV in out; skips where it is not possible. The buffer lasts while a busy machine leaves it unread.
recorded() {
    "$CUPEL" record --buffer 64m --format csv "$@" >out 2>err </dev/null
    got=$?
    [ $got -ne 6 ] || skip "$(cat err)"
    [ $got -eq 0 ] || fault "cupel record $*: exit status $got: $(tail -n 1 err)"
    # Some are counted and not told, as when they are switched on or off: none that any check here looks for.
    is_true "$(row events_lost all) <= 3 + $(row events all) / 100"
}

# row METRIC OP [NOTE]: its value.
row() {
    awk -F, -v m="$1" -v o="$2" -v n="$3" '$1 == m && $2 == o && $10 == n { print $4; exit }' out
}

# latency METRIC OP [COLUMN]: a percentile's value, or the end of its interval; the note is why it has none.
latency() {
    awk -F, -v m="$1" -v o="$2" -v c="${3:-4}" '$1 == m && $2 == o { print $c; exit }' out
}

# row_is EXPECTED METRIC OP [NOTE]
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

# Children that live a moment: every one is seen, and what it read.
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

# However deep a file lies, and though its process is gone when it is looked at: the kernel's record of a path has room for
# 15 names and the filesystem's root.
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
# With one more the root is out of reach.
mkdir "$deep/more"
recorded -- sh -c "echo more >$deep/more/file"
[ "$(awk -F, '$1 == "bytes" && $2 == "write" && $10 ~ /more[/]file$/ { print $4; exit }' out)" = 5 ] ||
    fault "a file that lies too deep: $(grep '^bytes' out)"

# cp, and a descriptor that was inherited and one that was duplicated.
recorded -- sh -c 'exec 5<file; cp file other; (dd bs=100 count=7 of=/dev/null) <&5; dd bs=50 count=3 of=/dev/null <&5'
row_is $((2048000 + 700 + 150)) bytes read "$FOLDER/file"
row_is 2048000 bytes write "$FOLDER/other"

# A loop device, past the page cache: each call is a request.
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
is_true "$(row device_response_time read "$loop") < $(row response_time read)" # the call holds the request
recorded -- dd if=/dev/zero of="$LOOP" bs=32k count=100 oflag=direct
row_is 100 calls write "$LOOP"
row_is 100 device_requests write "$loop"
row_is 3276800 device_bytes write "$loop"

# Through the page cache: readahead makes fewer and larger requests of many small reads.
recorded -- dd if="$LOOP" of=/dev/null bs=1k count=8192
row_is 8192 calls read "$LOOP"
is_true "$(row device_requests read "$loop") < 2000"
is_true "$(row device_bytes read "$loop") >= 8388608"

# A folder's filesystem: the path is the one that is mounted.
mount_ext4 32M
# shellcheck disable=SC2153 # MOUNT comes with devices
recorded -- sh -c "mkdir $MOUNT/a; echo 12345 >$MOUNT/a/b; sync $MOUNT/a/b"
row_is 6 bytes write "$MOUNT/a/b"
is_true "$(row device_bytes write "${LOOP#/dev/}") >= 4096"

# A disk whose interrupts come while the processors would sleep: a kernel that does not tell of those is kept awake.
dd if=/dev/zero of=plain bs=4k count=600 conv=fsync 2>/dev/null
if dd if=plain of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; then
    recorded -- dd if=plain of=/dev/null bs=4k iflag=direct
    seen=$(awk -F, '$1 == "device_requests" && $2 == "read" { n += $4 } END { print n + 0 }' out)
    [ "$seen" -eq 0 ] || is_true "$seen >= 600"
fi

# More events than the smallest buffer holds: either hardly any was lost, or there is no rate and no success.
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
