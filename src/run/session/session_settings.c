/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records how the session was measured, as facts: every report shows them under "method". */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "base/version.h"
#include "run/launch/rank_common_begin.h"
#include "run/loop/timed_loop.h"
#include "run/session/running.h"

void session_setting(struct session *s, const char *node, const char *key, const char *format, ...)
{
    char value[sizeof((struct fact *)0)->value];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    facts_add(&s->contents.settings, node, key, value, "", "", FACT_OK);
}

/* Records the command line, quoted for a shell; "command 2" and further settings continue it, and
   the last of them says that the rest is missing. */
static void settings_of_command(struct session *s)
{
    enum { PIECE = sizeof((struct fact *)0)->value - 1, PIECES = 8 };
    char line[PIECE * PIECES], key[16] = "command";
    struct text words = {0};
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        fclose(f);
    line[n] = '\0';
    for (const char *word = line; word < line + n; word += strlen(word) + 1) {
        text_add(&words, words.length ? " " : "");
        text_add_shell(&words, word);
    }
    size_t at = 0, pieces = 0;
    while (at < words.length && pieces < PIECES) {
        size_t length = words.length - at < PIECE ? words.length - at : PIECE;
        while (length < words.length - at && (words.data[at + length] & 0xc0) == 0x80)
            length--; /* a character of several bytes stays in one piece */
        session_setting(s, "origin", key, "%.*s", (int)length, words.data + at);
        snprintf(key, sizeof key, "command %zu", ++pieces + 1);
        at += length;
    }
    if (n == sizeof line - 1 || at < words.length)
        session_setting(s, "origin", key, "...");
    text_free(&words);
}

/* Records which user ran the program, as far as the environment says. */
static void settings_of_user(struct session *s)
{
    static const char *const names[] = {"SUDO_USER", "LOGNAME", "USER"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !(name && *name); i++)
        name = getenv(names[i]);
    if (!(name && *name) && !getuid())
        name = "root";
    if (name && *name)
        session_setting(s, "origin", "user", "%s", name);
    else
        session_setting(s, "origin", "user", "number %u", (unsigned)getuid());
}

/* Records who measured, when, and with which program, because a signed result needs this. */
static void settings_of_origin(struct session *s)
{
    char date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    session_setting(s, "origin", "date", "%s", date);
    struct utsname name;
    if (!uname(&name))
        session_setting(s, "origin", "host", "%s", name.nodename);
    session_setting(s, "origin", "cupel", "%s", cupel_version);
    settings_of_user(s);
    settings_of_command(s);
}

void session_launch_setting(void *session, const char *key, const char *value)
{
    session_setting(session, "launch", key, "%s", value);
}

static void start(struct session *s)
{
    settings_of_origin(s);
    common_start_facts(s->start, session_launch_setting, s);
}

void session_settings_of_statistics(struct session *s)
{
    static const char *const changepoints[] = {
        [CHANGEPOINT_PELT] = "pelt", [CHANGEPOINT_EDM] = "edm", [CHANGEPOINT_NONE] = "none"};
    static const char *const intervals[] = {
        [INTERVAL_SPECTRAL] = "spectral", [INTERVAL_PILOT] = "pilot"};
    const struct plan *p = &s->contents.plan;
    session_setting(s, "statistics", "preset", "%s", p->statistics.preset);
    session_setting(s, "statistics", "precision",
                    "+-%g %% of the mean, %g %% confidence, at least %u independent readings",
                    p->statistics.target_width * 50, p->statistics.confidence * 100,
                    p->statistics.minimum_subsessions);
    session_setting(s, "statistics", "methods", "change points %s, interval %s",
                    changepoints[p->statistics.changepoint], intervals[p->statistics.interval]);
}

static void settings_of_priority(struct session *s)
{
    const struct worker *w = s->group.workers;
    bool wanted = s->contents.plan.realtime && w->realtime, gave_back = false;
    /* a timed loop decides itself when to give the priority back, so this is read from its
       statistics */
    for (unsigned i = 0; i < s->group.count; i++)
        gave_back |= w[i].timed && timed_statistics(&w[i])->gave_back_priority > 0;
    const char *text =
        !s->contents.plan.realtime ? "not asked for"
        : s->shares_processors     ? "given up: jobs, ranks or targets share the processors"
        : !wanted                  ? "given up for SQPOLL, whose kernel thread it would starve"
        : !w->realtime_granted     ? "not permitted"
        : w->spins                 ? "given back: the workers never sleep and would be throttled"
        : gave_back ? "SCHED_FIFO 1; given back while workers could not sleep enough to keep it"
                    : "SCHED_FIFO 1";
    session_setting(s, "workers", "real-time priority", "%s", text);
    if (wanted && !w->realtime_granted)
        contents_note(&s->contents, false,
                      "no real-time priority (not permitted): other programs on the workers' "
                      "processors add to latencies");
}

static void report(struct session *s)
{
    const struct clock *c = &s->clock;
    const struct measurement *m = &s->contents.measurement;
    char slice[UNITS_BUFFER], step[40] = "";
    if (c->hertz < 1e9)
        snprintf(step, sizeof step, " (steps of %.3g ns)", 1e9 / c->hertz);
    if (c->counter)
        session_setting(s, "clock", "clock",
                        "%s at %.6f MHz%s, within %.3f ppm; one reading costs %.1f ns", c->name,
                        c->hertz * 1e-6, step, c->residual_ppm, c->cost_ns);
    else
        session_setting(s, "clock", "clock", "%s (%s); one reading costs %.1f ns", c->name, c->why,
                        c->cost_ns);
    common_begin_facts(&s->begin.common, session_launch_setting, s);
    if (!s->group_started)
        return;
    settings_of_priority(s);
    if (m->slice_seconds > 0)
        session_setting(s, "rounds", "slices", "%zu of %s; %llu were taken", m->slice_count,
                        format_time(slice, sizeof slice, measurement_slice_seconds(m) * 1e9),
                        (unsigned long long)m->original_slices);
    s->contents.records_lost = group_records_lost(&s->group);
    s->contents.records_seen = s->group.collector->records;
}

static void after(struct session *s)
{
    heartbeat_stop(&s->heartbeat); /* stopped first, because the heartbeat reads the clock */
    clock_refine(&s->clock);
    session_parts_call(s, ON_REPORT);
}

const struct session_part part_method = {.on = {[ON_START] = start, [ON_REPORT] = report},
                                         .after = after};
