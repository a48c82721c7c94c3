# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for tests of pages in a browser, which source this file with `.`.
BROWSER=$(cd "$(dirname "$0")/browser" && pwd)
FIXTURES=$(cd "$(dirname "$0")/../fixtures" && pwd)
# shellcheck disable=SC2034 # for tests
GOLDEN=$(cd "$(dirname "$0")/../golden" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"
export PYTHONDONTWRITEBYTECODE=1

[ "${CUPEL_BROWSER:-yes}" != no ] || skip 'CUPEL_BROWSER=no'
for tool in chromium python3; do
    command -v $tool >/dev/null || skip "there is no $tool: ./build.sh test installs it where it can"
done

# browse SCRIPT ARGUMENT...: runs a script of tests/e2e/browser in a new browser.
browse() {
    looked=$1
    shift
    timeout -s KILL 100 python3 "$BROWSER/$looked" "$@" >browse.out 2>&1 || fault "$looked $*: $(tail -n 60 browse.out)"
}

# fixture NAME: unpacks the file from tests/fixtures/pages. run.cupel was recorded by
#   cupel run --ioengine null --null-script '2.5s@const:600us+exp:200us;9s@const:280us+exp:60us+spike:5ms,0.002' --rw randrw \
#       --rwmixread 70 --runtime 8s --seed 7 --sysroot server --sla 'read.p99<6ms,iops>100' --label ticket=OPS-17 \
#       --label who=someone --interval 200ms -o kept
# where server is tests/fixtures/machines/server.tree, unpacked.
fixture() {
    gzip -dc "$FIXTURES/pages/$1.gz" >"$1"
}
