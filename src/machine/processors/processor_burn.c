/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets all processors compute the same again and again, and finds those whose results differ. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "machine/processors/internal.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"

struct burner {
    pthread_t thread;
    int cpu;
    uint64_t end; /* ns */
    const volatile sig_atomic_t *stop;
    load_function *piece;
    double first; /* result of this processor's first computation */
    uint64_t pieces, wrong;
};

/* Returns true if the numbers differ, or if one of them is not a number. */
static bool differs(double a, double b)
{
    return !(a <= b && a >= b);
}

static void *compute(void *argument)
{
    struct burner *b = argument;
    bool realtime;
    char note[80];
    double sum;
    placement_apply(b->cpu, false, &realtime, note, sizeof note);
    b->piece(&b->first);
    b->pieces = 1;
    while (clock_raw_ns() < b->end && !*b->stop) {
        b->piece(&sum);
        b->pieces++;
        b->wrong += differs(sum, b->first);
    }
    return NULL;
}

/* Returns the result that most processors had in their first computation. */
static double usual_of(const struct burner burners[], size_t count)
{
    size_t most = 0;
    double usual = burners[0].first;
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += !differs(burners[i].first, burners[k].first);
        if (same > most) {
            most = same;
            usual = burners[i].first;
        }
    }
    return usual;
}

static void count_faults(const struct burner burners[], size_t count, struct processor_burn *result)
{
    const double usual = usual_of(burners, count);
    for (size_t i = 0; i < count; i++) {
        const struct burner *b = &burners[i];
        const uint64_t wrong =
            /* `wrong` counts the results that differ from the first; if the first is wrong, so are
               those equal to it */
            differs(b->first, usual) ? b->pieces - b->wrong : b->wrong;
        result->pieces += b->pieces;
        result->wrong += wrong;
        if (wrong && result->kept < PROCESSOR_FAULTS_KEPT)
            result->cpus[result->kept++] = b->cpu;
    }
}

int processor_burn_with(load_function *piece, double seconds, const volatile sig_atomic_t *stop,
                        struct processor_burn *result, struct err *e)
{
    struct spread_processor *processors = calloc(PROCESSORS_MEASURED_MAX, sizeof *processors);
    struct burner *burners = calloc(PROCESSORS_MEASURED_MAX, sizeof *burners);
    size_t started = 0, count = 0;
    int error = 0, status = 0;
    *result = (struct processor_burn){0};
    if (!processors || !burners)
        status = err_no_memory(e, "the threads that test processors");
    else if (!(count = numa_processors("", processors, PROCESSORS_MEASURED_MAX)))
        status = err_set(e, ERR_MACHINE, "the processors of this process are not known");
    for (; started < count && !error; started += !error) {
        burners[started] = (struct burner){.cpu = processors[started].cpu,
                                           .end = clock_raw_ns() + (uint64_t)(seconds * 1e9),
                                           .stop = stop,
                                           .piece = piece};
        error = thread_start(&burners[started].thread, 0, compute, &burners[started]);
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(burners[i].thread, NULL);
    if (error)
        status = err_set(e, ERR_MACHINE, "a thread that tests processors cannot be started: %s",
                         strerror(error));
    else if (!status && burners)
        count_faults(burners, count, result);
    free(processors);
    free(burners);
    return status;
}

int processor_burn(double seconds, const volatile sig_atomic_t *stop, struct processor_burn *result,
                   struct err *e)
{
    return processor_burn_with(load_piece, seconds, stop, result, e);
}
