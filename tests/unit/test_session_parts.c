/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a session begin in the order of their list and end in reverse order, and only those that
   have begun; memory that stuck workers use is not freed. */
#include "check.h"
#include "run/session/running.h"

static char calls[200];

static int note(const char *what)
{
    size_t used = strlen(calls);
    snprintf(calls + used, sizeof calls - used, "%s%s", used ? " " : "", what);
    return 0;
}

static int first_plan(struct session *s, struct err *e)
{
    (void)e;
    CHECK_INT(*(int *)s->own[0], 0); /* its state is zero at first */
    *(int *)s->own[0] = 7;
    return note("plan1");
}

static int second_plan(struct session *s, struct err *e)
{
    (void)s;
    (void)e;
    return note("plan2");
}

static int refuse(struct session *s, struct err *e)
{
    (void)s;
    note("refuse");
    return err_set(e, ERR_USAGE, "no");
}

static int third_target(struct session *s, struct err *e)
{
    (void)s;
    (void)e;
    return note("target3");
}

#define NOTE(name)                                                                                 \
    static void name(struct session *s)                                                            \
    {                                                                                              \
        (void)s;                                                                                   \
        note(#name);                                                                               \
    }
NOTE(start1)
NOTE(after1)
NOTE(end1)
NOTE(after2)
NOTE(stuck2)
NOTE(end2)
NOTE(after3)
NOTE(end3)
NOTE(after4)
NOTE(end4)

static const struct session_part first = {.bytes = sizeof(int),
                                          .prepare[AT_PLAN] = first_plan,
                                          .on[ON_START] = start1,
                                          .after = after1,
                                          .end = end1};
static const struct session_part second = {.bytes = 1,
                                           .prepare[AT_PLAN] = second_plan,
                                           .of_workers = true,
                                           .after = after2,
                                           .stuck = stuck2,
                                           .end = end2};
static const struct session_part refusing = {.prepare = {[AT_TARGET] = refuse}, .end = end2};
static const struct session_part third = {
    .prepare[AT_TARGET] = third_target, .after = after3, .end = end3};
static const struct session_part unprepared = {.after = after4, .end = end4};
static const struct session_part nothing;

static const struct session_part *list[SESSION_PARTS];
static struct session s;
static _Alignas(ARENA_ALIGNMENT) unsigned char memory[4096];

static void begin(const struct session_part *a, const struct session_part *b,
                  const struct session_part *c, const struct session_part *d)
{
    for (size_t i = 0; i < SESSION_PARTS; i++)
        list[i] = &nothing;
    list[0] = a;
    list[1] = b;
    list[2] = c;
    list[SESSION_PARTS - 1] = d;
    memset(&s, 0, sizeof s);
    memset(memory, 0, sizeof memory);
    calls[0] = '\0';
    session_parts_attach(&s, list, memory);
}

static void check_order(void)
{
    struct err e = {0};
    begin(&first, &second, &third, &unprepared);
    CHECK_INT(session_parts_bytes(list), 2 * ARENA_ALIGNMENT);
    CHECK(s.own[0] != s.own[1]);
    CHECK_INT(session_parts_prepare(&s, AT_PLAN, &e), 0);
    CHECK_INT(session_parts_prepare(&s, AT_TARGET, &e), 0);
    CHECK_INT(session_parts_prepare(&s, AT_MACHINE, &e), 0);
    session_parts_call(&s, ON_START);
    s.group_started = true;
    session_parts_end(&s, true);
    CHECK_STR(calls, "plan1 plan2 target3 start1 after4 after3 after2 after1 end4 end3 end2 end1");
    CHECK_INT(*(int *)s.own[0], 7);
}

/* Nothing was measured, and the third part did not begin: every part that may hold something is
   ended. */
static void check_refused(void)
{
    struct err e = {0};
    begin(&first, &refusing, &third, &unprepared);
    list[3] = &second;
    session_parts_attach(&s, list, memory);
    CHECK_INT(session_parts_prepare(&s, AT_PLAN, &e), 0);
    CHECK_INT(session_parts_prepare(&s, AT_TARGET, &e), -1);
    session_parts_end(&s, false);
    CHECK_STR(calls, "plan1 plan2 refuse end4 end2 end2 end1");
}

/* A session stopped before it had workers has a report that does not mention them. */
static void check_without_workers(void)
{
    struct err e = {0};
    begin(&first, &second, &third, &unprepared);
    CHECK_INT(session_parts_prepare(&s, AT_PLAN, &e), 0);
    session_parts_end(&s, true);
    CHECK_STR(calls, "plan1 plan2 after4 after1 end4 end2 end1");
}

static void check_stuck(void)
{
    struct err e = {0};
    begin(&first, &second, &third, &unprepared);
    CHECK_INT(session_parts_prepare(&s, AT_PLAN, &e), 0);
    s.group_started = s.stuck = true;
    session_parts_end(&s, true);
    CHECK_STR(calls, "plan1 plan2 after4 stuck2 after1 end4 end1");
}

int main(void)
{
    check_order();
    check_refused();
    check_without_workers();
    check_stuck();
    return check_result();
}
