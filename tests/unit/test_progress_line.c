/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: it contains known values and no unknown ones, and is never too long. */
#include "check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/terminal/progress_line.h"

static struct session_progress nothing_known(void)
{
    return (struct session_progress){.stage = "warming up",
                                     .elapsed_seconds = 3,
                                     .limit_seconds = 600,
                                     .done_share = NAN,
                                     .bytes_rate = NAN,
                                     .mean = NAN,
                                     .width_share = NAN,
                                     .target_share = NAN,
                                     .left_seconds = NAN,
                                     .limit_share = NAN,
                                     .rate = NAN};
}

static void check_line(const struct session_progress *now, size_t width, const char *expected)
{
    char line[240];
    progress_line(now, line, sizeof line, width);
    CHECK_STR(line, expected);
}

static void check_preparation(void)
{
    struct session_progress now = nothing_known();
    check_line(&now, 79, "warming up, 3 s");
    now.rate = 17900;
    check_line(&now, 79, "warming up, 3 s  17.9k IOPS");
    now = nothing_known();
    now.stage = "writing the scratch file";
    now.done_share = 0.319;
    now.bytes_rate = 523e6;
    check_line(&now, 79, "writing the scratch file, 31 %, 3 s  523 MB/s");
    now.bytes_rate = NAN;
    check_line(&now, 20, "writing the scratch "); /* cut off if nothing else fits */
    now.stage = "caf\xc3\xa9\033[2J\n";           /* a name cannot control the terminal */
    check_line(&now, 79, "caf???[2J?, 31 %, 3 s");
}

static void check_width_so_far(void)
{
    struct session_progress now = nothing_known();
    now.stage = "round 3";
    now.measuring = true;
    now.mean = 17900;
    snprintf(now.index, sizeof now.index, "IOPS");
    now.target_share = 0.1;
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  no interval yet, goal +-5 %; at most 10 min");
    now.width_share = 0.24;
    now.left_seconds = 7.2;
    now.left_is_least = true;
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  +-12 %, goal +-5 %; at least 8 s");
    now.left_is_least = false;
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  +-12 %, goal +-5 %; about 8 s");
    /* the precision refers to another index than the number */
    snprintf(now.index, sizeof now.index, "read.p99");
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  read.p99: +-12 %, goal +-5 %; about 8 s");
    now.target_share = 0.05;
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  read.p99: +-12 %, goal +-2.5 %; about 8 s");
    now.width_share = 0.0501; /* not reached, so it must not be rounded to look reached */
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  read.p99: +-2.505 %, goal +-2.5 %; about 8 s");
    now.width_share = 5.6;
    now.left_seconds = 1216;
    check_line(&now, 79,
               "3 s  17.9k IOPS  read.p99: +-280 %, goal +-2.5 %; limit of 10 min comes first");
    now.limit_share = 1.21; /* the width expected at the limit says more */
    check_line(&now, 79,
               "round 3, 3 s  17.9k IOPS  read.p99: +-280 %, goal +-2.5 %; +-60 % by the limit");
    now.limit_share = NAN;
    now.target_share = NAN; /* --runtime: no precision is requested */
    now.left_seconds = 400;
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  read.p99: +-280 %; about 7 min");
    now.measuring = false; /* the cost rounds come afterwards: the precision needs nothing more */
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS; about 7 min");
}

/* The least important parts are left out first, and only the last part may be cut. */
static void check_narrow(void)
{
    struct session_progress now = nothing_known();
    now.stage = "round 3";
    now.measuring = true;
    now.mean = 17900;
    now.left_seconds = 150;
    snprintf(now.missing, sizeof now.missing, "waiting for 30 s minimum");
    check_line(&now, 79, "round 3, 3 s  17.9k IOPS  waiting for 30 s minimum; about 3 min");
    check_line(&now, 50, "17.9k IOPS  waiting for 30 s minimum; about 3 min");
    check_line(&now, 40, "17.9k IOPS  waiting for 30 s minimum");
    check_line(&now, 25, "17.9k IOPS; about 3 min");
    check_line(&now, 19, "3 s  17.9k IOPS"); /* the time shows that it continues */
    check_line(&now, 4, "17.9");
    snprintf(now.missing, sizeof now.missing, "SLA clause 2 of 3: read.p99<1ms not decided");
    check_line(&now, 79,
               "3 s  17.9k IOPS  SLA clause 2 of 3: read.p99<1ms not decided; about 3 min");
}

/* If the limit will come before the precision, this is announced half a minute after the begin, and
   not earlier. */
static void check_offer(void)
{
    struct session_progress now = nothing_known();
    char words[256];
    now.measuring = true;
    now.elapsed_seconds = 29;
    now.left_seconds = 1500;
    now.limit_share = 0.24;
    CHECK(!progress_offer(&now, words, sizeof words));
    now.elapsed_seconds = 31;
    CHECK(progress_offer(&now, words, sizeof words));
    CHECK_STR(words, "what is asked for would take about 25 min more; the limit of 10 min comes "
                     "first, with about +-12 %; Ctrl-C ends it now and keeps what is measured");
    now.left_seconds = 1e30;
    CHECK(progress_offer(&now, words, sizeof words));
    CHECK_STR(words, "what is asked for would take a month or more; the limit of 10 min comes "
                     "first, with about +-12 %; Ctrl-C ends it now and keeps what is measured");
    now.left_seconds = 1500;
    now.limit_share = NAN; /* a clause has no width */
    CHECK(progress_offer(&now, words, sizeof words));
    CHECK_STR(words, "what is asked for would take about 25 min more; the limit of 10 min comes "
                     "first; Ctrl-C ends it now and keeps what is measured");
    now.left_seconds = NAN;
    CHECK(progress_offer(&now, words, sizeof words));
    CHECK_STR(words, "nothing shows yet how long it takes, 10 min (--limit) at most; Ctrl-C ends "
                     "it now and keeps what is measured");
    now.left_seconds = 300; /* within the limit */
    CHECK(!progress_offer(&now, words, sizeof words));
    now.left_seconds = 1500;
    now.measuring = false;
    CHECK(!progress_offer(&now, words, sizeof words));
}

/* Which numbers get a line of their own where lines are rare. */
static void check_numbers(void)
{
    struct session_progress now = nothing_known();
    CHECK_INT(progress_number_of(&now), PROGRESS_NO_NUMBER);
    now.bytes_rate = 2e8;
    CHECK_INT(progress_number_of(&now), PROGRESS_PRELIMINARY);
    now.bytes_rate = NAN;
    now.rate = 900;
    CHECK_INT(progress_number_of(&now), PROGRESS_PRELIMINARY);
    now.measuring = true;
    CHECK_INT(progress_number_of(&now), PROGRESS_PRELIMINARY);
    now.mean = 950;
    CHECK_INT(progress_number_of(&now), PROGRESS_MEASURED);
}

/* Without a terminal, the line of a silent command shows its present state, not that of the last
   due line. */
static void check_silent(void)
{
    char shown[200] = "";
    int ends[2];
    struct progress p;
    CHECK(!pipe(ends));
    const int before = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    progress_begin(&p, "first");
    progress_words(&p, "second", NAN);
    const double begin = seconds_of_clock(CLOCK_MONOTONIC);
    while (seconds_of_clock(CLOCK_MONOTONIC) < begin + 30 &&
           read(ends[0], shown, sizeof shown - 1) <= 0)
        usleep(50000);
    progress_end(&p);
    dup2(before, STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    close(before);
    CHECK(strstr(shown, "second, ") && !strstr(shown, "first"));
    CHECK(seconds_of_clock(CLOCK_MONOTONIC) > begin + 2); /* a short command prints nothing */
}

int main(void)
{
    check_offer();
    check_numbers();
    check_preparation();
    check_width_so_far();
    check_narrow();
    check_silent();
    return check_result();
}
