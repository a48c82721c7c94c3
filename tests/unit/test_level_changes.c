/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which levels belong to a warm-up, which return, and their effect on the mean. */
#include "stat/change/level_changes.h"

#include "tests/unit/check.h"

#define EACH 10 /* readings of a level */

static double x[20 * EACH];
static size_t cuts[20];

static struct level_changes changes_of(const double levels[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < EACH; k++)
            x[i * EACH + k] = levels[i] + (k % 2 ? 0.1 : -0.1);
        if (i > 0)
            cuts[i - 1] = i * EACH;
    }
    return level_changes_of(x, count * EACH, cuts, count - 1);
}

static void check_changes(const char *what, const double levels[], size_t count, size_t begin,
                          size_t changes, bool ends_off)
{
    struct level_changes c = changes_of(levels, count);
    printf("%s: begin %zu, %zu changes, shift %g\n", what, c.begin, c.count, c.shift);
    CHECK_INT(c.begin, begin * EACH);
    CHECK_INT(c.count, changes);
    CHECK_INT(c.ends_off, ends_off);
}

#define CHANGES(what, begin, changes, ends_off, ...)                                               \
    check_changes(what, (const double[]){__VA_ARGS__},                                             \
                  sizeof((const double[]){__VA_ARGS__}) / sizeof(double), begin, changes,          \
                  ends_off)

int main(void)
{
    CHANGES("one level", 0, 0, false, 100);
    CHANGES("a step", 1, 0, false, 50, 100);
    CHANGES("stairs of a warm-up", 4, 0, false, 40, 70, 85, 92, 96);
    CHANGES("even stairs", 4, 0, false, 40, 50, 60, 70, 80);
    CHANGES("a dip", 0, 2, false, 100.2, 50, 100);
    CHANGES("a warm-up, then a dip", 1, 2, false, 20, 100, 50, 100.2);
    CHANGES("two levels", 0, 5, false, 100, 50, 100, 50, 100, 50);
    CHANGES("levels at random", 0, 4, false, 70, 100, 55, 80, 65);

    /* A dip over one third to one half shifts the mean by a sixth of the level. */
    CHECK_NEAR(changes_of((const double[]){100, 50, 100}, 3).shift, -50.0 / 3, 1e-9);

    /* The last level lasts longest and is a new one: it may last. */
    for (size_t i = 0; i < 120; i++)
        x[i] = i < 60 ? (i / 10 % 2 ? 50 : 100) : 20;
    for (size_t i = 0; i < 6; i++)
        cuts[i] = 10 * (i + 1);
    CHECK(level_changes_of(x, 120, cuts, 6).ends_off);
    return check_result();
}
