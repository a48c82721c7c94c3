#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --format fio-json has the members of fio's JSON+ that other programs read, with fio's types. fio's own converter and cupel
# merge read the same latencies from it.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}

dd if=/dev/urandom of=data bs=64k count=64 2>/dev/null
for rw in randread write randrw; do
    status 0 run data --overwrite --rw $rw --bs 8k --iodepth 4 --numjobs 2 --runtime 400ms --monitor-cost 0 --format fio-json -o $rw
    cp out $rw.json
    status 0 report $rw/record.cupel --format fio-json
    cmp -s out $rw.json || fault "$rw: the record's is another"
    status 0 report $rw/record.cupel --format csv
    grep ',' out | grep '^lat_p' | cut -d, -f1,2,4 >of_run
    status 0 merge $rw.json --format csv
    grep '^lat_p' out | cut -d, -f1,2,4 >of_merge
    cmp -s of_run of_merge || fault "$rw: cupel merge reads other percentiles"
    [ -s of_run ] || fault "$rw: there are no percentiles"
done

# The members that fio-plot requires: it accepts a file as fio's only if all are there.
cat >asks.py <<'END'
import json, sys
for rw in ("randread", "write", "randrw"):
    record = json.load(open(rw + ".json"))
    assert record["fio version"] and isinstance(record["global options"], dict)
    for job in record["jobs"]:
        assert job["jobname"] != "All clients"
        options = job["job options"]
        assert options["rw"] == rw and options["bs"] == "8192"
        assert int(options["iodepth"]) == 4 and int(options["numjobs"]) == 2
        assert all(isinstance(value, str) for value in options.values())
        for mode in ("read", "write"):
            used = mode == rw or rw == "randrw" or rw == "rand" + mode
            data = job[mode]
            for key in ("bw", "iops", "total_ios", "io_bytes", "runtime"):
                assert (data[key] > 0) == used, (rw, mode, key, data[key])
            assert (data["iops_stddev"] > 0) == (data["bw_dev"] > 0) == used
            if used:
                for name, mean, value in (("iops", "iops_mean", "iops"), ("bw", "bw_mean", "bw")):
                    assert data[name + "_samples"] > 1 and data[name + "_min"] <= data[mean] <= data[name + "_max"] + 1
                    assert abs(data[mean] / data[value] - 1) < .1, (rw, mode, mean, data[mean], data[value])
            for key in ("mean", "stddev"):
                assert (data["lat_ns"][key] > 0) == used
                assert data["clat_ns"][key] == data["lat_ns"][key]
            assert ("bins" in data["clat_ns"]) == ("percentile" in data["clat_ns"]) == used
            if used:
                assert sum(data["clat_ns"]["bins"].values()) == data["clat_ns"]["N"] == data["total_ios"]
                assert abs(data["iops"] * data["runtime"] / 1000 / data["total_ios"] - 1) < .01
                assert abs(data["bw_bytes"] / data["iops"] / 8192 - 1) < .01
                assert abs(data["bw"] * 1024 - data["bw_bytes"]) <= 1024
        shares = 0
        for unit in ("ns", "us", "ms"):
            assert all(key == ">=2000" or int(key) > 0 for key in job["latency_" + unit])
            shares += sum(job["latency_" + unit].values())
        assert abs(shares - 100) < .001, shares
        assert job["usr_cpu"] == job["sys_cpu"] == 0 and isinstance(record["disk_util"], list)
END
python3 asks.py || fault 'what is asked for is not there'

# Every key that fio itself writes is there, with fio's type.
if command -v fio >/dev/null; then
    timeout -s KILL 40 fio --name=job --filename=data --size=4m --rw=randrw --bs=8k --ioengine=psync --time_based --runtime=1 \
        --output-format=json+ --output=real.json >/dev/null 2>&1
    [ ! -s real.json ] || python3 - <<'END' || fault 'fio has other keys or types'
import json
def kind(value):
    return "number" if isinstance(value, (int, float)) else type(value).__name__
def walk(fio, ours, path):
    assert kind(fio) == kind(ours), path
    if isinstance(fio, dict) and not path.endswith(("bins", "job options")):
        for key in fio:
            assert key in ours, path + "/" + key
            if key in ours:
                walk(fio[key], ours[key], path + "/" + key)
        assert all(key in fio or key == "global options" for key in ours), path
    elif isinstance(fio, list) and fio and ours:
        walk(fio[0], ours[0], path + "/0")
walk(json.load(open("real.json")), json.load(open("randrw.json")), "")
END
fi
if command -v fio_jsonplus_clat2csv >/dev/null && python3 -c 'import six' 2>/dev/null; then
    fio_jsonplus_clat2csv randrw.json plus.csv >plus || fault "fio's own program refuses it"
    fio_jsonplus_clat2csv randrw.json plus.csv --validate >plus || fault "fio's own program finds other bins"
fi

# A workload that fio has no word for, a name with characters that JSON must escape, and a command without such a result.
printf '[a"}\\]\nioengine=null\nrw=randread\nruntime=300ms\n' >name.fio
status 0 run name.fio --format fio-json
python3 -c 'import json; assert json.load(open("out"))["jobs"][0]["jobname"] == "a\"}\\"' || fault 'the name of a section'
# a busy machine may miss the rate
longer '0 5' run --ioengine null --profile file-server --rate_iops 1000 --runtime 300ms --format fio-json
python3 -c 'import json; assert "rw" not in json.load(open("out"))["jobs"][0]["job options"]' || fault 'a profile has no rw'
refused 2 'must be one of' analyze --format fio-json data
finish
