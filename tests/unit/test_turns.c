/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns of disks: which disks may measure at the same time, on which processors, and how long all
   take. */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "machine/accept/turns.h"

enum { DISKS = 9, GROUPS = 3, TESTS = 4 };

static struct turns turns;
static volatile sig_atomic_t stop;
static unsigned working[DISKS]; /* atomic: enum turn_work + 1 of a disk in the middle of it */
static unsigned faults, at_once_max;

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 3000000};
    nanosleep(&pause, NULL);
}

static bool is_at(size_t disk, enum turn_work work)
{
    return __atomic_load_n(&working[disk], __ATOMIC_SEQ_CST) == work + 1u;
}

static void be_at(size_t disk, unsigned work)
{
    __atomic_store_n(&working[disk], work, __ATOMIC_SEQ_CST);
}

/* Checks what must not happen while this disk measures. */
static void look_around(size_t disk)
{
    unsigned measure = 1;
    for (size_t i = 0; i < DISKS; i++) {
        const bool near = turns.disks[i].group == turns.disks[disk].group;
        const bool busy = is_at(i, TURN_WRITES) || is_at(i, TURN_MEASURES);
        if (i == disk)
            continue;
        measure += is_at(i, TURN_MEASURES);
        bool bad = turns.at_once == ACCEPT_APART && near && busy;
        bad |= turns.at_once == ACCEPT_ALL && is_at(i, TURN_WRITES);
        bad |= turns.at_once == ACCEPT_ONE && busy;
        for (size_t k = 0; k < PLAN_CPUS_MAX / 64 && turns.at_once == ACCEPT_APART; k++)
            bad |= is_at(i, TURN_MEASURES) && (turns.disks[i].cpus[k] & turns.disks[disk].cpus[k]);
        __atomic_fetch_add(&faults, bad, __ATOMIC_SEQ_CST);
    }
    unsigned most = __atomic_load_n(&at_once_max, __ATOMIC_SEQ_CST);
    while (measure > most && !__atomic_compare_exchange_n(&at_once_max, &most, measure, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

static void *work(void *number)
{
    const size_t disk = *(const size_t *)number;
    if (!turns_begin(&turns, disk, TURN_WRITES, &stop))
        return NULL;
    be_at(disk, TURN_WRITES + 1);
    rest();
    be_at(disk, 0);
    for (int test = 0; test < TESTS && disk != 4; test++) { /* that disk fails before its tests */
        if (!turns_begin(&turns, disk, TURN_MEASURES, &stop))
            break;
        be_at(disk, TURN_MEASURES + 1);
        rest();
        look_around(disk);
        be_at(disk, 0);
    }
    turns_end(&turns, disk);
    return NULL;
}

static void run_all(enum accept_at_once at_once)
{
    pthread_t threads[DISKS];
    char words[64];
    size_t numbers[DISKS];
    turns = (struct turns){.at_once = at_once, .count = DISKS, .workers = 1, .root = ""};
    for (unsigned i = 0; i < DISKS; i++)
        turns.disks[i] = (struct turn){.group = i % GROUPS, .node = -1};
    for (size_t i = 0; i < DISKS; i++)
        numbers[i] = i;
    turns_init(&turns);
    faults = at_once_max = 0;
    CHECK_STR(turns_words(&turns, words, sizeof words),
              at_once == ACCEPT_ONE ? "9 disks: 1 write, 8 wait" : "9 disks: 9 write");
    for (size_t i = 0; i < DISKS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    for (size_t i = 0; i < DISKS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(faults, 0);
    CHECK(at_once == ACCEPT_ALL || at_once_max <= (at_once == ACCEPT_ONE ? 1 : GROUPS));
    CHECK_STR(turns_words(&turns, words, sizeof words), "9 disks: 9 done");
    for (size_t i = 0; i < DISKS; i++)
        CHECK_INT(turns.disks[i].cpu_count, 0);
}

/* A waiting disk ends soon after a signal, and no disk keeps its turn. */
static void stopped(void)
{
    turns = (struct turns){.count = 2, .workers = 1, .root = ""};
    turns_init(&turns);
    stop = 1;
    CHECK(!turns_begin(&turns, 1, TURN_MEASURES, &stop)); /* disk 0 still writes */
    turns_end(&turns, 0);
    CHECK(turns_begin(&turns, 1, TURN_MEASURES, &stop));
    turns_end(&turns, 1);
    stop = 0;
}

static void seconds(void)
{
    const double writes[] = {10, 20, 5, 1}, measures[] = {100, 100, 100, 300};
    struct turns t = {.count = 4};
    t.disks[3].group = 1;
    CHECK(!turns_is_one_group(&t));
    CHECK_NEAR(turns_seconds(&t, writes, measures), 320, 1e-9);
    t.slots = 2; /* 600 s of measuring, and the first begins after 1 s */
    CHECK_NEAR(turns_seconds(&t, writes, measures), 320, 1e-9);
    t.slots = 1;
    CHECK_NEAR(turns_seconds(&t, writes, measures), 601, 1e-9);
    t.workers = PLAN_CPUS_MAX;
    t.root = "";
    CHECK_INT(turns_slots(&t), 1);
    t.at_once = ACCEPT_ALL;
    CHECK_NEAR(turns_seconds(&t, writes, measures), 320, 1e-9);
    t.disks[3].group = 0;
    CHECK(turns_is_one_group(&t));
    t.at_once = ACCEPT_APART;
    CHECK_NEAR(turns_seconds(&t, writes, measures), 620, 1e-9);
    t.at_once = ACCEPT_ONE;
    CHECK_NEAR(turns_seconds(&t, writes, measures), 636, 1e-9);
}

int main(void)
{
    run_all(ACCEPT_APART);
    run_all(ACCEPT_ALL);
    run_all(ACCEPT_ONE);
    stopped();
    seconds();
    return check_result();
}
