#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --metrics: a parser in this test checks the text format; counters equal the measured values, and never decrease while a
# merge is followed.
# Slow: sessions run for seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
command -v python3 >/dev/null || {
    echo 'there is no python3'
    exit 77
}

cat >parse.py <<'PYTHON'
"""parse.py FILE: checks the format and prints each sample as NAME LABELS VALUE. parse.py OLD NEW: no counter goes back."""
import math, re, sys

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|Inf)|NaN")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}


def parse(path):
    text = open(path, "rb").read().decode("utf-8")
    assert text.endswith("\n") and "\r" not in text, "line ends"
    kinds, samples, order, current = {}, {}, [], None
    helped = None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert helped not in kinds and line.split(" ", 3)[3], line
            continue
        if line.startswith("# TYPE "):
            _, _, current, kind = line.split(" ")
            assert current == helped and current not in kinds, line
            assert kind in ("counter", "gauge", "histogram"), line
            kinds[current] = kind
            continue
        assert not line.startswith("#") and line, line
        name = NAME.match(line).group()
        rest, labels = line[len(name):], {}
        if rest.startswith("{"):
            rest = rest[1:]
            while not rest.startswith("}"):
                label = LABEL.match(rest)
                assert label and label.group(1) not in labels, line
                labels[label.group(1)] = label.group(2)
                rest = rest[label.end():]
                assert rest[0] in ",}", line
                rest = rest[1:] if rest[0] == "," else rest
            rest = rest[1:]
        assert rest[0] == " " and NUMBER.fullmatch(rest[1:]), line
        kind = kinds[current]
        assert name in [current + s for s in SUFFIXES.get(kind, ("",))], line
        if kind == "counter":
            assert name.endswith("_total") and float(rest) >= 0, line
        key = (name, tuple(sorted(labels.items())))
        assert key not in samples, "twice: " + line
        samples[key] = float(rest)
        order.append(key)
    for family, kind in kinds.items():
        if kind == "histogram":
            check_histogram(family, samples, order)
    return kinds, samples


def check_histogram(family, samples, order):
    series = {}
    for name, labels in order:
        if name == family + "_bucket":
            rest = tuple(l for l in labels if l[0] != "le")
            series.setdefault(rest, []).append((float(dict(labels)["le"]), samples[name, labels]))
    for labels, buckets in series.items():
        assert buckets == sorted(buckets) and len({b[0] for b in buckets}) == len(buckets), labels
        assert buckets[-1][0] == math.inf and [b[1] for b in buckets] == sorted(b[1] for b in buckets), labels
        assert samples[family + "_count", labels] == buckets[-1][1], labels
        assert samples[family + "_sum", labels] >= 0
        n, total = buckets[-1][1], samples[family + "_sum", labels]
        low = sum((b[1] - a[1]) * a[0] for a, b in zip([(0, 0)] + buckets, buckets))
        assert n == 0 or total > 0.5 * low, "the sum does not fit the buckets"


if len(sys.argv) == 3:
    (old_kinds, old), (kinds, new) = parse(sys.argv[1]), parse(sys.argv[2])
    for (name, labels), value in old.items():
        family = re.sub(r"_(bucket|sum|count)$", "", name) if name not in old_kinds else name
        if old_kinds[family] != "gauge":
            assert new.get((name, labels), -1) >= value, f"{name} {labels} goes back from {value}"
else:
    for (name, labels), value in parse(sys.argv[1])[1].items():
        print(name, ",".join(f"{k}={v}" for k, v in labels), repr(value))
PYTHON

# check FILE: checks the file's format and leaves its samples in the file samples.
check() {
    python3 parse.py "$1" >samples 2>parse.err || fault "$1: $(tail -n 1 parse.err)"
}

# sample NAME LABELS: prints the sample's value.
sample() {
    awk -v n="$1" -v l="$2" '$1 == n && $2 == l { print $3 }' samples
}

# equal WHAT GOT EXPECTED: the two are the same number.
equal() {
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 == b + 0) }' || fault "$1 is \"$2\" instead of \"$3\""
}

# A run: the counters equal the run's own tables.
longer '0 5' run null --ioengine null --null-script const:100us --rw randrw --size 64m --runtime 2s --overhead 0 --metrics run.prom \
    --sla 'read.p99<10s' -o one --format csv
check run.prom
for op in read write; do
    n=$(awk -F, -v o=$op '$1 == "lat_max" && $2 == o { print $8 }' out)
    equal "the histogram's count, $op," "$(sample cupel_io_latency_seconds_count op=$op)" "$n"
    equal "p99, $op," "$(sample cupel_result "metric=lat_p99,op=$op,unit=ns")" \
        "$(awk -F, -v o=$op '$1 == "lat_p99" && $2 == o { print $4 }' out)"
done
equal 'I/Os' "$(awk '$1 == "cupel_io_total" { n += $3 } END { print n }' samples)" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) k[$i] = i } NR > 1 && !$k["trial"] { n += $k["ios"] } END { print n }' \
        one/rounds.csv)"
equal 'bytes' "$(sample cupel_io_bytes_total op=read)" "$(awk "BEGIN { print 4096 * $(sample cupel_io_total op=read) }")"
for file in *.tmp*; do
    [ ! -e "$file" ] || fault "$file is left"
done

# Buckets are exact: I/Os of the null backend take at least 100 us, so none is below 98.304 us.
equal 'I/Os below 98.3 us' "$(sample cupel_io_latency_seconds_bucket le=9.8304e-05,op=read)" 0

# A merge by a label that needs escaping.
status 0 run null --ioengine null --null-script const:100us --rw randread --size 64m --runtime 1s --overhead 0 -o plain
mv plain 'q"uote\d'
longer '1 5' merge one 'q"uote\d' --by job --metrics merge.prom --sla 'read.p50<1ns, read.errors=0'
check merge.prom
equal 'the clause that holds' "$(sample cupel_sla_clause clause=read.errors=0)" 1
grep -qF 'job_name="q\"uote\\d"' merge.prom || fault "the job's name is not escaped: $(grep io_total merge.prom)"
all=$(awk '$1 == "cupel_io_latency_seconds_count" { n += $3 } END { print n }' samples)
status 0 merge one 'q"uote\d' --metrics merge.prom
check merge.prom
equal 'all I/Os' "$(awk '$1 == "cupel_io_latency_seconds_count" { n += $3 } END { print n }' samples)" "$all"

# While a merge is followed, the file is complete whenever it is read, and its counters never decrease.
mkdir live
for i in 1 2; do
    "$CUPEL" run null --ioengine null --rw randrw --size 64m --rate_iops 2k --runtime $((2 + i))s --seed $i -o live/$i >/dev/null 2>&1 &
done
timeout -s KILL 90 "$CUPEL" merge --follow live --stale 5s --metrics live.prom --sla 'iops>1' >out 2>err </dev/null &
follower=$!
states=0
while kill -0 $follower 2>/dev/null; do
    if cp live.prom state.new 2>/dev/null && ! cmp -s state.new state.$states; then
        states=$((states + 1))
        mv state.new state.$states
    fi
    sleep 0.2
done
wait
[ $states -ge 2 ] || fault "only $states states of the file: $(cat err)"
cp live.prom state.$((states + 1))
check state.1
[ -n "$(sample cupel_interval_latency_seconds quantile=0.99)" ] || fault 'no p99 of the last interval'
[ -n "$(sample cupel_records state=running)" ] || fault 'no number of records that run'
for i in $(seq 1 $states); do
    check state.$((i + 1))
    python3 parse.py "state.$i" state.$((i + 1)) 2>parse.err || fault "from state $i on: $(tail -n 1 parse.err)"
done
check live.prom
status 0 merge live --metrics later.prom
grep '^cupel_io' live.prom >live.io
grep '^cupel_io' later.prom | cmp - live.io || fault 'the counters differ from those of a merge'

# A file that cannot be written is refused before anything is measured.
refused 2 'No such file' run null --ioengine null --runtime 1s --metrics missing/x.prom
refused 2 'own and is not overwritten' merge one --metrics live
refused 2 'No such file' merge one --metrics missing/x.prom
finish
