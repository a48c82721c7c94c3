#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A fio command line is answered with the equivalent cupel command line, ready to be typed, or with the options that cupel
# cannot honour.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# answers LINE WORD...: the words are answered with this line, after comments on what cupel does differently.
answers() {
    line=$1
    shift
    refused 2 "fio's; cupel's is: $line" run "$@"
    [ "$(sed "/^# /d; s/.*cupel's is: //" err)" = "$line" ] || fault "more than the line: $(cat err)"
}

answers 'cupel run --rw=randread --bs=4096 --iodepth=1 --size=1073741824 --ioengine=uring --direct=1 --runtime=10s /data/f' \
    --name=x --filename=/data/f --rw=randread --bs=4k --size=1g --runtime=10 --time_based --ioengine=libaio --direct=1
holds err '# libaio: measured with io_uring, at the same depth'
holds err '# time_based: --runtime is exact'
answers 'cupel run --rw=read --bs=4096 --ioengine=sync --direct=0 /f && cupel run --rw=write --bs=4096 --ioengine=sync --direct=0 /f' \
    --filename=/f --io_size=1g --name=a --rw=read --name=b --stonewall --rw=write
[ "$(grep -c '^# io_size: ' err)" = 1 ] || fault "a note of both sections: $(cat err)"
answers 'cupel run --rw=randread --bs=4096 --numjobs=4 --ioengine=sync --direct=0 --format=fio-json --ci 5% -o keep /f >r.json' \
    --name x --filename /f --rw randread --bs 4k --numjobs=4 --group_reporting --output-format=json+ --output=r.json --ci 5% -o keep
answers "cupel run --rw=read --bs=4096 --ioengine=sync --direct=0 '/d/a b' && cupel run --rw=write --bs=4096 --ioengine=sync --direct=0 -- --destroy" \
    --readwrite=read --name=a '--filename=/d/a b' --name=b --stonewall --rw=write --filename=--destroy
# Options with a single dash, output formats, files and batches.
answers 'cupel run --rw=randread --bs=4096 --iodepth=128 --size=67108864 --ioengine=uring --direct=1 --runtime=10s /f' \
    -direct=1 -iodepth=128 -rw=randread -ioengine=libaio -bs=4k -size=64m -numjobs=1 -runtime=10 -group_reporting -name=t -filename=/f
answers 'cupel run --rw=read --bs=4096 --iodepth=4 --ioengine=uring --direct=0 --format=csv /a /b' \
    fio --name=t --filename=/a:/b --ioengine=libaio --iodepth=8 --minimal --readonly --eta-newline=1 --iodepth_batch_submit=8
answers 'cupel run --rw=read --bs=4096 --iodepth=8 --iodepth_batch_complete_min=4 --ioengine=uring --direct=0 /a' \
    --name=t --filename=/a --ioengine=libaio --iodepth=8 --iodepth_low=4 --output-format=normal
answers 'cupel run j.fio --section=a --format=csv >o' fio --section=a --minimal --eta=never --output=o j.fio
answers 'cupel run j.fio --format=fio-json' j.fio --output-format=json,normal --readonly
refused 2 '--filename is fio' run j.fio --filename=/x
refused 2 'cannot do all of it: [t] readonly: and rw says that it writes' run --name=t --readonly --rw=randrw
refused 2 'cannot do all of it: [a] verify_only: what is read back was written by the same call' run --name=a --verify_only=1
refused 2 'cannot do all of it: [a] ioengine=rbd' run --name=a --ioengine=rbd
refused 2 'cannot do all of it: bs is a size as 4096, 4k or 1g, not 4q' run --name=a --bs=4q
refused 2 'cannot do all of it: [NAME] is expected' run --name
# Without --name it is a cupel command line with a mistake: only the wrong option is explained.
refused 2 '--filename is fio' run --filename=/data/f --iodepth 4
refused 2 '--readwrite is fio' run --readwrite=read .

refused 2 '--ioengine libaio is fio' run . --ioengine=libaio
refused 2 '--ioengine mmap is fio' run . --ioengine=mmap
refused 2 'must be one of auto, sync' run . --ioengine=rbd

# cupel accepts the answer and runs it.
dd if=/dev/zero of=data bs=64k count=16 2>/dev/null
limited run --name=x --filename=data --rw=randread --runtime=1 --direct=0 --output-format=json --output=result.json 2>err
status=$(sed -n "s/.*cupel's is: cupel //p" err)
case $status in
'run '*' data >result.json') ;;
*) fault "it is not to be typed: $status" ;;
esac
# shellcheck disable=SC2086
eval limited ${status% >*} --monitor-cost 0 '>result.json' 2>err || fault "cupel $status: $(cat err)"
grep -q '"jobs"' result.json || fault 'no results of fio'
finish
