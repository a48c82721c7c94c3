/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time left for all disks, as text: at most the sum of the limits until a test of each kind has
   ended, then estimated from these. And the line that contains it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "cmd/terminal/progress_line.h"
#include "machine/qualify/time_left.h"

static struct session_progress at(double elapsed, double left)
{
    return (struct session_progress){.stage = "round 3",
                                     .elapsed_seconds = elapsed,
                                     .limit_seconds = 60,
                                     .done_share = NAN,
                                     .bytes_rate = NAN,
                                     .mean = NAN,
                                     .width_share = NAN,
                                     .target_share = NAN,
                                     .left_seconds = left,
                                     .rate = NAN};
}

static void check_words(const struct time_left *t, double elapsed, double left,
                        const char *expected)
{
    const struct session_progress now = at(elapsed, left);
    char words[80];
    CHECK_STR(time_left_words(t, &now, words, sizeof words), expected);
}

static void test_estimates(void)
{
    struct time_left t = {.limit_seconds = 60, .disk = 1, .disks = 8};
    t.kinds[0].planned = t.kinds[1].planned = 8;
    time_left_begin_test(&t, 0);
    check_words(&t, 0, NAN, "disk 1 of 8, up to about 16 min 0 s left in all");
    check_words(&t, 20, NAN, "disk 1 of 8, up to about 15 min 40 s left in all");
    check_words(&t, 20, 10, "disk 1 of 8, up to about 15 min 10 s left in all");
    time_left_end_test(&t, 0, 30);
    time_left_begin_test(&t, 1); /* no test of its kind has ended */
    check_words(&t, 0, 12, "disk 1 of 8, up to about 10 min 42 s left in all");
    time_left_end_test(&t, 1, 10);
    t.disk = 2;
    time_left_begin_test(&t, 0);
    check_words(&t, 5, 25, "disk 2 of 8, about 4 min 35 s left in all");
    check_words(&t, 29.5, 0.5, "disk 2 of 8, about 4 min 11 s left in all");
    check_words(&t, 40, 90,
                "disk 2 of 8, about 4 min 30 s left in all"); /* its limit comes first */
    check_words(&t, 70, -3, "disk 2 of 8, about 4 min 10 s left in all"); /* it is over */
    struct session_progress guess = at(5, 1); /* an estimate that is not reliable yet */
    char words[80];
    guess.left_is_least = true;
    CHECK_STR(time_left_words(&t, &guess, words, sizeof words),
              "disk 2 of 8, up to about 5 min 5 s left in all");
    check_words(&t, 5, NAN, "disk 2 of 8, up to about 5 min 5 s left in all");
}

/* A disk that is not measured does not affect the estimate for others, and the last disk counts
   down to 0. */
static void test_ends(void)
{
    struct time_left t = {.limit_seconds = 3600, .disk = 1, .disks = 60};
    t.kinds[0].planned = 60;
    time_left_begin_test(&t, 0);
    check_words(&t, 0, 0, "disk 1 of 60, up to about 59 h 0 min left in all");
    time_left_end_test(&t, 0, 100);
    while (t.kinds[0].begun < 60)
        time_left_begin_test(&t, 0);
    t.disk = 60;
    check_words(&t, 1, 7.2, "disk 60 of 60, about 8 s left in all");
    check_words(&t, 8, 0, "disk 60 of 60, nearly done");
}

/* The total comes first; the session's own line follows if there is room; no word is cut. */
static void test_line(void)
{
    static const char overall[] = "disk 2 of 8, about 3 min 20 s left in all";
    const struct session_progress now = at(3, 9);
    char line[160];
    for (size_t width = 1; width < 120; width++) {
        progress_line_below(overall, &now, line, sizeof line, width);
        size_t length = strlen(line);
        CHECK(length <= width);
        if (width >= strlen(overall))
            CHECK(!strncmp(line, overall, strlen(overall)));
        else if (width > 4)
            CHECK(!strncmp(line, overall, length) && overall[length] == ' ');
        CHECK((strchr(line, ':') != NULL) == (width >= strlen(overall) + 22));
        CHECK(width < strlen(overall) + 30 || strstr(line, ": round 3"));
    }
    progress_line_below("", &now, line, sizeof line, 79);
    CHECK(!strncmp(line, "round 3", 7));
}

int main(void)
{
    test_estimates();
    test_ends();
    test_line();
    return check_result();
}
