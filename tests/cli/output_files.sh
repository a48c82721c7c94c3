#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Existing files are never replaced: by --metrics, in the folders of sweep and accept, or by any other option that names a
# file or a folder. Links and the files they lead to are not replaced, either.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# kept NAME...: each file still has its original words.
kept() {
    for kept_file in "$@"; do
        [ "$(cat "$kept_file")" = mine ] || fault "$kept_file is no longer what it was"
    done
}
fresh() {
    rm -rf folder mine link dangling fifo
    mkdir folder
    echo mine >mine
    ln -s mine link
    ln -s nowhere dangling
    mkfifo fifo
}
run_null="run null:64m --ioengine null --runtime 0.3s --overhead 0"

# ---- --metrics ----

fresh
for name in mine link dangling fifo /dev/null folder; do
    # shellcheck disable=SC2086 # words
    refused 2 "is not cupel's own and is not overwritten" $run_null --metrics "$name"
done
kept mine link
{ [ -L link ] && [ -L dangling ] && [ -p fifo ]; } || fault 'a link or a FIFO was replaced by --metrics'
# A file that cupel made is replaced, by the same session and by the next one, and no temporary file remains.
# shellcheck disable=SC2086 # words
status 0 $run_null --metrics own.prom
grep -q '^# HELP cupel_' own.prom || fault 'there are no metrics'
echo 'cupel_old 1' >>own.prom
# shellcheck disable=SC2086 # words
status 0 $run_null --metrics own.prom
! grep -q cupel_old own.prom || fault 'the metrics are those of before'
[ "$(find . -name '*.tmp*')" = '' ] || fault "left over: $(find . -name '*.tmp*')"

# ---- sweep -o DIR --resume ----

printf 'exec: echo %%n%%\nfactor n: 1 2\nrepeats: 1\n' >plan
for name in sweep.txt runs.csv plan.txt report.html; do
    fresh
    echo mine >"folder/$name"
    refused 2 'exists already and is not overwritten' sweep plan -o folder --resume
    kept "folder/$name"
    [ "$(ls folder)" = "$name" ] || fault "sweep put files into a folder of others: $(ls folder)"
done
for name in mine link fifo; do
    fresh
    mv "$name" folder/sweep.log
    echo mine >folder/mine
    status 2 sweep plan -o folder --resume
    [ -p folder/sweep.log ] || kept folder/sweep.log
    kept folder/mine
done
# An empty sweep.log, and a plan that cupel did not write.
fresh
: >folder/sweep.log
echo mine >folder/plan.txt
status 2 sweep plan -o folder --resume
kept folder/plan.txt
# The state after a kill at the first steps is resumed: an empty folder, an empty log, a log and the plan.
fresh
status 0 sweep plan -o folder --resume
cp folder/plan.txt canonical
fresh
: >folder/sweep.log
status 0 sweep plan -o folder --resume
fresh
: >folder/sweep.log
cp canonical folder/plan.txt
status 0 sweep plan -o folder --resume
# cupel's own reports are written anew, but not through a link.
status 0 sweep plan -o folder --resume
ln -sf ../mine folder/sweep.txt
status 2 sweep plan -o folder --resume
kept mine

# ---- accept -o EXISTING ----

truncate -s 64m image
for name in accept.txt accept.html accept.json notes; do
    fresh
    echo mine >"folder/$name"
    status 2 accept "$PWD/image" -o folder --destroy
    kept "folder/$name"
done
fresh
mv mine folder/accept.state
status 2 accept --resume folder --destroy
kept folder/accept.state
status 2 accept "$PWD/image" -o folder --destroy
kept folder/accept.state

# ---- every other option ----

# shellcheck disable=SC2086 # words
status 0 $run_null -o kept
echo 1 >numbers
for name in mine link dangling fifo; do
    fresh
    # shellcheck disable=SC2086 # words
    status 2 $run_null -o "$name"
    status 2 report kept -o "$name"
    status 2 merge kept -o "$name"
    status 2 merge kept --write "fio-json:$name"
    status 2 probe --capture "$name"
    longer '2 6' record -o "$name" -- true # 6: in a container nothing is recorded
    status 2 qualify --write-expect "$name"
    status 2 exec --rounds 2 -o "$name" -- true
    status 2 compare kept kept -o "$name"
    kept mine
    { [ -L link ] && [ -L dangling ] && [ -p fifo ]; } || fault "$name: a link or a FIFO was replaced"
    [ ! -e nowhere ] || fault "$name: something was made through a dangling link"
    rm -f nowhere
done

finish
