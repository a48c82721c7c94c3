/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of a repeated run: the folders of its sessions, and repeat.cupel, which has its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/durable/line_journal.h"
#include "base/file/file.h"
#include "base/text.h"
#include "many/repeat/internal.h"

#define END_NAME      "repeat.cupel"
#define END_MARK      "cupel repeat 1\n"
#define END_MAX_BYTES 4096

static const char *const ending_names[] = {[REPEAT_RUNNING] = "running",
                                           [REPEAT_DONE] = "done",
                                           [REPEAT_INTERRUPTED] = "interrupted",
                                           [REPEAT_LIMIT] = "limit",
                                           [REPEAT_FAILED] = "failed"};
/* The whole file is sealed as one line. */
static const struct line_form form = {.separator = "crc32c="};

enum { ENDINGS = sizeof ending_names / sizeof *ending_names };

void repeat_end_path(char to[REPEAT_PATH], const char *folder)
{
    snprintf(to, REPEAT_PATH, "%.1020s/" END_NAME, folder);
}

void repeat_session_folder(char to[REPEAT_PATH], const char *folder, uint32_t index)
{
    snprintf(to, REPEAT_PATH, "%.1020s/session-%u", folder, index + 1);
}

void repeat_record_path(char to[REPEAT_PATH], const char *folder, uint32_t index)
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

/* Writes a key with a message, which must be one line. */
static void write_line(struct text *out, const char *key, const char *value)
{
    text_addf(out, "%s=", key);
    for (; *value; value++)
        text_add_bytes(out, (unsigned char)*value < ' ' ? " " : value, 1);
    text_add(out, "\n");
}

int repeat_end_write(const char *folder, const struct repeat_end *end, struct err *e)
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

/* Returns the value of "key=" at the begin of *line, and moves *line after it. NULL: it is another
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

/* Reads the end. If the file is missing or damaged, the end is unknown: the run may still be
   running. */
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
    expected.limit_seconds = found.limit_seconds;
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
            /* A missing session leaves the whole undecided. The warning names the first one. */
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
