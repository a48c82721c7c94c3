/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices of a trace distributed over targets: each device's requests are counted; a part has
   all requests of its devices and no others, at the times of the common trace. */
#include "replay_check.h"

#include "run/replay/replay_devices.h"

#define GI ((uint64_t)1 << 30)

/* More events than are read before the start; disk1 is rare, disk2 begins much later than that. */
enum { MANY = 150000, RARE = 1000, LATE = 140000 };

static struct trace_event events[MANY];
static struct replay_devices found;

static unsigned device_of_event(unsigned i)
{
    if (i >= LATE && i % 2)
        return 2;
    return i % RARE == 7 ? 1 : 0;
}

static void make_many(void)
{
    for (unsigned i = 0; i < MANY; i++)
        events[i] = (struct trace_event){.time_ns = 1000 + i * 100u,
                                         .op = i % 3 ? OPERATION_READ : OPERATION_WRITE,
                                         .device = (uint16_t)device_of_event(i),
                                         .offset = i * 4096u,
                                         .length = 4096,
                                         .response_ns = TRACE_UNKNOWN};
    write_trace(events, MANY);
}

static void find(const struct plan *plan)
{
    struct err e = {0};
    if (!check_that(replay_devices_find(&found, plan, NULL, &e) == 0, __FILE__, __LINE__, e.msg))
        exit(1);
}

static void test_counts(void)
{
    const struct plan plan = replay_plan();
    uint64_t requests[3] = {0}, first[3] = {0};
    for (unsigned i = MANY; i-- > 0;) {
        requests[events[i].device]++;
        first[events[i].device] = events[i].time_ns - events[0].time_ns;
    }
    find(&plan);
    CHECK_INT(found.count, 3);
    CHECK_INT(found.level, TRACE_BLOCK);
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "disk%u", i);
        CHECK_STR(found.device[i].name, name);
        CHECK_INT(found.device[i].requests, requests[i]);
        CHECK_INT(found.device[i].bytes, requests[i] * 4096);
        CHECK_INT(found.device[i].first_ns, first[i]);
    }
}

/* Checks every request of the devices in `wanted` (a bit each), with its time since `begin_ns`. */
static void check_part(const char *part, unsigned wanted, uint64_t begin_ns, bool strict)
{
    struct plan plan = replay_plan();
    struct generated_request next;
    const bool is_one = !strchr(part, '\t'); /* one of several devices has a share of the target */
    unsigned wrong = 0, i = 0, count = 0;
    snprintf(plan.replay.devices, sizeof plan.replay.devices, "%s", part);
    plan.replay.begin_ns = begin_ns;
    plan.replay.strict = strict;
    struct replay *r = open_good(&plan);
    start_one(r, GI, 1, NULL);
    struct request_source source = replay_source(r, 0);
    source.ops->begin(source.state);
    for (; next_request(source, &next); count++, i++) {
        while (i < MANY && !(wanted >> events[i].device & 1))
            i++;
        if (i == MANY)
            break;
        wrong += next.due_ns != events[i].time_ns - events[0].time_ns - begin_ns ||
                 (is_one && next.offset != events[i].offset);
    }
    unsigned expected = 0;
    for (i = 0; i < MANY; i++)
        expected += wanted >> events[i].device & 1;
    CHECK_INT(count, expected);
    CHECK_INT(wrong, 0);
    CHECK(replay_counts(r)->ended);
    CHECK_INT(replay_counts(r)->events, expected);
    replay_close(r);
}

static void test_names(void)
{
    CHECK(replay_part_has("8,16\thm.1", "hm.1"));
    CHECK(replay_part_has("8,16\thm.1", "8,16"));
    CHECK(!replay_part_has("8,16\thm.1", "8,1"));
    CHECK(!replay_part_has("8,16\thm.1", "hm.10"));
    CHECK(!replay_part_has("", "hm.1"));
}

/* Events of other programs than the recorded one, or of another level, count for no device. */
static void test_levels_and_programs(void)
{
    struct plan plan = replay_plan();
    for (unsigned i = 0; i < 400; i++)
        events[i] = (struct trace_event){.time_ns = i * 100u,
                                         .op = OPERATION_READ,
                                         .device = i % 4,
                                         .level = i % 4 > 1,
                                         .foreign = i % 4 == 1,
                                         .offset = i * 4096u,
                                         .length = 4096,
                                         .response_ns = 100};
    write_trace(events, 400);
    find(&plan);
    CHECK(found.own_only);
    CHECK_INT(found.count, 1);
    CHECK_STR(found.device[0].name, "disk0");
    plan.replay.all_programs = true;
    find(&plan);
    CHECK_INT(found.count, 2);
    snprintf(plan.replay.level, sizeof plan.replay.level, "syscall");
    find(&plan);
    CHECK_INT(found.count, 2);
    CHECK_INT(found.level, TRACE_SYSCALL);
    CHECK_STR(found.device[0].name, "disk2");
}

/* A device with only discards is known, and the time of its first request is not needed. */
static void test_discards(void)
{
    const struct plan plan = replay_plan();
    for (unsigned i = 0; i < 6; i++)
        events[i] = (struct trace_event){.time_ns = i * 100u,
                                         .op = i < 4 ? OPERATION_TRIM : OPERATION_READ,
                                         .device = i % 2,
                                         .offset = i * 4096u,
                                         .length = 4096,
                                         .response_ns = TRACE_UNKNOWN};
    events[4].device = 1;
    write_trace(events, 6);
    find(&plan);
    CHECK_INT(found.count, 2);
    CHECK_STR(found.device[0].name, "disk0");
    CHECK_INT(found.device[0].requests, 0);
    CHECK_INT(found.device[0].bytes, 0);
    CHECK_INT(found.device[0].discards, 2);
    CHECK(found.device[0].first_ns == UINT64_MAX);
    CHECK_INT(found.device[1].requests, 2);
    CHECK_INT(found.device[1].discards, 2);
    CHECK_INT(found.device[1].first_ns, 400);
    struct plan writes = plan;
    writes.replay.allow_writes = true;
    find(&writes);
    CHECK_INT(found.device[0].requests, 2);
    CHECK_INT(found.device[0].bytes, 0);
    CHECK_INT(found.device[0].first_ns, 0);
    writes.replay.skip_discards = true;
    find(&writes);
    CHECK_INT(found.device[0].requests, 0);
}

static void check_refused(const struct plan *plan, const struct replay_watch *watch,
                          enum err_code code, const char *words)
{
    struct err e = {0};
    CHECK_INT(replay_devices_find(&found, plan, watch, &e), -1);
    CHECK_INT(e.code, code);
    CHECK(strstr(e.msg, words) != NULL);
}

static void test_refused(void)
{
    struct plan plan = replay_plan();
    const volatile sig_atomic_t stop = 1;
    const struct replay_watch watch = {.stop = &stop};
    check_refused(&plan, &watch, ERR_UNDECIDED, "stopped");
    plan.ending.limit_seconds = 0;
    check_refused(&plan, NULL, ERR_UNDECIDED, "limit");
    plan.ending.limit_seconds = 60;
    snprintf(plan.replay.level, sizeof plan.replay.level, "syscall");
    events[0].level = TRACE_BLOCK;
    write_trace(events, 1);
    check_refused(&plan, NULL, ERR_USAGE, "--level syscall");
    snprintf(plan.replay.trace, sizeof plan.replay.trace, "-");
    check_refused(&plan, NULL, ERR_USAGE, "a file is needed");
    snprintf(plan.replay.trace, sizeof plan.replay.trace, "/nonexistent/trace");
    check_refused(&plan, NULL, ERR_USAGE, "/nonexistent/trace");
}

int main(void)
{
    replay_folder();
    make_many();
    test_counts();
    check_part("disk0", 1, 0, false);
    check_part("disk1", 2, 0, true);
    check_part("disk2", 4, 0, false);
    check_part("disk2", 4, LATE * 100u, false);
    check_part("disk1\tdisk2", 6, 700, false);
    test_names();
    test_levels_and_programs();
    test_refused();
    test_discards();
    replay_folder_end();
    return check_result();
}
