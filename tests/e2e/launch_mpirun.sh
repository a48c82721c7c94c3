#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One command line started by mpirun: Open MPI, with a rank that fails and one that is late; and MPICH.
# shellcheck source=/dev/null
. "$(dirname "$0")/launched"
: "${session:?}"
for mpirun in mpirun.openmpi mpirun; do
    "$mpirun" --version 2>/dev/null | grep -q 'Open MPI' && break
    mpirun=''
done
[ "$mpirun" ] || skip 'there is no mpirun of Open MPI (Debian: openmpi-bin)'
# As root, with more ranks than processors.
open="$mpirun --allow-run-as-root --oversubscribe"
unset OMPI_COMM_WORLD_RANK PMI_RANK

# shellcheck disable=SC2086
timeout -s KILL 60 $open -n 4 "$CUPEL" $session -o 'first/%h-%r' >out 2>err </dev/null ||
    fault "mpirun: exit status $?: $(cat err)"
one_line_each 4
for rank in 0 1 2 3; do
    kept first $rank 4 'Open MPI' no
done
began first 0 1 2 3

# Rank 1 fails: mpirun returns its exit status and ends the waiting ranks, whose records say so.
# shellcheck disable=SC2086
timeout -s KILL 60 $open -n 3 ./rank-of fails 1 $session --start-timeout 20s -o 'ended/%h-%r' >out 2>err </dev/null
got=$?
[ $got -eq 2 ] || fault "a rank that fails: exit status $got instead of 2: $(cat err)"
holds err 'rank 1 on '
for rank in 0 2; do
    limited report "$(echo ended/*-$rank)/record.cupel" >again 2>err
    got=$?
    [ $got -eq 5 ] || fault "rank $rank, which mpirun ended: report's exit status is $got: $(cat err)"
done

# With an option, mpirun lets the others continue, and returns 0.
# shellcheck disable=SC2086
timeout -s KILL 60 $open --mca orte_abort_on_non_zero_status 0 -n 3 ./rank-of fails 1 $session --start-timeout 2s \
    -o 'second/%h-%r' >out 2>err </dev/null || fault "a rank that fails: exit status $?: $(cat err)"
holds err 'rank 1 on '
one_line_each 2
for rank in 0 2; do
    kept second $rank 3 'Open MPI' no
    [ "$(setting "$(echo second/*-$rank)" 'not waited for')" = 'ranks 1' ] || fault "rank $rank does not name rank 1"
done
began second 0 2

# Rank 2 begins while the others measure.
# shellcheck disable=SC2086
timeout -s KILL 60 $open -n 3 ./rank-of sleeps 2 $session --start-timeout 2s -o 'third/%h-%r' >out 2>err </dev/null ||
    fault "a rank that is late: exit status $?: $(cat err)"
one_line_each 3
kept third 0 3 'Open MPI' no
kept third 1 3 'Open MPI' no
kept third 2 3 'Open MPI' yes
began third 0 1 2
holds "$(echo third/*-2)/report.txt" 'this rank is late'
[ -z "$(find meet -name 'ready*')" ] || fault "left in the folder: $(ls -A meet)"

# MPICH has its own environment variables for the rank and none for the job: files of earlier runs must not count.
if command -v mpirun.mpich >/dev/null; then
    # shellcheck disable=SC2086
    for name in fourth fifth; do
        timeout -s KILL 60 mpirun.mpich -n 2 "$CUPEL" $session -o "$name/%h-%r" >out 2>err </dev/null ||
            fault "mpirun of MPICH: exit status $?: $(cat err)"
        one_line_each 2
        kept $name 0 2 'MPICH, Hydra or Intel MPI' no
        kept $name 1 2 'MPICH, Hydra or Intel MPI' no
        began $name 0 1
    done
fi
finish
