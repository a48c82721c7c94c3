/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs sessions over time: when each begins, its plan, the reason for the end, and the folder that
   keeps them. */
#include "many/repeat/repeat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/durable/line_journal.h"
#include "base/file/file.h"
#include "base/text.h"
#include "base/units.h"
#include "many/repeat/internal.h"

#define END_NAME      "repeat.cupel"
#define END_MARK      "cupel repeat 1\n"
#define END_MAX_BYTES 4096

static const char *const ending_names[] = {[REPEAT_RUNNING] = "running",
                                           [REPEAT_DONE] = "done",
                                           [REPEAT_INTERRUPTED] = "interrupted",
                                           [REPEAT_LIMIT] = "limit",
                                           [REPEAT_FAILED] = "failed"};
/* The whole file is sealed as one line of this form, with one checksum. */
static const struct line_form form = {.separator = "crc32c="};

enum { ENDINGS = sizeof ending_names / sizeof *ending_names };

void repeat_end_path(char to[REPEAT_PATH], const char *folder)
{
    snprintf(to, REPEAT_PATH, "%.1020s/" END_NAME, folder);
}

static void repeat_session_folder(char to[REPEAT_PATH], const char *folder, uint32_t index)
{
    snprintf(to, REPEAT_PATH, "%.1020s/session-%u", folder, index + 1);
}

static void repeat_record_path(char to[REPEAT_PATH], const char *folder, uint32_t index)
{
    snprintf(to, REPEAT_PATH, "%.1020s/session-%u/record.cupel", folder, index + 1);
}

bool repeat_is_folder(const char *folder)
{
    char end[REPEAT_PATH], first[REPEAT_PATH];
    repeat_end_path(end, folder);
    repeat_record_path(first, folder, 0);
    return access(end, F_OK) == 0 || access(first, F_OK) == 0;
}

/* ---- the end of the run ---- */

/* Writes a key with a message, in which line ends are replaced. */
static void write_line(struct text *out, const char *key, const char *value)
{
    text_addf(out, "%s=", key);
    for (; *value; value++)
        text_add_bytes(out, (unsigned char)*value < ' ' ? " " : value, 1);
    text_add(out, "\n");
}

static int repeat_end_write(const char *folder, const struct repeat_end *end, struct err *e)
{
    struct text out = {0}, sealed = {0};
    uint32_t chain = 0;
    text_addf(&out, END_MARK "begun=%u\nending=%s\ncode=%d\n", end->begun,
              ending_names[end->ending], (int)end->code);
    write_line(&out, "message", end->message);
    write_line(&out, "warning", end->warning);
    if (!out.failed)
        line_seal(&form, &chain, (struct span){out.data, out.length}, &sealed);
    int status = out.failed || sealed.failed
                     ? err_no_memory(e, "%s/" END_NAME, folder)
                     : write_file_over(folder, END_NAME, "", sealed.data, sealed.length, e);
    text_free(&out);
    text_free(&sealed);
    return status;
}

/* Returns the value if *line begins with "key=", and moves *line past it. NULL: *line has another
   key. */
static char *take_value(char **line, const char *key)
{
    size_t length = strlen(key);
    char *end = strchr(*line, '\n');
    if (!end || strncmp(*line, key, length) != 0 || (*line)[length] != '=')
        return NULL;
    char *value = *line + length + 1;
    *end = '\0';
    *line = end + 1;
    return value;
}

static bool take_number(char **line, const char *key, uint32_t max, uint32_t *number)
{
    char *value = take_value(line, key), *end;
    unsigned long n = value ? strtoul(value, &end, 10) : 0;
    if (!value || *value < '0' || *value > '9' || *end || n > max)
        return false;
    *number = (uint32_t)n;
    return true;
}

static bool take_text(char **line, const char *key, char *to, size_t size)
{
    char *value = take_value(line, key);
    if (value)
        snprintf(to, size, "%s", value);
    return value != NULL;
}

static bool parse_end(char *text, size_t length, struct repeat_end *end)
{
    struct span sealed = {text, length};
    char ending[16], *line = text + strlen(END_MARK);
    uint32_t code, chain = 0;
    if (text[--sealed.length] != '\n' || !line_unseal(&form, &chain, &sealed))
        return false;
    text[sealed.length] = '\0';
    if (!take_number(&line, "begun", PLAN_SESSIONS_MAX, &end->begun) ||
        !take_text(&line, "ending", ending, sizeof ending) ||
        !take_number(&line, "code", ERR_MACHINE, &code) ||
        !take_text(&line, "message", end->message, sizeof end->message) ||
        !take_text(&line, "warning", end->warning, sizeof end->warning) || *line)
        return false;
    end->code = (enum err_code)code;
    for (int i = 0; i < ENDINGS; i++)
        if (!strcmp(ending, ending_names[i])) {
            end->ending = (enum repeat_ending)i;
            return true;
        }
    return false;
}

/* Reads how the run ended. If the file is missing or damaged, the ending is unknown: the run may
   still be under way. */
static void read_end(const char *folder, struct repeat *repeat)
{
    struct repeat_end *end = &repeat->end;
    struct err ignored;
    char path[REPEAT_PATH], *text;
    size_t length;
    repeat_end_path(path, folder);
    if (!file_read_kind(path, END_MARK, "how a repeated run ended", END_MAX_BYTES, &text, &length,
                        &ignored)) {
        bool whole = parse_end(text, length, end);
        free(text);
        if (whole)
            return;
    }
    *end = (struct repeat_end){.begun = repeat->plan.repeat.sessions, .ending = REPEAT_RUNNING};
    snprintf(end->warning, sizeof end->warning,
             END_NAME " is missing or damaged: how it ended is "
                      "not known");
}

/* ---- the sessions ---- */

/* Returns true if the plans are those of one run: the same except for seed, limit and begin. */
static bool same_plan(const struct plan *first, const struct plan *plan, uint32_t index)
{
    struct plan expected = *first, found = *plan;
    struct text a = {0}, b = {0};
    expected.seed = repeat_seed(first->seed, index);
    expected.ending.limit_seconds = found.ending.limit_seconds;
    expected.repeat.index = index;
    expected.repeat.begin_seconds = found.repeat.begin_seconds;
    plan_write(&expected, &a);
    plan_write(&found, &b);
    bool same = a.length == b.length && a.data && b.data && !memcmp(a.data, b.data, a.length);
    text_free(&a);
    text_free(&b);
    return same;
}

/* Adds a session. Returns -1 if it does not belong to this run. */
static int take_session(struct repeat **repeat, struct session *session, const char *path,
                        uint32_t index, struct err *e)
{
    const struct plan *plan = session_plan(session);
    if (!*repeat && (plan->repeat.sessions < 2 || plan->repeat.index))
        return err_set(e, ERR_USAGE, "%s: it is not the first session of a repeated run", path);
    if (*repeat && !same_plan(&(*repeat)->plan, plan, index))
        return err_set(e, ERR_USAGE,
                       "%s: it is not session %u of the same run as the first session there", path,
                       index + 1);
    if (!*repeat)
        *repeat = repeat_new(plan, e);
    if (!*repeat)
        return -1;
    session_result(session, (*repeat)->result);
    repeat_take(*repeat, session);
    return 0;
}

int repeat_load(struct repeat **repeat, const char *folder, struct err *e)
{
    struct repeat *r = NULL;
    struct session *session = NULL;
    char path[REPEAT_PATH];
    repeat_record_path(path, folder, 0);
    if (session_load(&session, path, e))
        return -1;
    int status = take_session(&r, session, path, 0, e);
    session_free(session);
    if (status || !r)
        return -1;
    read_end(folder, r);
    struct repeat_end *end = &r->end;
    uint32_t begun = end->begun < r->plan.repeat.sessions ? end->begun : r->plan.repeat.sessions;
    for (uint32_t i = 1; i < begun; i++) {
        struct err why = {0};
        repeat_record_path(path, folder, i);
        /* A session that could not begin has no record. */
        if (end->ending == REPEAT_FAILED && end->message[0] && i + 1 == end->begun)
            continue;
        if (session_load(&session, path, &why)) {
            /* Without one of the sessions the result over all is undecided. The warning names the
               first session that is missing. */
            size_t used = strlen(end->warning);
            if (!r->damaged)
                snprintf(end->warning + used, sizeof end->warning - used, "%s%.180s",
                         used ? "; " : "", why.msg);
            r->damaged = true;
            continue;
        }
        status = take_session(&r, session, path, i, e);
        session_free(session);
        if (status) {
            repeat_free(r);
            return -1;
        }
    }
    *repeat = r;
    return 0;
}

#define WAIT_STEP_NS 100000000

struct repeating {
    struct repeat *repeat;
    const struct repeat_request *request;
    struct session_shared *shared;
    double began;         /* begin of the first session, in seconds of CLOCK_BOOTTIME */
    double session_began; /* begin of the last session */
    char stage[80];       /* "session 2 of 5: round 3" */
};

/*
 * Divides a limit for all sessions into equal parts, so that the sessions are alike. No session
 * gets more than the time that remains after the begin of the last one.
 */
int repeat_plan(struct plan *p, bool limit_given, struct err *e)
{
    char limit[UNITS_BUFFER], start[UNITS_BUFFER], share[UNITS_BUFFER], minimum[UNITS_BUFFER];
    double last_start = p->repeat.every_seconds * (p->repeat.sessions - 1);
    if (!limit_given)
        return 0;
    p->repeat.limit_seconds = p->ending.limit_seconds;
    format_time(limit, sizeof limit, p->ending.limit_seconds * 1e9);
    if (p->ending.limit_seconds <= last_start)
        return err_set(e, ERR_USAGE,
                       "--limit %s is for all sessions together, and the last of %u begins after "
                       "%s: a longer --limit or a shorter --every is needed",
                       limit, p->repeat.sessions,
                       format_time(start, sizeof start, last_start * 1e9));
    p->ending.limit_seconds =
        fmin(p->ending.limit_seconds - last_start, p->ending.limit_seconds / p->repeat.sessions);
    if (p->ending.minimum_seconds < p->ending.limit_seconds)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--limit %s leaves %s for each of %u sessions, and the minimum measuring time is "
        "%s (--min-time, --preset): a longer --limit is needed",
        limit, format_time(share, sizeof share, p->ending.limit_seconds * 1e9), p->repeat.sessions,
        format_time(minimum, sizeof minimum, p->ending.minimum_seconds * 1e9));
}

static double boot_seconds(void)
{
    return seconds_of_clock(CLOCK_BOOTTIME);
}

/* ---- progress ---- */

static void show_session(void *context, const struct session_progress *now)
{
    struct repeating *r = context;
    struct session_progress shown = *now;
    snprintf(r->stage, sizeof r->stage, "session %u of %u: %.50s", r->repeat->end.begun,
             r->request->plan->repeat.sessions, now->stage);
    shown.stage = r->stage;
    r->request->observer->progress(r->request->observer->context, &shown);
}

/* Shows only the first session's notices, because they are the same in every session. */
static void notice_first(void *context, const char *words)
{
    const struct repeating *r = context;
    if (r->repeat->end.begun == 1 && r->request->observer->notice)
        r->request->observer->notice(r->request->observer->context, words);
}

/* ---- the sessions ---- */

/* Waits until the next session may begin. Returns false if a signal or the limit came first. */
static bool wait_for_start(struct repeating *r)
{
    const struct plan *plan = r->request->plan;
    const struct session_observer *observer = r->request->observer;
    double due = r->session_began + plan->repeat.every_seconds;
    char left[UNITS_BUFFER];
    for (;;) {
        double now = boot_seconds();
        if (r->request->stop && *r->request->stop) {
            r->repeat->end.ending = REPEAT_INTERRUPTED;
            return false;
        }
        if (plan->repeat.limit_seconds > 0 && now - r->began >= plan->repeat.limit_seconds) {
            r->repeat->end.ending = REPEAT_LIMIT;
            return false;
        }
        if (now >= due)
            return true;
        if (observer && observer->progress) {
            struct session_progress shown = session_progress_unknown();
            snprintf(r->stage, sizeof r->stage, "session %u of %u begins in %s",
                     r->repeat->end.begun + 1, plan->repeat.sessions,
                     format_time(left, sizeof left, ceil(due - now) * 1e9));
            shown.stage = r->stage;
            shown.elapsed_seconds = now - r->began;
            shown.limit_seconds = plan->repeat.every_seconds * (plan->repeat.sessions - 1) +
                                  plan->ending.limit_seconds;
            observer->progress(observer->context, &shown);
        }
        struct timespec step = {.tv_nsec = WAIT_STEP_NS};
        if (due - now < WAIT_STEP_NS * 1e-9)
            step.tv_nsec = (long)((due - now) * 1e9);
        nanosleep(&step, NULL);
    }
}

static void keep_first_error(struct repeating *r, const struct err *why)
{
    if (!r->repeat->keep_error.code)
        r->repeat->keep_error = *why;
}

static void write_end(struct repeating *r)
{
    struct err why = {0};
    if (r->request->folder && repeat_end_write(r->request->folder, &r->repeat->end, &why))
        keep_first_error(r, &why);
}

/* Runs a session. Returns false if no other one follows; *status is -1 if it could not begin. */
static bool run_session(struct repeating *r, uint32_t index, int *status, struct err *e)
{
    const struct repeat_request *request = r->request;
    struct repeat *repeat = r->repeat;
    struct session_observer observer = {show_session, r, notice_first,
                                        request->observer && request->observer->live, false};
    struct session *session = NULL;
    struct err why = {0};
    char folder[REPEAT_PATH] = "", record[REPEAT_PATH] = ""; /* "": nothing is kept */
    r->session_began = boot_seconds();
    if (!index)
        r->began = r->session_began;
    struct plan plan = repeat->plan;
    plan.repeat.index = index;
    plan.repeat.begin_seconds = round((r->session_began - r->began) * 1e6) * 1e-6;
    plan.seed = repeat_seed(plan.seed, index);
    if (plan.repeat.limit_seconds > 0)
        plan.ending.limit_seconds =
            fmin(plan.ending.limit_seconds, plan.repeat.limit_seconds - plan.repeat.begin_seconds);
    repeat->end.begun = index + 1;
    write_end(r);
    if (request->folder) {
        repeat_session_folder(folder, request->folder, index);
        repeat_record_path(record, request->folder, index);
        if (dir_make_new(folder, e)) {
            e->code = ERR_TARGET;
            *status = -1;
            return false;
        }
    }
    *status = session_run_shared(
        &session, &plan, request->root, record[0] ? record : NULL, request->stop,
        request->observer && request->observer->progress ? &observer : NULL, r->shared, e);
    if (*status) {
        if (folder[0])
            rmdir(folder); /* only an empty folder is removed, and this one is new */
        return false;
    }
    session_result(session, repeat->result);
    if (request->keep && request->keep(request->context, folder, repeat->result, &why))
        keep_first_error(r, &why);
    repeat_take(repeat, session);
    session_free(session);

    enum verdict verdict = repeat->sessions[repeat->session_count - 1].verdict;
    if (verdict == VERDICT_FAILED) {
        repeat->end.ending = REPEAT_FAILED;
        repeat->end.code = ERR_TARGET;
    } else if (verdict == VERDICT_INTERRUPTED) {
        repeat->end.ending = REPEAT_INTERRUPTED;
    }
    return verdict != VERDICT_FAILED && verdict != VERDICT_INTERRUPTED;
}

/* Runs one session after the other. Returns -1 if the first one could not begin. */
static int run_all(struct repeating *r, struct err *e)
{
    struct repeat_end *end = &r->repeat->end;
    uint32_t sessions = r->repeat->plan.repeat.sessions;
    for (uint32_t i = 0; i < sessions; i++) {
        int status = 0;
        if (i && !wait_for_start(r))
            return 0;
        if (run_session(r, i, &status, e))
            continue;
        /* this session could not begin, so the session before it was the last; the end has the
           reason */
        if (status && i) {
            end->ending = e->code == ERR_UNDECIDED ? REPEAT_INTERRUPTED : REPEAT_FAILED;
            end->code = e->code;
            snprintf(end->message, sizeof end->message, "session %u of %u could not begin: %.190s",
                     end->begun, sessions, e->msg);
            return 0;
        }
        return status;
    }
    end->ending = REPEAT_DONE;
    return 0;
}

int repeat_run(struct repeat **repeat, const struct repeat_request *request, struct err *e)
{
    struct repeating r = {.request = request, .shared = session_shared_new()};
    struct err why = {0};
    struct plan plan = *request->plan;
    if (getrandom(&plan.repeat.id, sizeof plan.repeat.id, 0) != (ssize_t)sizeof plan.repeat.id)
        plan.repeat.id = (uint64_t)(boot_seconds() * 1e9);
    r.repeat = repeat_new(&plan, e);
    if (!r.repeat || !r.shared) {
        if (r.shared)
            session_shared_end(r.shared, &why);
        repeat_free(r.repeat);
        return err_no_memory(e, "%u sessions", plan.repeat.sessions);
    }
    session_shared_rank(r.shared, request->start);
    int status = run_all(&r, e);
    if (session_shared_end(r.shared, &why))
        snprintf(r.repeat->end.warning, sizeof r.repeat->end.warning, "%.239s", why.msg);
    if (status) {
        char end[REPEAT_PATH];
        if (request->folder) {
            repeat_end_path(end, request->folder);
            unlink(end);
        }
        repeat_free(r.repeat);
        return -1;
    }
    write_end(&r);
    *repeat = r.repeat;
    return 0;
}

int repeat_kept(const struct repeat *repeat, struct err *e)
{
    if (!repeat->keep_error.code)
        return 0;
    *e = repeat->keep_error;
    return -1;
}
