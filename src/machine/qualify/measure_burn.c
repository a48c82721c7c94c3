/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the memory of the machine that is qualified, and names where it failed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "machine/memory/burn.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure.h"
#include "machine/qualify/qualify.h"

/* "node 1, address 0x12345678 of the machine, 0x1 in place of 0x0 (walking one)" */
static void describe(const struct memory_error *m, char *to, size_t size)
{
    size_t used = 0;
    if (m->node >= 0)
        used += (size_t)snprintf(to, size, "node %d, ", m->node);
    if (m->physical)
        used += (size_t)snprintf(to + used, size - used, "address 0x%" PRIx64 ", ", m->physical);
    snprintf(to + used, size - used, "0x%016" PRIx64 " in place of 0x%016" PRIx64 " (%s)", m->found,
             m->expected, m->pattern);
}

void judge_burn(struct qualification *q, const struct memory_burn *burn)
{
    char found[120], bytes[UNITS_BUFFER], words[160];
    format_size(bytes, sizeof bytes, (double)burn->bytes);
    snprintf(found, sizeof found, "%" PRIu64 " error%s in %s, %" PRIu64 " whole pass%s",
             burn->error_count, burn->error_count == 1 ? "" : "s", bytes, burn->passes,
             burn->passes == 1 ? "" : "es");
    for (size_t i = 0; i < burn->kept; i++) {
        describe(&burn->errors[i], words, sizeof words);
        note_check(q, -1, GRADE_FAIL, "memory test", i ? "" : found, "%s%s%s", words,
                   burn->modules[0] ? "; new errors of " : "", burn->modules);
    }
    if (burn->kept)
        return;
    if (burn->modules[0])
        note_check(q, -1, GRADE_WARN, "memory test", found,
                   "the kernel counted errors of %s that were corrected", burn->modules);
    else if (!burn->passes)
        note_check(q, -1, GRADE_UNDECIDED, "memory test", found,
                   "not decided: not all patterns were written once%s",
                   burn->stopped ? ", for it was stopped" : "; a longer --burn does it");
    else
        note_check(q, -1, GRADE_PASS, "memory test", found, "%s", "");
}

void measure_burn(struct qualification *q, const struct qualify_request *request)
{
    const struct memory_burn_request burn = {
        .seconds = request->burn_seconds, .root = "", .stop = request->stop};
    struct memory_burn result;
    struct err why = {0};
    if (request->stage)
        request->stage(request->context, "memory: patterns over all that is free");
    if (memory_burn(&burn, &result, &why))
        note_check(q, -1, GRADE_UNDECIDED, "memory test", "not made", "%.180s", why.msg);
    else
        judge_burn(q, &result);
    q->interrupted |= *request->stop != 0;
}
