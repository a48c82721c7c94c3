#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run on files: scratch files go away, files of others are not written, holes are not measured.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# Short sessions: what they measure is not the point here. On a loaded machine they may not become precise.
quick='--preset quick --ci 100% --min-samples 2 --interval pilot --changepoint none --min-time 0.2s --limit 10s --overhead 0 --format csv'

# measured ARGUMENT...: exit 0 or 5, with IOPS in the result.
measured() {
    # shellcheck disable=SC2086 # the options are words
    limited run "$@" $quick >out 2>err
    got=$?
    [ $got -eq 0 ] || [ $got -eq 5 ] || {
        fault "cupel run $*: exit status $got"
        sed 's/^/    /' err
    }
    is_true "$(metric_of iops value) + 0 > 0"
}

# O_DIRECT does not work everywhere, and the rest is about other things.
direct=1
limited run --size 1m --limit 0.3s --overhead 0 >/dev/null 2>err
[ $? -ne 6 ] || direct=0
echo "with --direct $direct"

mkdir scratch
measured scratch --size 4m --direct $direct
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"
[ "$(metric_of iops op)" = read ] || fault "the op is $(metric_of iops op)"
# What the machine is was looked at before and after: nothing of it has gone.
# shellcheck disable=SC2086 # the options are words
limited run scratch --size 4m --direct $direct $quick --format text >out 2>err
grep 'no longer there' out && fault 'a part of the machine that stayed is said to have gone'
measured scratch --size 4m --direct $direct --rw randwrite --seed 7
[ "$(metric_of iops op)" = write ] || fault "the op is $(metric_of iops op)"
measured scratch --size 4m --direct $direct --rw randrw --iodepth 4 --numjobs 2 --bs 8k
[ "$(grep -c '^iops,' out)" -ge 2 ] || fault "a mix does not report its parts: $(grep '^iops,' out)"
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"

# A file of somebody else is read, and written only when permitted.
head -c 2097152 /dev/urandom >theirs
cp theirs copy
measured theirs --direct $direct
refused 3 --overwrite run theirs --rw randwrite
cmp -s theirs copy || fault "a file was changed by reading it or by a refused write"
measured theirs --rw randwrite --overwrite --direct $direct
cmp -s theirs copy && fault "--overwrite wrote nothing"

# Data with fixed bytes are no noise, by which cupel knows its own files: what it made is then no longer its own.
measured ours --size 1m --rw write --bs 64k --direct $direct --dedupe_percentage 50
measured ours --rw write --bs 64k --direct $direct --buffer_pattern '"abc"'
grep -q abcabcabc ours || fault 'no pattern was written'
refused 3 'it holds something else now' run ours --rw write
refused 2 'does not know as its own' run ours --rw write --zero_buffers --repeat 2
measured scratch --size 1m --rw write --direct $direct --buffer_compress_percentage 50
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"
refused 2 'only reads' run theirs --zero_buffers

# A file of holes.
truncate -s 4M holes
refused 3 holes run holes
measured holes --allow-unwritten --direct $direct

# Impossible regions.
refused 2 '--size 1 KiB is smaller' run theirs --size 1k
status 2 run theirs --offset 1g
[ "$(wc -l <err)" -eq 1 ] || fault "an offset beyond the end: the error is not one line"
finish
