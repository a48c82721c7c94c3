#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge of files that this machine's fio writes: the JSON+, the logs of single I/Os and the histogram logs of one run
# agree with each other and with fio's own percentiles within a bin. Also gzipped, of several jobs, and given together by
# mistake.
# Slow: fio runs for five seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

command -v fio >/dev/null || {
    echo 'fio is not installed'
    exit 77
}

# fio_of ARGUMENT...: runs fio on the test's file.
fio_of() {
    timeout -s KILL 40 fio --filename=file --size=4m --bs=4k --ioengine=psync "$@" >fio.out 2>&1 || {
        echo "fio cannot run here: $(head -n 3 fio.out)"
        exit 77
    }
}

fio_of --name=job --rw=randrw --time_based --runtime=2 --rate_iops=1500,700 --write_hist_log=run --log_hist_msec=250 \
    --write_lat_log=run --lat_percentiles=0 --output-format=json+ --output=run.json

# value METRIC OP: prints its value in the CSV in out.
value() {
    awk -F, -v m="$1" -v o="$2" '$1 == m && $2 == o && $(NF - 8) == "" { print $4; exit }' out
}

# samples OP: prints the number of latencies.
samples() {
    awk -F, -v o="$1" '$1 == "lat_max" && $2 == o && $(NF - 8) == "" { print $8; exit }' out
}

# within_bin A B WHAT: the two differ by at most the width of fio's widest bin, 1/64.
within_bin() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && b != "" && d * 64 <= (a < b ? b : a) + 64) }' ||
        fault "$3: $1, not $2 within a bin"
}

# of_fio DIRECTION PLACE: prints a number of clat_ns in fio's JSON.
of_fio() {
    awk -v section="\"$1\" : {" -v place="\"$2\"" 'index($0, section) { inside = 1 } inside && /"clat_ns"/ { clat = 1 }
        clat && $1 == place { sub(/,$/, "", $3); print $3; exit }' run.json
}

# direction OP: prints fio's number for the operation.
direction() {
    case $1 in
    read) echo 0 ;;
    *) echo 1 ;;
    esac
}

# exact COUNT OP SHARE: prints the nearest-rank percentile of the first COUNT latencies in fio's raw log.
exact() {
    awk -F', ' -v d="$(direction "$2")" -v n="$1" '$3 == d && i++ < n { print $2 }' run_clat.1.log | sort -n |
        awk -v n="$1" -v s="$3" 'NR >= s * n { print; exit }'
}

# JSON+ has every I/O, and the percentiles that fio itself prints.
status 0 merge run.json --format csv
for op in read write; do
    [ "$(samples $op)" = "$(of_fio $op N)" ] || fault "$op: $(samples $op) I/Os in JSON+ instead of $(of_fio $op N)"
    [ "$(value lat_min $op)" = "$(of_fio $op min)" ] || fault "$op: the least is $(value lat_min $op)"
    [ "$(value lat_max $op)" = "$(of_fio $op max)" ] || fault "$op: the greatest is $(value lat_max $op)"
    for p in 50 90 95 99; do
        within_bin "$(value lat_p$p $op)" "$(of_fio $op "$(printf '%.6f' $p)")" "JSON+, $op, p$p"
    done
done
milliseconds=$(sed -n 's/.*"job_runtime" : \([0-9]*\),.*/\1/p' run.json)
within_bin "$(value iops read)" "$(awk -v n="$(of_fio read N)" -v t="$milliseconds" 'BEGIN { print 1000 * n / t }')" 'JSON+, IOPS'

# The log of single I/Os gives the same counts and exact percentiles.
status 0 merge run_clat.1.log --format csv
for op in read write; do
    [ "$(samples $op)" = "$(of_fio $op N)" ] || fault "$op: $(samples $op) I/Os in the log instead of $(of_fio $op N)"
    for share in 0.5 0.9 0.99; do
        p=$(awk -v s=$share 'BEGIN { print 100 * s }')
        within_bin "$(value "lat_p$p" $op)" "$(exact "$(samples $op)" $op $share)" "log, $op, p$p"
    done
done
holds out 'bps,'

# The histogram log lacks the I/Os after its last row, which are the last ones in the log of single I/Os.
status 0 merge run_clat_hist.1.log --format csv
for op in read write; do
    n=$(samples $op)
    awk -F', ' -v d="$(direction $op)" -v n="$n" 'NR == FNR { if ($2 == d) last = $1; next }
        $3 == d { all += $1 <= last; before += $1 < last }
        END { exit !(last != "" && n >= before && n <= all) }' run_clat_hist.1.log run_clat.1.log ||
        fault "$op: $n I/Os in the histograms"
    for share in 0.5 0.9 0.99; do
        p=$(awk -v s=$share 'BEGIN { print 100 * s }')
        within_bin "$(value "lat_p$p" $op)" "$(exact "$n" $op $share)" "histograms, $op, p$p"
    done
done
cp out plain

# The same, gzipped.
gzip run_clat_hist.1.log
status 0 merge run_clat_hist.1.log.gz --format csv
cmp -s out plain || fault 'a gzipped log differs'

# Several formats of one run in a folder are refused. Beside one latency log, fio's logs of rates and of submissions are
# ignored.
mkdir several one
cp run_lat.1.log run_clat.1.log several
refused 2 'holds files of several formats' merge several
cp run_lat.1.log run_slat.1.log one
status 0 merge one --format csv
[ "$(samples read)" = "$(of_fio read N)" ] || fault "a folder: $(samples read) I/Os"
refused 2 'which is no latency' merge run_slat.1.log

# Each job in a JSON+ file is a source. JSON without bins is refused with advice.
fio_of --name=one --rw=read --name=two --rw=randread --number_ios=300 --output-format=json+ --output=jobs.json
status 0 merge jobs.json --by job --format csv
for job in one two; do
    awk -F, -v j=$job '$1 == "iops" && $(NF - 8) == j { found = 1 } END { exit !found }' out || fault "no row of job $job"
done
fio_of --name=one --rw=read --number_ios=300 --output-format=json --output=plain.json
refused 2 'run fio with --output-format=json+' merge plain.json

# A log of mean latencies counts, with a warning that these are not latencies of single I/Os.
fio_of --name=one --rw=randread --time_based --runtime=1 --rate_iops=500 --write_lat_log=mean --log_avg_msec=200
status 0 merge mean_lat.1.log
tr -s '\n ' '  ' <out >words
holds words 'log with log_avg_msec=0'
finish
