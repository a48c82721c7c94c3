/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests processors and memory of the machine that is qualified, and names where they failed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "machine/memory/memory_burn.h"
#include "machine/processors/processors.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "machine/qualify/qualify.h"

#define PROCESSOR_SHARE 0.25 /* share of the time for the processors, tested first */

/* Writes "node 1, address 0x12345678 of the machine, 0x1 in place of 0x0 (walking one)". */
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

/* ---- processors, power and heat ---- */

void judge_processor_burn(struct qualification *q, const struct processor_burn *burn)
{
    char found[120], words[120] = "";
    size_t used = 0;
    snprintf(found, sizeof found, "%" PRIu64 " of %" PRIu64 " results wrong", burn->wrong,
             burn->pieces);
    for (size_t i = 0; i < burn->kept && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%scpu%d", i ? ", " : "",
                                 burn->cpus[i]);
    note_check(q, -1, burn->wrong ? GRADE_FAIL : GRADE_PASS, "processor test", found, "%s", words);
}

/* Reports power and temperatures, which are not judged; the processor's throttling is judged. */
void judge_burn_heat(struct qualification *q)
{
    const struct heat_history *h = &q->burn;
    char found[120] = "not known";
    double low = NAN, high = NAN;
    size_t used = 0;
    for (size_t i = 0; i < h->count; i++) {
        low = fmin(low, h->samples[i].watts);
        high = fmax(high, h->samples[i].watts);
    }
    if (!isnan(high))
        used = (size_t)snprintf(found, sizeof found, "%.0f W (%.0f to %.0f)", h->watts, low, high);
    if (!isnan(high) && !isnan(h->watts_limit))
        used += (size_t)snprintf(found + used, sizeof found - used, " of %.0f W", h->watts_limit);
    if (!isnan(h->celsius))
        snprintf(found + used, sizeof found - used, "%s%.0f C at most", used ? ", " : "",
                 h->celsius);
    if (h->by_heat)
        note_check(q, -1, GRADE_WARN, "processor heat", found,
                   "throttled by heat while it was tested, %" PRIu64 " events", h->by_heat);
    else
        note_check(q, -1, h->counts ? GRADE_PASS : GRADE_NONE, "processor heat", found, "%s%s",
                   h->counts ? "not throttled by heat" : "the kernel counts no throttling here",
                   h->energy_denied ? "; only root may read the power" : "");
}

static void burn_processors(struct qualification *q, const struct qualify_request *request)
{
    struct processor_burn result;
    struct err why = {0};
    if (request->stage)
        request->stage(request->context, "processors: the same computation on all");
    if (processor_burn(request->burn_seconds * PROCESSOR_SHARE, request->stop, &result, &why))
        note_check(q, -1, GRADE_UNDECIDED, "processor test", "not made", "%.180s", why.msg);
    else
        judge_processor_burn(q, &result);
}

static void burn_memory(struct qualification *q, const struct qualify_request *request)
{
    const struct memory_burn_request burn = {.seconds =
                                                 request->burn_seconds * (1 - PROCESSOR_SHARE),
                                             .root = "",
                                             .stop = request->stop};
    struct memory_burn result;
    struct err why = {0};
    if (request->stage)
        request->stage(request->context, "memory: patterns over all that is free");
    if (memory_burn(&burn, &result, &why))
        note_check(q, -1, GRADE_UNDECIDED, "memory test", "not made", "%.180s", why.msg);
    else
        judge_burn(q, &result);
}

void measure_burn(struct qualification *q, const struct qualify_request *request)
{
    struct heat_watch *watch = heat_watch_begin("", &q->burn);
    burn_processors(q, request);
    if (!*request->stop)
        burn_memory(q, request);
    heat_watch_end(watch);
    judge_burn_heat(q);
    q->interrupted |= *request->stop != 0;
}
