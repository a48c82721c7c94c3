/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets up what a worker needs before its first round, in the thread that runs it: the priority of
   its I/O, and its backend. */
#include <errno.h>
#include <linux/ioprio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "run/loop/internal.h"
#include "source/priority.h"

static int set(uint16_t value, struct err *e)
{
    char words[PRIORITY_WORDS];
    if (!syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, (int)value))
        return 0;
    priority_words(value, words);
    if (errno == EPERM)
        return err_set(e, ERR_MACHINE,
                       "priority %s is not permitted: the class rt needs root or CAP_SYS_NICE",
                       words);
    return err_set(e, ERR_MACHINE, "this kernel does not take priority %s: %s", words,
                   strerror(errno));
}

/* Returns the priority that ionice gave this program, or the one that the kernel derives from its
   nice value (-20 to 19). */
static uint16_t ordinary(void)
{
    const long given = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    if (given >= 0 && priority_class_of((uint16_t)given))
        return (uint16_t)given;
    const int nice = getpriority(PRIO_PROCESS, 0);
    return priority_value(PRIORITY_BE, (unsigned)(nice + 20) / 5, 0);
}

int io_priority_begin(uint16_t own, const uint16_t values[], unsigned n, struct err *e)
{
    struct err ignored;
    /* the present priority, which is read before others are tried */
    const uint16_t usual = ordinary();
    for (unsigned i = 0; i < n; i++)
        if (values[i] && set(values[i], e))
            return -1;
    if (own)
        return set(own, e);
    /* errors are ignored, because setting the priority may be forbidden, which is harmless if no
       priorities are used */
    set(usual, &ignored);
    return 0;
}

bool worker_open(struct worker *w)
{
    if (io_priority_begin(w->priority, w->kind_priorities, w->kind_count, &w->error) ||
        w->ops->open(&w->backend, &w->setup, &w->error))
        return false;
    /* forgets the error of an attempt after which the backend found another way */
    w->error = (struct err){0};
    return true;
}

void worker_wait(struct worker *w)
{
    while (sem_wait(&w->finished) && errno == EINTR)
        ;
}
