#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Names of files, labels and hosts that contain markup appear as text on a page, and no script in them runs.
# shellcheck source=/dev/null
. "$(dirname "$0")/browser/lib.sh"

image='<img src=x onerror=alert(1)>'
script='</script><script>alert(2)</script>'
quotes="\"'><svg/onload=alert(3)>&lt;b&gt;\\u003cb"
mkdir -p "$(dirname "$script")"
dd if=/dev/urandom of="$script" bs=64k count=16 2>/dev/null
host=''
! unshare -ru hostname "$image" 2>/dev/null || host=$image
run() {
    # shellcheck disable=SC2016 # the inner shell's
    ${host:+unshare -ru sh -c 'hostname "$0" && exec "$@"' "$host"} "$CUPEL" run "$script" --runtime 1s --overhead 0 \
        --label "image=$image" --label "quotes=$quotes" -o kept >out 2>err </dev/null || fault "no run: $(cat err)"
}
run
status 0 report kept --format html
mv out run.html
browse hostile.py run.html "$image" "$script" "$quotes" "$host"
cmp -s run.html kept/report.html || fault 'the page of the run is another'
browse hostile.py kept/report.html "$script"
# Several targets: files of one disk, whose names appear in the graph of shared parts.
mkdir both
mv "$script" both/one
cp both/one "both/$image"
longer '0 5' run both/one "both/$image" --runtime 1s --overhead 0 -o several
browse hostile.py several/report.html "$image" one
finish
