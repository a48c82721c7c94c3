#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernel's log during a run: an I/O error of a loop device whose file was shortened is reported as the kernel's, with a
# warning. A line about the same device that a program wrote is shown as such, without a warning. In cupel accept the error is
# a finding.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs dd dmesg

{ [ -r /dev/kmsg ] && [ -w /dev/kmsg ]; } || skip 'no permission to read and write /dev/kmsg'
dd if=/dev/kmsg bs=8192 count=1 iflag=nonblock status=none >/dev/null 2>err || skip "/dev/kmsg cannot be read here: $(cat err)"

# since MARK: prints the kernel's log after that line. The kernel logs at most ten such errors in five seconds, of all devices
# together, so the test must check whether it logged one.
since() {
    dmesg | sed "1,/$1/d"
}

head -c 67108864 /dev/urandom >disk
attach disk
name=${LOOP#/dev/}
(
    sleep 2
    echo "<3>$name: I/O error by cupel's test $$" >/dev/kmsg
    truncate -s 67104768 disk
) &
longer '0 5' run "$LOOP" --runtime 5s --iodepth 8 -o out.d --full
wait
head -n 1 out.d/kernel_log.csv | grep -q '^time_s,within_s,last_s,count,kind,severity,of_target,by_program,text$' ||
    fault "other columns: $(head -n 1 out.d/kernel_log.csv)"
grep -q ",error,1,1,$name: I/O error by cupel's test $$" out.d/kernel_log.csv ||
    fault "the program's line is not there: $(cat out.d/kernel_log.csv)"
grep 'Warning:' out.d/report.txt | grep -q "by cupel's test" && fault 'a line of a program is a warning'
if since "by cupel's test $$" | grep -q "I/O error, dev $name,"; then
    grep -q "I/O error,error,1,0,.*dev $name," out.d/kernel_log.csv || fault "the kernel's line is not there: $(cat out.d/kernel_log.csv)"
    grep -q "kernel's log has" out.d/report.txt || fault 'no warning of the kernel'"'"'s line'
    warned=yes
else
    warned=''
fi
status 0 report out.d --format json
holds out '"kernel_log": {'

# A drive that has lost its end and is read back.
sleep 6 # the kernel logs at most ten errors in five seconds
status 0 accept "$LOOP" --destroy -o state
echo "<6>$name: read back by cupel's test $$" >/dev/kmsg
truncate -s 33554432 disk
status 4 accept "$LOOP" --verify -o state
if since "read back by cupel's test $$" | grep -q "I/O error, dev $name,"; then
    tr -s ' \n' '  ' <out | grep -q "the kernel's log has .* about the target" || fault "no finding of the kernel's lines: $(cat out)"
elif [ -z "$warned" ]; then
    skip 'the kernel wrote no error of a loop device whose file became shorter'
fi
finish
