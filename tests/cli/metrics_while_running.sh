#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run --metrics during the measurement: the file appears during the run, is complete whenever it is read, and its counters
# only grow. Labels with any text are in it. prometheus-client's parser checks the format where it is installed.
# Slow: runs for six seconds.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
command -v python3 >/dev/null || {
    echo 'there is no python3'
    exit 77
}
# Debian installs the package for /usr/bin/python3, which may not be the first python3 in PATH.
python=python3
for candidate in python3 /usr/bin/python3; do
    $candidate -c 'import prometheus_client' 2>/dev/null && python=$candidate
done

who='Ä "x" \n </script> }'
"$CUPEL" run --ioengine null --null-script const:100us --rw randrw --size 64m --runtime 6s --realtime 0 --overhead 0 \
    --monitor-cost 0 --label "who=$who" --label ticket=4711 --metrics now.prom >out 2>err </dev/null &
run=$!
looks=0
while kill -0 $run 2>/dev/null; do
    if [ -e now.prom ] && ! cmp -s now.prom last.prom; then
        looks=$((looks + 1))
        cp now.prom look.$looks
        cp now.prom last.prom
    fi
    sleep 0.1
done
wait $run || fault "the run: $(cat err)"
[ "$(find . -name '*prom*' ! -name now.prom ! -name last.prom | wc -l)" -eq 0 ] || fault 'something is left beside the file'
[ $looks -ge 3 ] || fault "the file was seen in $looks states in six seconds"

$python - "$who" look.* <<'PYTHON' || fault 'the file while it runs'
import re, sys
try:
    from prometheus_client.parser import text_string_to_metric_families as families
except ImportError:
    print("without prometheus-client's parser")
    families = None
who, files = sys.argv[1], sorted(sys.argv[2:], key=lambda name: int(name.split(".")[1]))
last = {}
for number, name in enumerate(files):
    text = open(name, encoding="utf-8").read()
    assert text.endswith("\n"), name
    escaped = who.replace("\\", "\\\\").replace('"', '\\"')
    assert 'cupel_label_info{key="who",value="%s"} 1\n' % escaped in text, text[-600:]
    assert 'cupel_label_info{key="ticket",value="4711"} 1\n' in text
    now = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            key, value = line.rsplit(" ", 1)
            assert key not in now, "twice: " + key
            now[key] = float(value)
    # At the end the histogram is of the stable segment, and the counters of all.
    final = any(key.startswith("cupel_result{") for key in now)
    assert final == (number == len(files) - 1) or not final, name
    for key, value in last.items():
        if re.match("cupel_io_(bytes_|errors_)?total", key) or (key.startswith("cupel_io_latency") and not final):
            assert now.get(key, -1) >= value * (1 - 1e-6), (name, key, value, now.get(key))
    assert now['cupel_io_total{op="read"}'] > 0 and now['cupel_io_latency_seconds_count{op="read"}'] > 0, name
    bucket = lambda le: now['cupel_io_latency_seconds_bucket{op="read",le="%s"}' % le]
    assert bucket("+Inf") == now['cupel_io_latency_seconds_count{op="read"}'] >= bucket("3.2768e-05"), name
    last = now
    if families:
        found = {f.name: f for f in families(text)}
        assert found["cupel_io_latency_seconds"].type == "histogram" and found["cupel_io"].type == "counter", list(found)
        said = {s.labels["key"]: s.labels["value"] for s in found["cupel_label_info"].samples}
        assert said == {"who": who, "ticket": "4711"}, said
PYTHON

# After a signal the file contains the result as well, and no process remains.
"$CUPEL" run --ioengine null --null-script const:100us --runtime 60s --realtime 0 --overhead 0 --metrics cut.prom >out 2>err </dev/null &
run=$!
for _ in $(seq 100); do
    grep -qs '^cupel_io_latency_seconds_count' cut.prom && break
    sleep .1
done
sleep 1
kill -INT $run
wait $run
[ $? -eq 5 ] || fault "an interrupted run: $(cat err)"
grep -q '^cupel_result{metric="iops"' cut.prom || fault 'an interrupted run has no result in its file'
finish
