/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a made-up machine with texts of expectations; shared by several tests. */
#ifndef TESTS_UNIT_EXPECTATION_FIXTURE_H
#define TESTS_UNIT_EXPECTATION_FIXTURE_H

#include "check.h"
#include "machine/qualify/internal.h"
#include "qualification_fixture.h"

static struct qualified f;

static inline struct expectation *parse(const char *text)
{
    struct expectation *x = NULL;
    struct err e = {0};
    if (!check_that(!expectation_parse(&x, text, strlen(text), "x", &e), __FILE__, __LINE__, text))
        fprintf(stderr, "    %s\n", e.msg);
    return x;
}

static inline void check_mistake(const char *text, const char *begin, const char *words)
{
    struct expectation *x = NULL;
    struct err e = {0};
    CHECK_INT(expectation_parse(&x, text, strlen(text), "x", &e), -1);
    CHECK(x == NULL);
    CHECK_INT(e.code, ERR_USAGE);
    bool right = !strncmp(e.msg, begin, strlen(begin)) && strstr(e.msg, words);
    if (!check_that(right, __FILE__, __LINE__, text))
        fprintf(stderr, "    got      %s\n    expected %s ... %s\n", e.msg, begin, words);
}

static inline const struct qualification_check *find_check(const char *what)
{
    for (size_t i = 0; i < f.q.check_count; i++)
        if (!strcmp(f.q.checks[i].what, what))
            return &f.q.checks[i];
    return NULL;
}

/* Judges one good drive by an expectation file and checks the grade of the check named `what`. */
static inline void check_grade(const char *text, const char *what, enum grade expected,
                               const char *note)
{
    struct expectation *x = parse(text);
    f.q.check_count = 0;
    f.q.grade = f.devices[0].grade = GRADE_NONE;
    if (x)
        expectation_judge(x, &f.q);
    const struct qualification_check *check = find_check(what);
    if (check_that(check != NULL, __FILE__, __LINE__, text)) {
        if (check->grade != expected)
            fprintf(stderr, "    %s: found %s, expected %s, note %s\n", text, check->found,
                    check->expected, check->note);
        CHECK_STR(grade_name(check->grade), grade_name(expected));
        CHECK(strstr(check->note, note) != NULL);
    }
    expectation_free(x);
}

#endif
