/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: what is known stands in it, what is not does not, and it never is too long. */
#include "check.h"

#include "cmd/terminal/progress.h"

static struct session_progress nothing_known(void)
{
    return (struct session_progress){.stage = "trial round 1",
                                     .elapsed_seconds = 3,
                                     .limit_seconds = 600,
                                     .done_share = NAN,
                                     .mean = NAN,
                                     .width_share = NAN,
                                     .target_share = 0.1,
                                     .left_seconds = NAN,
                                     .rate = NAN};
}

static void check_line(const struct session_progress *now, size_t width, const char *expected)
{
    char line[240];
    progress_line(now, line, sizeof line, width);
    CHECK_STR(line, expected);
}

int main(void)
{
    struct session_progress now = nothing_known();
    check_line(&now, 79, "trial round 1  3 s of 10 min");
    now.rate = 17900;
    check_line(&now, 79, "trial round 1  3 s of 10 min  17.9k IOPS");
    now.stage = "filling the scratch file";
    now.done_share = 0.31;
    now.rate = NAN;
    check_line(&now, 79, "filling the scratch file  31 %  3 s of 10 min");
    now = nothing_known();
    now.stage = "round 3";
    now.mean = 17900;
    check_line(&now, 79, "round 3  3 s of 10 min  mean 17.9k  no interval yet, 10 % asked");
    now.width_share = 0.123;
    now.left_seconds = 7.2;
    check_line(&now, 79, "round 3  3 s of 10 min  mean 17.9k  width 12 % of 10 %  8 s left");
    now.left_seconds = 1216;
    check_line(&now, 79,
               "round 3  3 s of 10 min  mean 17.9k  width 12 % of 10 %  limit comes first");
    now.width_share = 2.8;
    check_line(&now, 79,
               "round 3  3 s of 10 min  mean 17.9k  width 280 % of 10 %  limit comes first");
    check_line(&now, 20, "round 3  3 s of 10 m");
    now.target_share = NAN; /* --runtime: no width is asked for */
    now.left_seconds = 5;
    check_line(&now, 79, "round 3  3 s of 10 min  mean 17.9k  width 280 %  5 s left");
    snprintf(now.missing, sizeof now.missing, "read.p99<500us"); /* the clause that takes longest */
    check_line(&now, 79, "round 3  3 s of 10 min  mean 17.9k  read.p99<500us  5 s left");
    return check_result();
}
