/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the progress line. */
#include "cmd/terminal/progress_line.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "cmd/terminal/full_screen.h"
#include "report/live/live_screen.h"

static const double redraw_seconds = 0.2, plain_seconds = 10;
/* Without a terminal: time until the first line that has a number. */
static const double first_number_seconds = 2;
/* Time until the first line without a number, which shows what the command is doing that takes so
   long. */
static const double first_line_seconds = 2.5;

/* If a due line is not updated for this long, a thread updates its time. */
static const double silent_seconds = 1, plain_silent_seconds = 0.5;

/* A longer remaining time is written as "a month or more". */
#define HOPELESS_SECONDS (30 * 86400.0)

enum { COLUMNS_MAX = 79, LINE_MAX_BYTES = 320 };

double progress_seconds(const struct progress *p)
{
    return seconds_of_clock(CLOCK_MONOTONIC) - p->begin;
}

/* ---- the text of the line ---- */

/* Writes half of the width as a percentage, as reports do: two significant digits, no exponent. */
static void format_half(char *to, size_t size, double width, int digits)
{
    double percent = width * 50;
    if (percent >= 99.5)
        snprintf(to, size, "+-%.0f %%", percent);
    else
        snprintf(to, size, "+-%.*g %%", digits, percent);
}

/* Writes "+-12 %, goal +-5 %". There are enough digits to show that a width is above its goal. */
static void format_width(char *to, size_t size, double width, double target)
{
    char reached[24] = "no interval yet", goal[24];
    for (int digits = 2; digits <= 5; digits++) {
        if (!isnan(width))
            format_half(reached, sizeof reached, width, digits);
        format_half(goal, sizeof goal, target, digits);
        if (isnan(target) || width <= target || strcmp(reached, goal) != 0)
            break;
    }
    snprintf(to, size, isnan(target) ? "%s" : "%s, goal %s", reached, goal);
}

static void format_span(char *to, size_t size, double seconds)
{
    if (seconds < 99)
        snprintf(to, size, "%.0f s", fmax(ceil(seconds), 1));
    else if (seconds < 5940)
        snprintf(to, size, "%.0f min", ceil(seconds / 60));
    else
        snprintf(to, size, "%.1f h", seconds / 3600);
}

/* Returns true if the session's limit is expected to be reached before its goal. */
static bool is_too_long(const struct session_progress *now)
{
    return now->elapsed_seconds + now->left_seconds > now->limit_seconds + 1;
}

static void format_left(char *to, size_t size, const struct session_progress *now)
{
    const double until_limit = now->limit_seconds - now->elapsed_seconds;
    char words[UNITS_BUFFER];
    *to = '\0';
    if (isnan(now->left_seconds)) {
        format_span(words, sizeof words, until_limit);
        if (now->measuring && until_limit > 0 && isfinite(until_limit))
            snprintf(to, size, "at most %s", words);
    } else if (is_too_long(now) && now->limit_share > 0) {
        format_half(words, sizeof words, now->limit_share, 2);
        snprintf(to, size, "%s by the limit", words);
    } else if (is_too_long(now)) {
        snprintf(to, size, "limit of %s comes first",
                 format_time(words, sizeof words, now->limit_seconds * 1e9));
    } else {
        format_span(words, sizeof words, now->left_seconds);
        snprintf(to, size, "%s %s", now->left_is_least ? "at least" : "about", words);
    }
}

bool progress_offer(const struct session_progress *now, char *to, size_t size)
{
    char needed[UNITS_BUFFER], limit[UNITS_BUFFER], half[24] = "";
    if (!now->measuring || now->elapsed_seconds < PROGRESS_OFFER_SECONDS ||
        !isfinite(now->limit_seconds) || !(isnan(now->left_seconds) || is_too_long(now)))
        return false;
    format_time(limit, sizeof limit, now->limit_seconds * 1e9);
    if (isnan(now->left_seconds)) {
        snprintf(to, size,
                 "nothing shows yet how long it takes, %s (--limit) at most; Ctrl-C ends it now "
                 "and keeps what is measured",
                 limit);
        return true;
    }
    const bool hopeless = now->left_seconds > HOPELESS_SECONDS;
    format_span(needed, sizeof needed, now->left_seconds);
    if (now->limit_share > 0)
        format_half(half, sizeof half, now->limit_share, 2);
    snprintf(to, size,
             "what is asked for would take %s%s more; the limit of %s comes first%s%s; Ctrl-C "
             "ends it now and keeps what is measured",
             hopeless ? "a month or" : "about ", hopeless ? "" : needed, limit,
             *half ? ", with about " : "", half);
    return true;
}

enum part { PART_STAGE, PART_NUMBER, PART_LACK, PART_LEFT, PARTS };

static const char *mean_unit(const struct session_progress *now)
{
    return now->mean_unit ? now->mean_unit : "IOPS";
}

static void format_number(char *to, size_t size, const struct session_progress *now)
{
    char number[UNITS_BUFFER];
    if (isfinite(now->bytes_rate))
        snprintf(to, size, "%s", format_rate(number, sizeof number, now->bytes_rate));
    else if (isfinite(now->mean) && now->mean_is_time)
        snprintf(to, size, "%s", format_time(number, sizeof number, now->mean));
    else if (isfinite(now->mean))
        snprintf(to, size, "%s %s", format_count(number, sizeof number, now->mean), mean_unit(now));
    else if (isfinite(now->rate))
        snprintf(to, size, "%s %s", format_count(number, sizeof number, now->rate), mean_unit(now));
}

/* Replaces control characters and bytes other than ASCII, which may be in names, by '?'. */
static void make_plain(char *line)
{
    for (; *line; line++)
        if (!isprint((unsigned char)*line))
            *line = '?';
}

/* The parts of the line, the most important first. The last ones are left out first. */
static const enum part by_worth[] = {PART_NUMBER, PART_LACK, PART_LEFT, PART_STAGE};

static size_t put_together(char parts[PARTS][160], const bool used[PARTS], char *to, size_t size)
{
    size_t length = 0;
    *to = '\0';
    for (int i = 0; i < PARTS; i++)
        if (used[i] && parts[i][0])
            length += (size_t)snprintf(to + length, size - length, "%s%s",
                                       !length          ? ""
                                       : i == PART_LEFT ? "; "
                                                        : "  ",
                                       parts[i]);
    return length;
}

void progress_line(const struct session_progress *now, char *to, size_t size, size_t width)
{
    char parts[PARTS][160] = {0}, share[24] = "";
    bool used[PARTS] = {false};
    if (isfinite(now->done_share))
        snprintf(share, sizeof share, ", %.0f %%", floor(now->done_share * 100));
    snprintf(parts[PART_STAGE], sizeof parts[0], "%.100s%s, %.0f s", now->stage, share,
             now->elapsed_seconds);
    format_number(parts[PART_NUMBER], sizeof parts[0], now);
    if (now->measuring && now->missing[0])
        snprintf(parts[PART_LACK], sizeof parts[0], "%s", now->missing);
    else if (now->measuring && now->index[0]) {
        char words[80];
        format_width(words, sizeof words, now->width_share, now->target_share);
        bool is_of_number = !now->mean_is_time && !strcmp(now->index, mean_unit(now));
        snprintf(parts[PART_LACK], sizeof parts[0], "%s%s%s", is_of_number ? "" : now->index,
                 is_of_number ? "" : ": ", words);
    }
    format_left(parts[PART_LEFT], sizeof parts[0], now);
    /* The first part that is not empty is always shown, cut if necessary. The elapsed time is
       shown, too, if it fits, to show that the command goes on. */
    char line[LINE_MAX_BYTES] = "";
    for (size_t i = 0; i < sizeof by_worth / sizeof *by_worth; i++) {
        const enum part part = by_worth[i];
        bool is_first = !line[0], fits;
        used[part] = true;
        fits = put_together(parts, used, line, sizeof line) <= width || is_first;
        if (!fits && part == PART_STAGE) {
            snprintf(parts[part], sizeof parts[0], "%.0f s", now->elapsed_seconds);
            fits = put_together(parts, used, line, sizeof line) <= width;
        }
        used[part] = fits;
    }
    put_together(parts, used, line, sizeof line);
    make_plain(line);
    snprintf(to, size < width + 1 ? size : width + 1, "%s", line);
}

/* ---- drawing ---- */

/* Returns the usable width. The last column stays empty, because writing there makes some terminals
   wrap the line. */
static size_t terminal_width(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
        window.ws_col <= COLUMNS_MAX)
        return (size_t)window.ws_col - 1;
    return COLUMNS_MAX;
}

enum progress_number progress_number_of(const struct session_progress *now)
{
    return now->measuring && isfinite(now->mean) ? PROGRESS_MEASURED
           : isfinite(now->bytes_rate) || isfinite(now->rate) || isfinite(now->mean)
               ? PROGRESS_PRELIMINARY
               : PROGRESS_NO_NUMBER;
}

/* Returns true if a line is due. On a terminal, a line about a new stage is due at once, because
   the stage may last long. Without a terminal, the first line with a number of each kind is due at
   once. */
static bool is_due(struct progress *p, const struct session_progress *now)
{
    double instant = seconds_of_clock(CLOCK_MONOTONIC);
    const enum progress_number number = progress_number_of(now);
    bool is_new = p->terminal ? strncmp(p->stage, now->stage, sizeof p->stage - 1) != 0
                              : number > p->number && instant >= p->begin + first_number_seconds;
    if (instant < p->next && !is_new)
        return false;
    snprintf(p->stage, sizeof p->stage, "%s", now->stage);
    p->number = number > p->number ? number : p->number;
    p->next = instant + (p->terminal ? redraw_seconds : plain_seconds);
    return true;
}

/* Draws the full screen, with 80 x 24 characters if the terminal has no known size. */
static void draw_screen(struct progress *p, const struct session_progress *now)
{
    char line[LINE_MAX_BYTES];
    struct winsize window;
    size_t columns = 80, rows = 24;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && window.ws_row > 0) {
        columns = window.ws_col;
        rows = window.ws_row;
    }
    progress_line_below(p->overall, now, line, sizeof line, columns - 1);
    p->screen.length = 0;
    live_screen(now->live, line, &p->style, columns - 1, rows, &p->screen);
    full_screen_draw(&p->screen, &p->frame);
}

/* ---- while the command is silent ---- */

/*
 * The state that the command shows now, whether it is drawn or not due yet. While the command works
 * without reporting progress (it waits for the device, or sorts), a thread draws this state again
 * with the time that has passed, so that the line is never out of date. Once the predicted time has
 * passed, the thread shows no prediction. The thread uses only these data, and ends with the
 * process.
 */
static struct {
    pthread_mutex_t lock;
    bool begun, active, terminal;
    double shown_at, drawn_at; /* seconds of CLOCK_MONOTONIC */
    struct session_progress last;
    char stage[160], unit[48], overall[sizeof((struct progress *)0)->overall];
} silence = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void draw_silence(double instant)
{
    struct session_progress now = silence.last;
    const double passed = instant - silence.shown_at;
    char line[LINE_MAX_BYTES];
    now.elapsed_seconds += passed;
    now.left_seconds -= passed;
    if (!(now.left_seconds > 0)) {
        now.left_seconds = NAN;
        now.limit_seconds = INFINITY; /* the limit ("at most") is a prediction, too */
    }
    progress_line_below(silence.overall, &now, line, sizeof line,
                        silence.terminal ? terminal_width() : COLUMNS_MAX);
    dprintf(STDERR_FILENO, silence.terminal ? "\r\033[J%s\r" : "%s\n", line);
    silence.drawn_at = instant;
}

static void *watch_silence(void *unused)
{
    const struct timespec pause = {0, 250000000};
    (void)unused;
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&silence.lock);
        const double instant = seconds_of_clock(CLOCK_MONOTONIC);
        if (silence.active &&
            instant >= silence.drawn_at + (silence.terminal ? silent_seconds
                                                            : plain_seconds + plain_silent_seconds))
            draw_silence(instant);
        pthread_mutex_unlock(&silence.lock);
    }
    return NULL;
}

/* Starts the thread. A failure is ignored: the line is then only updated by the command. */
static void begin_silence(void)
{
    enum { STACK_BYTES = 128 * 1024 };
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (silence.begun || pthread_attr_init(&attributes))
        return;
    silence.begun = true;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* only the main thread gets signals */
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_create(&thread, &attributes, watch_silence, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* Stores what is shown and whether it was drawn, for the thread; NULL: nothing is shown any
   more. */
static void keep_for_silence(const struct progress *p, const struct session_progress *now,
                             bool is_drawn)
{
    pthread_mutex_lock(&silence.lock);
    const bool is_first = !silence.active;
    silence.active = now;
    if (now) {
        silence.terminal = p->terminal;
        silence.shown_at = seconds_of_clock(CLOCK_MONOTONIC);
        if (is_drawn)
            silence.drawn_at = silence.shown_at;
        else if (is_first) /* the first line is drawn when it is due, not at once */
            silence.drawn_at = p->next - (p->terminal ? redraw_seconds : plain_seconds);
        silence.last = *now;
        snprintf(silence.stage, sizeof silence.stage, "%s", now->stage);
        silence.last.stage = silence.stage;
        if (now->mean_unit) {
            snprintf(silence.unit, sizeof silence.unit, "%s", now->mean_unit);
            silence.last.mean_unit = silence.unit;
        }
        memcpy(silence.overall, p->overall, sizeof silence.overall);
    }
    pthread_mutex_unlock(&silence.lock);
}

/* ---- the line ---- */

static void draw(struct progress *p, const char *line)
{
    fprintf(stderr, p->terminal ? "\r\033[J%s\r" : "%s\n", line);
    fflush(stderr);
    p->drawn = p->terminal;
}

void progress_begin(struct progress *p, const char *stage)
{
    const char *terminal = getenv("TERM");
    const double now = seconds_of_clock(CLOCK_MONOTONIC);
    *p = (struct progress){.begin = now, .next = now + first_line_seconds};
    begin_silence();
    p->terminal = isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
    progress_words(p, stage, NAN);
}

void progress_overall(void *context, const char *words)
{
    struct progress *p = context;
    snprintf(p->overall, sizeof p->overall, "%s", words);
}

void progress_line_below(const char *overall, const struct session_progress *now, char *to,
                         size_t size, size_t width)
{
    const size_t min_room = 20;
    size_t used = strlen(overall);
    used = used < width ? used : width;
    /* the cut is between two words */
    while (used > 0 && used < strlen(overall) && overall[used] != ' ')
        used--;
    if (used == 0) {
        progress_line(now, to, size, width);
        return;
    }
    snprintf(to, size, "%.*s", (int)used, overall);
    if (used + 2 + min_room > width || used + 2 >= size)
        return;
    snprintf(to + used, size - used, ": ");
    progress_line(now, to + used + 2, size - used - 2, width - used - 2);
}

void progress_show(void *context, const struct session_progress *now)
{
    struct progress *p = context;
    char line[LINE_MAX_BYTES];
    if (!is_due(p, now)) {
        if (!p->live)
            keep_for_silence(p, now, false);
        return;
    }
    if (p->live) {
        draw_screen(p, now);
        return;
    }
    char words[256];
    if (!p->offered && !p->overall[0] && progress_offer(now, words, sizeof words)) {
        p->offered = true;
        progress_notice(p, words);
    }
    progress_line_below(p->overall, now, line, sizeof line,
                        p->terminal ? terminal_width() : COLUMNS_MAX);
    keep_for_silence(p, now, true);
    draw(p, line);
}

void progress_words(void *context, const char *words, double done_share)
{
    struct progress *p = context;
    const struct session_progress now = {.stage = words,
                                         .elapsed_seconds = progress_seconds(p),
                                         .limit_seconds = INFINITY,
                                         .done_share = done_share,
                                         .bytes_rate = NAN,
                                         .mean = NAN,
                                         .left_seconds = NAN,
                                         .rate = NAN};
    progress_show(p, &now);
}

int progress_full_screen(struct progress *p, const struct report_style *style, struct err *e)
{
    static char page[4096]; /* not const: a constant would take space in the executable */
    const char *no_colour = getenv("NO_COLOR");
    progress_end(p);
    p->style = *style;
    p->style.colour = !no_colour || !*no_colour;
    for (size_t i = 0; i < LIVE_SCREEN_BYTES / sizeof page; i++) {
        text_add_bytes(&p->screen, page, sizeof page);
        text_add_bytes(&p->frame, page, sizeof page);
    }
    if (p->screen.failed || p->frame.failed)
        return err_no_memory(e, "a screen");
    p->live = true;
    full_screen_install();
    return 0;
}

void progress_end(struct progress *p)
{
    keep_for_silence(p, NULL, false);
    full_screen_leave();
    text_free(&p->screen);
    text_free(&p->frame);
    p->live = false;
    if (p->drawn)
        fputs("\r\033[J", stderr);
    p->drawn = false;
}

void progress_notice(void *context, const char *words)
{
    struct progress *p = context;
    if (p->live)
        /* The notice must stay visible. The next drawing enters the screen again. */
        full_screen_leave();
    else
        progress_end(p);
    fprintf(stderr, "cupel: %s\n", words);
}
