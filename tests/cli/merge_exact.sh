#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge compared with percentiles of the raw values: four very different hosts that begin at different times, as fio's
# raw logs, as its histogram logs and as HdrHistogram logs, all written by python3. Per second and overall the percentiles
# equal those of the pooled values within a histogram bucket (1/64); the average of the hosts' percentiles is as wrong as the
# report says; and the file of --write has the same counts, as python3 reads it, and merges to the same rows. An I/O of 10 ms
# and more counts in a second with the share of its life that lies in it (Cronburg, England, Percentiles), if every instant of
# a second is equally likely to be its end. A shorter I/O counts where it ended.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
command -v python3 >/dev/null || {
    echo 'skipped: python3, which computes what is expected, is not here'
    exit 77
}

# Shared by the programs below: the I/Os, fio's buckets, and nearest-rank percentiles.
cat >hosts.py <<'EOF'
import base64, math, random, struct, zlib

BEGIN_MS, STEP_MS, OPS = 1700000000000, 250, ('read', 'write')
PERCENTILES = (('lat_p50', 0.5), ('lat_p90', 0.9), ('lat_p95', 0.95), ('lat_p99', 0.99), ('lat_p99.9', 0.999))
HOSTS = ((4000, 9e4, 0.3), (2000, 4e5, 0.5), (1000, 1.1e6, 1.2), (150, 2.5e7, 0.4))  # I/Os per s, median ns, spread

def hosts():
    """Of each host (completed in ms, latency in ns, is it a write) of every I/O, in order of time."""
    draw = random.Random(16)
    for host, (rate, median_ns, spread) in enumerate(HOSTS):
        begin = BEGIN_MS + 750 * host
        yield sorted((begin + draw.randrange(6000), int(draw.lognormvariate(math.log(median_ns), spread)), draw.random() < 0.3)
                     for _ in range(6 * rate))

def bucket(ns):
    bits = max(ns.bit_length() - 7, 0)
    return 64 * bits + (ns >> bits)

def rank(values, share):
    return sorted(values)[min(max(math.ceil(share * len(values) - 1e-9), 1), len(values)) - 1]

def parts(ns):
    """Of an I/O that ends in a second: [(seconds before it, part of its life in that second)]."""
    if ns < 10000000:
        return [(0, 1)]
    life, points, found = ns / 1e9, 400, {}
    for end in ((i + 0.5) / points for i in range(points)):
        for back in range(int(life + 1 - end) + 1):
            found[back] = found.get(back, 0) + (min(end, 1 - back) - max(end - life, -back)) / life / points
    return [(back, part) for back, part in found.items() if part > 0]

def weighted(values, share):
    """Of (value, weight)."""
    at, ordered = share * sum(weight for _, weight in values), sorted(values)
    for value, weight in ordered:
        at -= weight
        if at <= 1e-9:
            return value
    return ordered[-1][0]
EOF

cat >write.py <<'EOF'
from hosts import *

def row_of_fio(end, op, values):
    counts = [0] * 1856
    for ns in values:
        counts[bucket(ns)] += 1
    return '%d, %d, 4096, %s\n' % (end, op, ', '.join(map(str, counts)))

def variable(number):
    out, word = b'', number * 2 if number >= 0 else -number * 2 - 1
    while word > 127:
        out, word = out + bytes([word & 127 | 128]), word >> 7
    return out + bytes([word])

def hdr(values):
    """Three significant digits: 2048 bins of 1, and 1024 of twice the width from there on, and so on."""
    counts, plain, at = {}, b'', 0
    for ns in values:
        bits = max(ns.bit_length() - 11, 0)
        index = 1024 * bits + (ns >> bits)
        counts[index] = counts.get(index, 0) + 1
    for index in sorted(counts):
        plain += (variable(at - index) if index > at else b'') + variable(counts[index])
        at = index + 1
    plain = struct.pack('>IIIIQQd', 0x1c849313, len(plain), 0, 3, 1, 3600000000000, 1.0) + plain
    packed = zlib.compress(plain, 9)
    return base64.b64encode(struct.pack('>II', 0x1c849314, len(packed)) + packed).decode()

for host, ios in enumerate(hosts()):
    begin = BEGIN_MS + 750 * host
    with open('raw/host%d_clat.1.log' % host, 'w') as raw:
        for ms, ns, op in ios:
            raw.write('%d, %d, %d, 4096, 0, 0\n' % (ms, ns, op))
    with open('hist/host%d_clat_hist.1.log' % host, 'w') as fio, open('hdr/host%d.hlog' % host, 'w') as log:
        log.write('#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), x]\n' % (begin / 1000))
        log.write('"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n')
        for at in range(begin, begin + 6000, STEP_MS):
            for op in (0, 1):
                values = [ns for ms, ns, which in ios if at <= ms < at + STEP_MS and which == op]
                fio.write(row_of_fio(at + STEP_MS, op, values))
                log.write('Tag=%s,%.3f,%.3f,%.3f,%s\n' % (('READ', 'Write')[op], (at - begin) / 1000, STEP_MS / 1000,
                                                          max(values, default=0) / 1e6, hdr(values)))
EOF

# expect.py NAME: checks the rows in NAME.csv and the averages in NAME.json.
cat >expect.py <<'EOF'
import csv, json, sys
from datetime import datetime, timezone
from hosts import *

name, wrong, seen = sys.argv[1], [], 0
all_hosts = list(hosts())
pooled = sorted(io for ios in all_hosts for io in ios)

def is_near(what, got, expected):
    global seen
    seen += 1
    if not abs(float(got) - expected) <= expected / 64:
        wrong.append('%s: %s instead of %s' % (what, got, expected))

groups, ended = {}, {}
for ms, ns, op in pooled:
    for back, part in parts(ns):
        second = datetime.fromtimestamp(ms // 1000 - back, timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')
        groups.setdefault((second, OPS[op]), []).append((ns, part))
        ended[second, OPS[op]] = ended.get((second, OPS[op]), 0) + (back == 0)
    groups.setdefault(('', OPS[op]), []).append((ns, 1))
    ended['', OPS[op]] = ended.get(('', OPS[op]), 0) + 1
with open(name + '.csv') as rows:
    found = {(row['metric'], row['op'], row['begin']): row for row in csv.DictReader(rows)}
for (second, op), values in groups.items():
    for metric, share in PERCENTILES + (('lat_max', 1.0),):
        row = found.get((metric, op, second))
        if row is None:
            if not (second and metric == 'lat_p95'):  # not among the rows of intervals
                wrong.append('no %s of %s in "%s"' % (metric, op, second))
            continue
        is_near('%s of %s in "%s"' % (metric, op, second), row['value'], weighted(values, share))
        if int(row['n']) != ended[second, op]:
            wrong.append('%s of %s in "%s": %s I/Os instead of %d' % (metric, op, second, row['n'], ended[second, op]))

off = {}
averages = {a['metric']: a for a in json.load(open(name + '.json'))['merged']['averages_of_percentiles']}
for metric, share in PERCENTILES:
    system = rank([ns for _, ns, _ in pooled], share)
    average = sum(len(ios) * rank([ns for _, ns, _ in ios], share) for ios in all_hosts) / len(pooled)
    is_near('the system\'s ' + metric, averages[metric]['system'], system)
    is_near('the average of ' + metric, averages[metric]['average'], average)
    off[metric] = average / system - 1
if not (off['lat_p50'] > 0.5 and off['lat_p99'] < -0.3):
    wrong.append('averages are too near to the truth to show anything: %s' % off)
print('%s: %d values; averages over the system: %s' % (name, seen, ' '.join('%s %+.0f%%' % (m, 100 * o) for m, o in off.items())))
print('\n'.join(wrong[:10]))
sys.exit(bool(wrong))
EOF

# written.py HIST HDR: checks that the written logs have the raw values' buckets, second by second.
cat >written.py <<'EOF'
import sys
from hosts import *

expected = {}
for ios in hosts():
    for ms, ns, op in ios:
        counts = expected.setdefault((ms // 1000, op), {})
        counts[bucket(ns)] = counts.get(bucket(ns), 0) + 1

fio = {}
for line in open(sys.argv[1]):
    ms, op, size, *counts = map(int, line.split(', '))
    assert len(counts) == 1856 and ms % 1000 == 0
    if any(counts):
        fio[ms // 1000 - 1, bool(op)] = {i: n for i, n in enumerate(counts) if n}

def numbers(plain):
    at = 0
    while at < len(plain):
        word = shift = 0
        while True:
            word |= (plain[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if plain[at - 1] < 128:
                break
        yield -(word + 1 >> 1) if word & 1 else word >> 1

hdr, base = {}, None
for line in open(sys.argv[2]):
    if line.startswith('#[BaseTime: '):
        base = float(line.split()[1])
    if not line.startswith('Tag='):
        continue
    tag, start, length, longest, text = line[4:].strip().split(',')
    data = base64.b64decode(text, validate=True)
    cookie, packed = struct.unpack('>II', data[:8])
    assert cookie == 0x1c849314 and packed == len(data) - 8 and float(length) == 1
    plain = zlib.decompress(data[8:])
    cookie, size, offset, digits, lowest, highest, ratio = struct.unpack('>IIIIQQd', plain[:40])
    assert (cookie, size, offset, digits, lowest, ratio) == (0x1c849313, len(plain) - 40, 0, 2, 1, 1.0)
    index, counts = 0, {}
    for number in numbers(plain[40:]):
        if number > 0:
            bits = max(index // 128 - 1, 0)
            value = (index - 128 * bits) << bits
            counts[bucket(value)] = counts.get(bucket(value), 0) + number
        index += 1 if number >= 0 else -number
    if counts:
        hdr[int(base + float(start)), tag == 'write'] = counts
        assert bucket(round(float(longest) * 1e6)) == max(counts)
for name, got in (('fio-hist', fio), ('hdr', hdr)):
    if got != expected:
        print('%s: other counts than those of the raw values' % name)
        sys.exit(1)
EOF

# same.py A B: checks that two results have the same percentiles per second.
cat >same.py <<'EOF'
import csv, sys
a, b = ({(r['metric'], r['op'], r['begin']): r for r in csv.DictReader(open(f)) if r['metric'].startswith('lat_p') and r['begin']}
        for f in sys.argv[1:])
sys.exit(not a or a.keys() != b.keys() or
         any(a[k]['n'] != b[k]['n'] or abs(float(a[k]['value']) - float(b[k]['value'])) > float(a[k]['value']) / 64 for k in a))
EOF

# same_sums.py A B: the same for the overall percentiles, over all operations.
cat >same_sums.py <<'EOF'
import json, sys
a, b = ({m['metric']: m['system'] for m in json.load(open(f))['merged']['averages_of_percentiles']} for f in sys.argv[1:])
sys.exit(not a or any(abs(a[m] - b[m]) > a[m] / 64 for m in a))
EOF

mkdir raw hist hdr
python3 write.py || fault 'the logs could not be written'
for kind in raw hist hdr; do
    status 0 merge $kind --interval 1s --format csv
    cp out $kind.csv
    status 0 merge $kind --interval 1s --format json --write fio-hist=$kind.hist \
        --write hdr=$kind.hlog --write fio-json=$kind.json+
    cp out $kind.json
    python3 expect.py $kind || fault "$kind: not the percentiles of the raw values"
    python3 written.py $kind.hist $kind.hlog || fault "$kind: --write changed counts"
    for log in $kind.hist $kind.hlog; do
        status 0 merge "$log" --interval 1s --format csv
        cp out again.csv
        python3 same.py $kind.csv again.csv || fault "$log: other percentiles than $kind"
    done
    status 0 merge $kind.json+ --format json
    python3 same_sums.py $kind.json out || fault "$kind.json+: other percentiles than $kind"
done

# fio's own scripts, if its package has them: the percentiles of each second from the written log, and the bins of the JSON+.
cat >fio.py <<'EOF'
import sys
from hosts import *

seconds, lines = {}, {}
for ios in hosts():
    for ms, ns, op in ios:
        seconds.setdefault((ms - BEGIN_MS) // 1000, []).append(ns)
for line in open('pctiles'):
    words = line.replace(' ', '').strip().split(',')
    if len(words) > 5 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
        lines[int(words[0]) // 1000 - 1] = int(words[1]), float(words[3]) * 1000, float(words[5]) * 1000
if lines.keys() != seconds.keys():
    sys.exit('seconds %s' % sorted(lines))
for second, values in seconds.items():
    n, p50, p99 = lines[second]
    near = all(abs(got - rank(values, share)) < rank(values, share) / 32 for got, share in ((p50, 0.5), (p99, 0.99)))
    if n != len(values) or (n > 500 and not near):
        sys.exit('second %d: %s of %d I/Os' % (second, lines[second], len(values)))
EOF
pctiles=/usr/share/doc/fio/fio-histo-log-pctiles.py
if [ -f $pctiles ] || gzip -dc $pctiles.gz >pctiles.py 2>/dev/null; then
    [ ! -f $pctiles ] || cp $pctiles pctiles.py
    python3 pctiles.py --time-quantum 1 raw.hist >pctiles || fault "fio's own program refuses our histogram log"
    python3 fio.py || fault "fio's own program reads other percentiles"
else
    echo "a part was left out: fio's program for histogram logs is not here"
fi
if command -v fio_jsonplus_clat2csv >/dev/null && python3 -c 'import six' 2>/dev/null; then
    fio_jsonplus_clat2csv raw.json+ plus.csv >plus || fault "fio's own program refuses our JSON+"
    fio_jsonplus_clat2csv raw.json+ plus.csv --validate >plus || fault "fio's own program finds other bins"
    holds plus validated
else
    echo "a part was left out: fio's program for JSON+ is not here"
fi

# Logs without block sizes give no bandwidth; it is unknown and not reported as 0.
grep -q '^bandwidth,' raw.csv || fault 'no bandwidth of raw logs'
! grep -q '^bandwidth,' hdr.csv || fault 'a bandwidth of logs that do not state block sizes'

# Refusals: an existing output file, formats into which a merge cannot be written, and unknown words.
cp raw.hlog kept.hlog
refused 2 'it is not overwritten' merge hdr --write hdr=kept.hlog
cmp raw.hlog kept.hlog || fault 'a file was overwritten'
refused 2 'hold every single I/O' merge hdr --write fio-clat=new.log
refused 2 'there are fio-hist, fio-json and hdr' merge hdr --write hist=new.log
refused 2 'FORMAT=FILE is needed' merge hdr --write new.log
refused 2 'and hdr needs intervals' merge raw.json+ --write hdr=new.log
refused 4 'it cannot be made' merge hdr --write hdr=no/folder.log
[ ! -e new.log ] || fault 'a refusal left a file'

# Rows that cannot be decoded are reported, and a log that was cut off is used as far as it reaches.
head -n 10 hdr/host0.hlog >bad.hlog
echo 'Tag=READ,9.000,0.250,1.0,HISTFAAAAC54nJNp' >>bad.hlog
refused 2 'bad.hlog: line 11: its histogram breaks off' merge bad.hlog
head -c 5000 hdr/host0.hlog >cut.hlog
status 0 merge cut.hlog
holds out 'it breaks off'

# Tags that name no operation are job names; their I/Os count as reads, with a warning.
sed 's/Tag=READ/Tag=INSERT/; s/Tag=Write/Tag=UPDATE/' hdr/host0.hlog >tags.hlog
status 0 merge tags.hlog --by job --format csv
jobs=$(awk -F, '$1 == "lat_p99" && $(NF - 8) != "" { n += $8; printf "%s ", $(NF - 8) } END { print n }' out)
[ "$jobs" = 'INSERT UPDATE 24000' ] || fault "the jobs of a log with two tags: $jobs"
status 0 merge tags.hlog
holds out 'does not state operations'

# A compressed log gives the same result.
status 0 merge hdr/host0.hlog --format csv
cp out plain.csv
gzip -c hdr/host0.hlog >host0.hlog.gz
status 0 merge host0.hlog.gz --format csv
cmp out plain.csv || fault 'a compressed log is another one'

# Values in us are taken for ns until an option states the unit.
status 0 merge hdr/host0.hlog --format csv
short=$(awk -F, '$1 == "lat_p50" && $2 == "read" { print $4; exit }' out)
status 0 merge hdr/host0.hlog --hdr-unit us --format csv
long=$(awk -F, '$1 == "lat_p50" && $2 == "read" { print $4; exit }' out)
awk -v a="$short" -v b="$long" 'BEGIN { exit !(b > 990 * a && b < 1010 * a) }' || fault "--hdr-unit us: $long for $short"
finish
