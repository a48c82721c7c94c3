#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run on files: scratch files are removed, other people's files are not written, holes are not measured.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# Sessions are short, since the measured values do not matter here. On a loaded machine they may not get precise.
quick='--preset quick --ci 100% --min-samples 2 --interval pilot --changepoint none --min-time 0.2s --limit 10s --overhead 0 --format csv'

# measured ARGUMENT...: the run has exit status 0 or 5 and a result with IOPS.
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

# Not every filesystem supports O_DIRECT, which this test does not depend on.
direct=1
limited run --size 1m --limit 0.3s --overhead 0 >/dev/null 2>err
[ $? -ne 6 ] || direct=0
echo "with --direct $direct"

mkdir scratch
measured scratch --size 4m --direct $direct
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"
[ "$(metric_of iops op)" = read ] || fault "the op is $(metric_of iops op)"
# The machine is probed before and after a session: unchanged parts must not be reported as gone.
# shellcheck disable=SC2086 # the options are words
limited run scratch --size 4m --direct $direct $quick --format text >out 2>err
grep 'no longer there' out && fault 'a part of the machine that stayed is said to have gone'
measured scratch --size 4m --direct $direct --rw randwrite --seed 7
[ "$(metric_of iops op)" = write ] || fault "the op is $(metric_of iops op)"
measured scratch --size 4m --direct $direct --rw randrw --iodepth 4 --numjobs 2 --bs 8k
[ "$(grep -c '^iops,' out)" -ge 2 ] || fault "a mix does not report its parts: $(grep '^iops,' out)"
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"

# A file that cupel did not make is read, and written only with permission.
head -c 2097152 /dev/urandom >theirs
cp theirs copy
measured theirs --direct $direct
refused 3 --overwrite run theirs --rw randwrite
cmp -s theirs copy || fault "a file was changed by reading it or by a refused write"
measured theirs --rw randwrite --overwrite --direct $direct
cmp -s theirs copy && fault "--overwrite wrote nothing"

# cupel recognises its own files by the pseudo-random data in them. With other data a file no longer counts as cupel's own.
measured ours --size 1m --rw write --bs 64k --direct $direct --dedupe_percentage 50
measured ours --rw write --bs 64k --direct $direct --buffer_pattern '"abc"'
grep -q abcabcabc ours || fault 'no pattern was written'
refused 3 'it holds something else now' run ours --rw write
refused 2 'does not know as its own' run ours --rw write --zero_buffers --repeat 2
measured scratch --size 1m --rw write --direct $direct --buffer_compress_percentage 50
[ -z "$(ls -A scratch)" ] || fault "a scratch file was left: $(ls -A scratch)"
refused 2 'only reads' run theirs --zero_buffers

# A file that consists of holes.
truncate -s 4M holes
refused 3 holes run holes
measured holes --allow-unwritten --direct $direct

# Regions that do not fit the file.
refused 2 '--size 1 KiB is smaller' run theirs --size 1k
status 2 run theirs --offset 1g
[ "$(wc -l <err)" -eq 1 ] || fault "an offset beyond the end: the error is not one line"
finish
