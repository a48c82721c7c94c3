/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Live progress: plain ASCII without colours, so NO_COLOR has nothing to take away. */
#include "cmd/terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

static const double silent_seconds = 2, redraw_seconds = 0.2, plain_seconds = 10;

enum { COLUMNS_MAX = 79, LINE_MAX_BYTES = 240 };

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void progress_begin(struct progress *p)
{
    const char *terminal = getenv("TERM");
    double now = now_seconds();
    *p = (struct progress){.begin = now, .next = now + silent_seconds};
    p->terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    if (!p->terminal)
        p->next = now + plain_seconds;
}

double progress_seconds(const struct progress *p)
{
    return now_seconds() - p->begin;
}

static void append_words(char *to, size_t size, const char *words)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used ? "  " : "", words);
}

/* Two digits that count, and no exponent: "2.8 %", "12 %", "280 %". */
static void format_percent(char *to, size_t size, double share)
{
    snprintf(to, size, share < 0.995 ? "%.2g %%" : "%.0f %%", share * 100);
}

void progress_line(const struct session_progress *now, char *to, size_t size, size_t width)
{
    char words[80], number[UNITS_BUFFER], limit[UNITS_BUFFER], reached[20], target[20];
    snprintf(to, size, "%s", now->stage);
    if (isfinite(now->done_share)) {
        snprintf(words, sizeof words, "%.0f %%", now->done_share * 100);
        append_words(to, size, words);
    }
    snprintf(words, sizeof words, "%.0f s", now->elapsed_seconds);
    if (isfinite(now->limit_seconds))
        snprintf(words, sizeof words, "%.0f s of %s", now->elapsed_seconds,
                 format_time(limit, sizeof limit, now->limit_seconds * 1e9));
    append_words(to, size, words);
    if (isfinite(now->mean)) {
        snprintf(words, sizeof words, "mean %s",
                 now->mean_is_time ? format_time(number, sizeof number, now->mean)
                                   : format_count(number, sizeof number, now->mean));
        append_words(to, size, words);
    }
    if (now->missing[0]) {
        append_words(to, size, now->missing);
    } else if (isfinite(now->mean)) {
        format_percent(target, sizeof target, now->target_share);
        format_percent(reached, sizeof reached, now->width_share);
        bool asked = isfinite(now->target_share), has_width = isfinite(now->width_share);
        snprintf(words, sizeof words, "%s%s%s%s%s", has_width ? "width " : "no interval yet",
                 has_width ? reached : "",
                 !asked      ? ""
                 : has_width ? " of "
                             : ", ",
                 asked ? target : "", asked && !has_width ? " asked" : "");
        append_words(to, size, words);
    } else if (isfinite(now->rate)) {
        snprintf(words, sizeof words, "%s IOPS", format_count(number, sizeof number, now->rate));
        append_words(to, size, words);
    }
    if (isfinite(now->left_seconds)) {
        bool limited = now->elapsed_seconds + now->left_seconds > now->limit_seconds;
        snprintf(words, sizeof words, limited ? "limit comes first" : "%.0f s left",
                 ceil(now->left_seconds));
        append_words(to, size, words);
    }
    if (strlen(to) > width)
        to[width] = '\0';
}

/* The last column stays free: writing there makes some terminals wrap. */
static size_t terminal_width(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
        window.ws_col <= COLUMNS_MAX)
        return (size_t)window.ws_col - 1;
    return COLUMNS_MAX;
}

/* Is a line due? */
static bool is_due(struct progress *p)
{
    double instant = now_seconds();
    if (instant < p->next)
        return false;
    p->next = instant + (p->terminal ? redraw_seconds : plain_seconds);
    return true;
}

static void draw(struct progress *p, const char *line)
{
    if (p->terminal)
        fprintf(stderr, "\r\033[K%s", line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    p->drawn = p->terminal;
}

void progress_show(void *context, const struct session_progress *now)
{
    struct progress *p = context;
    char line[LINE_MAX_BYTES];
    if (!is_due(p))
        return;
    progress_line(now, line, sizeof line, p->terminal ? terminal_width() : COLUMNS_MAX);
    draw(p, line);
}

void progress_words(void *context, const char *words, double done_share)
{
    struct progress *p = context;
    char line[COLUMNS_MAX + 1];
    if (!is_due(p))
        return;
    snprintf(line, sizeof line, "%s  %.0f %%  %.0f s", words, 100 * done_share,
             progress_seconds(p));
    draw(p, line);
}

void progress_notice(void *context, const char *words)
{
    (void)context;
    fprintf(stderr, "cupel: %s\n", words);
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
