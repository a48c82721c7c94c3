#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run --write and replay --write: the logs contain the same latencies as the record, as cupel merge reads both, and as
# HdrHistogram's own reader does where it is installed.
# Slow: runs of a second.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quiet='--realtime 0 --overhead 0 --monitor-cost 0'

# rows NAME ...: prints latencies and counts of a merge, without rows that a histogram cannot contain exactly.
rows() {
    limited merge "$@" --format csv 2>err | awk -F, '/^lat_p/ { print $1, $2, $4, $8 }'
}

# shellcheck disable=SC2086 # the options are words
{
    status 0 run --ioengine null --null-script lognormal:100us,0.5 --iodepth 4 --runtime 1s --interval 100ms $quiet \
        --write hdr=run.hlog --write fio-hist=run.log --write fio-json=run.json -o run
    longer '0 5' run --ioengine null --null-script const:200us --rw randrw --repeat 2 --runtime 0.3s $quiet \
        --write hdr=repeat.hlog -o repeat
    awk 'BEGIN { for (i = 0; i < 200; i++) print i * 0.002 ",read," i * 4096 ",4096" }' >columns.csv
}
# same LOG: the log has as many I/Os as the file `expected`, and the same percentiles within the width of a bucket.
same() {
    rows "$1" >found
    awk 'NR == FNR { value[$1 " " $2] = $3; n[$1 " " $2] = $4; rows++; next }
        { key = $1 " " $2; apart = $3 / value[key] - 1; seen += n[key] == $4 && apart < 1 / 64 && apart > -1 / 64 }
        END { exit !(seen == rows && seen == FNR && seen >= 6) }' expected found || fault "$1: $(diff expected found)"
}

rows run >expected
for log in run.hlog run.log run.json; do
    same $log
done
# An interval is as long as requested.
[ "$(awk -F, '/^Tag=/ { print $3 }' run.hlog | sort -u)" = 0.100 ] || fault 'the rows of the log are of other intervals'
[ "$(grep -c '^Tag=read,' run.hlog)" -ge 9 ] || fault 'a second has fewer than nine intervals'
rows repeat >expected
same repeat.hlog
grep -q '^Tag=write,' repeat.hlog || fault 'writes have no rows of their own'

# HdrHistogram's own reader gives the same number of I/Os, and its first percentile from p99 on lies between cupel's.
jar=/usr/share/java/hdrhistogram.jar
if [ -e $jar ] && command -v java >/dev/null; then
    rows run >expected
    java -cp $jar org.HdrHistogram.HistogramLogProcessor -i run.hlog -tag read -outputValueUnitRatio 1 -o theirs >out 2>&1 ||
        fault "HdrHistogram: $(cat out)"
    awk 'NR == FNR { if ($1 == "lat_p99") { p99 = $3; n = $4 } if ($1 == "lat_p99.9") p999 = $3; next }
        /Total count/ { gsub(/[^0-9]/, "", $NF); theirs = $NF }
        $2 ~ /^[01][.]/ && $2 >= 0.99 && !value { value = $1 }
        END { exit !(n > 0 && theirs == n && value > 0.97 * p99 && value < 1.03 * p999) }' expected theirs.hgrm ||
        fault "HdrHistogram reads another log: $(tail -n 5 theirs.hgrm; cat expected)"
else
    echo "without HdrHistogram's own reader: $jar or java is missing"
fi

refused 2 '--write needs --output' run --ioengine null --write hdr=x.hlog
refused 2 'FORMAT=FILE is needed' run --ioengine null --write hdr -o other
refused 2 'this format is not known' replay columns.csv --ioengine null --write java=x -o other
refused 2 'run.hlog exists' run --ioengine null --write hdr=run.hlog -o other
[ ! -e other ] || fault 'a refused run left a folder'
finish
