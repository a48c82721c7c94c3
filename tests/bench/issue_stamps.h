/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The true instants at which another program issues its reads of 4 KiB: preload/stamp_issues.so,
 * loaded into it, reads the cycle counter when io_submit or pread is called and writes it here, in
 * memory that both programs map. That costs some 20 ns a read.
 *
 * With virtual time, the thread that issues meets a clock (clock_gettime) that moves when that
 * thread sleeps, and hardly otherwise: it issues everything when it meant to, whatever else runs on
 * the machine, and is done at once.
 *
 * The descriptor of the memory is inherited; its number stands in the environment.
 */
#ifndef TESTS_BENCH_ISSUE_STAMPS_H
#define TESTS_BENCH_ISSUE_STAMPS_H

#include <stdint.h>

#define ISSUE_STAMPS_VARIABLE "CUPEL_ISSUE_STAMPS"
#define ISSUE_STAMPS_MAX      ((uint64_t)1 << 21)
#define ISSUE_BLOCK           4096 /* only reads of this length are meant */

struct issue_stamps {
    uint64_t count;        /* of calls; beyond ISSUE_STAMPS_MAX they are not kept */
    uint32_t null;         /* pread reads nothing and is done at once */
    uint32_t virtual_time; /* stamps are ns of the virtual clock, not ticks of the counter */
    uint64_t stamp[ISSUE_STAMPS_MAX];
};

#endif
