/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks and grades of a qualification, and its summary in one line. */
#include "facts/qualification.h"

#include <stdio.h>
#include <string.h>

const char *grade_name(enum grade grade)
{
    static const char *const names[] = {[GRADE_NONE] = "none",
                                        [GRADE_PASS] = "pass",
                                        [GRADE_WARN] = "warn",
                                        [GRADE_UNDECIDED] = "undecided",
                                        [GRADE_FAIL] = "fail"};
    return names[grade];
}

static void raise_grade(enum grade *of, enum grade grade)
{
    if (grade > *of)
        *of = grade;
}

/* Removes the last check that is not a deviation (grade below warn). Returns false if all checks
   are deviations. */
static bool make_room(struct qualification *q)
{
    for (size_t i = q->check_count; i-- > 0;)
        if (q->checks[i].grade < GRADE_WARN) {
            memmove(&q->checks[i], &q->checks[i + 1], (q->check_count - i - 1) * sizeof *q->checks);
            q->check_count--;
            return true;
        }
    return false;
}

struct qualification_check *qualification_add(struct qualification *q, int device, enum grade grade,
                                              const char *what)
{
    raise_grade(&q->grade, grade);
    if (device >= 0)
        raise_grade(&q->devices[device].grade, grade);
    if (q->check_count == QUALIFICATION_CHECKS && (grade < GRADE_WARN || !make_room(q))) {
        q->dropped += grade >= GRADE_WARN;
        return NULL;
    }
    struct qualification_check *check = &q->checks[q->check_count++];
    *check = (struct qualification_check){.device = device, .grade = grade};
    snprintf(check->what, sizeof check->what, "%s", what);
    return check;
}

void qualification_raise(struct qualification *q, struct qualification_check *check,
                         enum grade grade)
{
    raise_grade(&check->grade, grade);
    raise_grade(&q->grade, grade);
    if (check->device >= 0)
        raise_grade(&q->devices[check->device].grade, grade);
}

void qualification_replace(struct qualification *q, struct qualification_check *check,
                           enum grade grade)
{
    if (grade >= check->grade || q->dropped) {
        qualification_raise(q, check, grade);
        return;
    }
    check->grade = grade;
    q->grade = GRADE_NONE;
    for (size_t i = 0; i < q->device_count; i++)
        q->devices[i].grade = GRADE_NONE;
    for (size_t i = 0; i < q->check_count; i++)
        qualification_raise(q, &q->checks[i], q->checks[i].grade);
}

const char *qualification_undecided(const struct qualification_test *test)
{
    switch (test->verdict) {
    case VERDICT_INTERRUPTED:
    case VERDICT_CUT_SHORT:
    case VERDICT_DAMAGED:
        return "the test was interrupted";
    case VERDICT_FAILED:
        return "the test failed";
    default:
        return strcmp(test->phase, "no_steady_state") != 0 ? NULL : "it reached no steady state";
    }
}

bool qualification_unmeasured(const struct qualification_device *device)
{
    for (size_t i = 0; i < device->test_count; i++)
        if (device->tests[i].measured)
            return false;
    return true;
}

const struct result_row *qualification_row(const struct qualification_test *test, size_t i)
{
    const struct result_row *rows[QUALIFICATION_ROWS] = {
        [QUALIFICATION_BANDWIDTH] = &test->bandwidth,
        [QUALIFICATION_IOPS] = &test->iops,
        [QUALIFICATION_RESPONSE_TIME] = &test->response_time,
        [QUALIFICATION_P50] = &test->p50,
        [QUALIFICATION_P99] = &test->p99,
    };
    return rows[i];
}

const struct qualification_test *qualification_test_of(const struct qualification_device *device,
                                                       const char *name)
{
    for (size_t i = 0; i < device->test_count; i++)
        if (!strcmp(device->tests[i].name, name))
            return &device->tests[i];
    return NULL;
}

const char *qualification_check_of(const struct qualification *q,
                                   const struct qualification_check *check)
{
    return check->device < 0 ? "machine" : q->devices[check->device].name;
}

char *qualification_check_words(const struct qualification_check *check, char *to, size_t size)
{
    snprintf(to, size, "%s%s%s%s%s%s%s", check->what, check->found[0] ? " " : "", check->found,
             check->expected[0] ? ", expected " : "", check->expected, check->note[0] ? ": " : "",
             check->note);
    return to;
}

enum err_code qualification_status(const struct qualification *q)
{
    if (q->grade == GRADE_FAIL)
        return ERR_FAILED;
    return q->interrupted || q->grade == GRADE_UNDECIDED || !q->device_count ? ERR_UNDECIDED
                                                                             : ERR_NONE;
}

bool qualification_is_open(const struct qualification *q)
{
    bool open = q->grade == GRADE_UNDECIDED;
    for (size_t i = 0; i < q->check_count && !open; i++)
        open = q->checks[i].grade == GRADE_UNDECIDED;
    return open;
}

/* Bytes that are kept free for "and N more", the number of deviations that do not fit. */
#define ROOM_FOR_COUNT 24

/* Appends the deviations of one grade. Returns the new length. *left is increased by the number of
   those that do not fit. */
static size_t add_deviations(const struct qualification *q, enum grade grade, char *to, size_t size,
                             size_t used, size_t *left)
{
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        char words[QUALIFICATION_WORDS], whole[QUALIFICATION_WORDS + 80];
        if (check->grade != grade)
            continue;
        int length = snprintf(whole, sizeof whole, "%s%s: %s", to[used - 1] == ' ' ? "" : "; ",
                              qualification_check_of(q, check),
                              qualification_check_words(check, words, sizeof words));
        if (*left || used + (size_t)length + ROOM_FOR_COUNT > size) {
            ++*left;
            continue;
        }
        memcpy(to + used, whole, (size_t)length + 1);
        used += (size_t)length;
    }
    return used;
}

char *qualification_line(const struct qualification *q, char *to, size_t size)
{
    if (q->grade < GRADE_WARN || size < ROOM_FOR_COUNT) {
        snprintf(to, size, "%s: %zu device%s", q->grade == GRADE_NONE ? "NONE" : "PASS",
                 q->device_count, q->device_count == 1 ? "" : "s");
        return to;
    }
    size_t left = 0;
    size_t used = (size_t)snprintf(to, size, "%s: ",
                                   q->grade == GRADE_FAIL        ? "FAIL"
                                   : q->grade == GRADE_UNDECIDED ? "NOT DECIDED"
                                                                 : "WARN");
    used = add_deviations(q, GRADE_FAIL, to, size, used, &left);
    used = add_deviations(q, GRADE_UNDECIDED, to, size, used, &left);
    used = add_deviations(q, GRADE_WARN, to, size, used, &left);
    left += q->dropped;
    if (left)
        snprintf(to + used, size - used, "%sand %zu more", to[used - 1] == ' ' ? "" : "; ", left);
    return to;
}
