/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that end together: the thread that writes this rank's file and reads the files of the other
   ranks. */
#include "run/launch/rank_gathering.h"

#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "run/launch/internal.h"

#define KIND "enough"
/* First words of the file. After them come the random number, the number of earlier writes, and 1
   if the rank has measured enough, otherwise 0. */
#define ENOUGH_MARK CUPEL_MARK " enough"

#define STACK ((size_t)128 << 10)
/* A rank is lost if its file has not changed for LOST_SECONDS plus LOST_PAUSES pauses. */
#define LOST_SECONDS 15.0
#define LOST_PAUSES  5
/* If there are more ranks than this, a rank reads the files of the others only after it has
   measured enough itself. */
#define LOOK_ALWAYS_RANKS 64
/* After all ranks have measured enough, a rank keeps its file for this many pauses, so that the
   others see it. */
#define STAY_PAUSES 4
/* Interval at which a pausing thread checks whether it must continue. */
#define STEP_NS 50000000
/* A thread that does not end within this time is waiting for a file server; it is not waited for
   any longer. */
#define END_SECONDS 5

struct other_end {
    /* number in the rank's file that identifies its start; 0: the rank is not waited for */
    uint64_t nonce;
    uint64_t count, changed_ns;
    bool seen, has_enough, ended;
    atomic_bool lost;
};

struct common_end {
    /* copy of the gathering through which the ranks began, with `others` NULL */
    struct gathering folder;
    uint64_t pause_ns, lost_ns, opened_ns, written;
    pthread_t thread;
    sem_t finished;
    atomic_bool enough, all, quit;
    struct other_end others[]; /* index: rank */
};

static void write_own(struct common_end *end, bool enough)
{
    char name[FILE_NAME], text[FILE_BYTES];
    struct err ignored; /* if the write fails, the other ranks treat this rank as lost */
    gathering_name_file(&end->folder, KIND, end->folder.launcher.rank, name);
    int length = snprintf(text, sizeof text, ENOUGH_MARK " %" PRIu64 " %" PRIu64 " %d\n",
                          end->folder.nonce, end->written++, enough);
    (void)gathering_put_file(&end->folder, name, text, (size_t)length, &ignored);
}

/* Reads the file of another rank. Returns true if this rank need not wait for that rank. */
static bool look_at(struct common_end *end, uint32_t rank)
{
    struct other_end *o = &end->others[rank];
    enum { NONCE, COUNT, ENOUGH, NUMBERS };
    uint64_t v[NUMBERS] = {0};
    if (!o->nonce || o->has_enough || o->ended || rank == end->folder.launcher.rank)
        return true;
    char *text = gathering_read_text(&end->folder, KIND, rank, FILE_BYTES);
    const bool is_there =
        text && gathering_numbers_after(text, ENOUGH_MARK, v, NUMBERS) && v[NONCE] == o->nonce;
    free(text);
    const uint64_t now = clock_raw_ns();
    if (is_there && (!o->seen || v[COUNT] != o->count))
        o->changed_ns = now;
    o->ended = o->seen && !is_there;
    o->seen |= is_there;
    o->count = v[COUNT];
    o->has_enough = is_there && v[ENOUGH];
    const uint64_t since = o->changed_ns ? o->changed_ns : end->opened_ns;
    const bool lost = !o->has_enough && !o->ended && now - since > end->lost_ns;
    atomic_store(&o->lost, lost);
    return o->has_enough || o->ended || lost;
}

static bool look_at_all(struct common_end *end)
{
    bool all = true;
    for (uint32_t rank = 0; rank < end->folder.launcher.size; rank++)
        all &= look_at(end, rank);
    return all;
}

static void *write_and_look(void *argument)
{
    struct common_end *end = argument;
    const bool always = end->folder.launcher.size <= LOOK_ALWAYS_RANKS;
    unsigned stayed = 0;
    while (!atomic_load(&end->quit) || (atomic_load(&end->all) && stayed++ < STAY_PAUSES)) {
        const bool enough = atomic_load(&end->enough);
        write_own(end, enough);
        if ((always || enough) && look_at_all(end) && enough)
            atomic_store(&end->all, true);
        for (uint64_t slept = 0; slept < end->pause_ns && enough == atomic_load(&end->enough) &&
                                 (!atomic_load(&end->quit) || atomic_load(&end->all));
             slept += STEP_NS)
            nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
    }
    gathering_remove_file(&end->folder, KIND, end->folder.launcher.rank);
    sem_post(&end->finished);
    return NULL;
}

struct common_end *common_end_open(const struct gathering *gathering)
{
    const uint32_t size = gathering->launcher.size, own = gathering->launcher.rank;
    const double pause = gathering_pause_seconds(&gathering->launcher);
    if (!gathering->others[own].listed || gathering->others[own].listed_nonce != gathering->nonce)
        return NULL;
    struct common_end *end = calloc(1, sizeof *end + size * sizeof *end->others);
    if (!end)
        return NULL;
    end->folder = *gathering;
    end->folder.others = NULL;
    end->pause_ns = (uint64_t)(pause * 1e9);
    end->lost_ns = (uint64_t)((LOST_SECONDS + LOST_PAUSES * pause) * 1e9);
    end->opened_ns = clock_raw_ns();
    for (uint32_t rank = 0; rank < size; rank++)
        if (gathering->others[rank].listed)
            end->others[rank].nonce = gathering->others[rank].listed_nonce;
    sem_init(&end->finished, 0, 0);
    if (!thread_start(&end->thread, STACK, write_and_look, end))
        return end;
    free(end);
    return NULL;
}

bool common_end_reached(struct common_end *end)
{
    if (!end)
        return true;
    atomic_store(&end->enough, true);
    return atomic_load(&end->all);
}

char *common_end_lost(struct common_end *end, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (uint32_t rank = 0; end && rank < end->folder.launcher.size && used + 16 < size; rank++)
        if (atomic_load(&end->others[rank].lost))
            used += (size_t)snprintf(to + used, size - used, "%s%" PRIu32, used ? ", " : "", rank);
    return to;
}

void common_end_close(struct common_end *end)
{
    struct timespec until;
    if (!end)
        return;
    atomic_store(&end->quit, true);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_SECONDS;
    int status;
    while ((status = sem_timedwait(&end->finished, &until)) && errno == EINTR)
        ;
    if (status) {
        /* the thread may still run, so the memory that it uses is not freed */
        pthread_detach(end->thread);
        return;
    }
    pthread_join(end->thread, NULL);
    sem_destroy(&end->finished);
    free(end);
}
