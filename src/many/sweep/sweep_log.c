/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads the log of a sweep. Each of its lines is either complete or missing. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/file/file.h"
#include "base/number_parse.h"
#include "many/sweep/internal.h"

#define LOG_NAME  "sweep.log"
#define PLAN_NAME "plan.txt"
#define LOG_MAX   ((size_t)1 << 30)
#define LOCK_NAPS 30

static const struct line_form form = {.separator = ",", .flushed = true};

/* ---- reading ---- */

/* Removes the field up to the next comma from the line and returns it. */
static struct span take_field(struct span *line)
{
    const char *comma = memchr(line->text, ',', line->length);
    struct span field = {line->text, comma ? (size_t)(comma - line->text) : line->length};
    size_t taken = field.length + (comma != NULL);
    line->text += taken;
    line->length -= taken;
    return field;
}

static bool take_number(struct span *line, uint64_t max, uint64_t *number)
{
    struct span field = take_field(line);
    uint64_t value = 0;
    for (size_t i = 0; i < field.length; i++) {
        unsigned digit = (unsigned)(field.text[i] - '0');
        if (digit > 9 || value > (max - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    *number = value;
    return field.length && value <= max;
}

static bool take_double(struct span *line, double *value)
{
    struct span field = take_field(line);
    *value = NAN;
    return !field.length || reading_parse(field.text, field.length, value) == NUMBER_OK;
}

static bool take_run(struct span line, struct sweep_run *run, uint32_t numbers)
{
    uint64_t configuration, control, block, time;
    if (!numbers || !take_number(&line, numbers - 1, &configuration) ||
        !take_number(&line, 1, &control) || !take_number(&line, UINT32_MAX, &block) ||
        !take_number(&line, INT64_MAX, &time))
        return false;
    run->configuration = (uint32_t)configuration;
    run->control = control;
    run->block = (uint32_t)block;
    run->time_ns = (int64_t)time;
    return true;
}

/* Reads a line. Returns 1 if it added a run, 0 if it is about a failure or the target, and -1 if it
   is impossible. */
static int read_line(struct span line, uint32_t numbers, struct sweep_runs *all,
                     char target[TARGET_IDENTITY_BYTES], struct err *e)
{
    double values[SWEEP_RESPONSES_MAX];
    char host[80];
    struct sweep_run run = {.values = values};
    struct span kind = take_field(&line);
    bool failed = span_is(kind, "failed");
    if (span_is(kind, "target")) {
        snprintf(target, TARGET_IDENTITY_BYTES, "%.*s", (int)line.length, line.text);
        return 0;
    }
    if (!failed && !span_is(kind, "run"))
        return err_set(e, ERR_USAGE, "it is no line of a sweep");
    for (int i = 0; i < 4 && failed; i++)
        take_field(&line);
    if (failed) {
        all->failed++;
        span_printable(all->failure, sizeof all->failure, line);
        return 0;
    }
    /* The first four fields are numbers. */
    struct span rest = line;
    for (int i = 0; i < 4; i++)
        take_field(&rest);
    if (!take_run(line, &run, numbers) || !take_double(&rest, &run.seconds))
        return err_set(e, ERR_USAGE, "its run is not possible in this plan");
    span_printable(host, sizeof host, take_field(&rest));
    run.host = sweep_host_name(all, host);
    if (!run.host)
        return err_no_memory(e, "runs");
    for (size_t i = 0; i < all->response_count; i++)
        if (!take_double(&rest, &values[i]))
            return err_set(e, ERR_USAGE, "its values are no numbers");
    return sweep_runs_add(all, &run, e);
}

/* Writes the first line of the log. */
static void head_of(const struct sweep_request *r, struct text *out)
{
    text_addf(out, "cupel-sweep,1,%u,%u,%08" PRIx32, r->shard, r->shards,
              crc32c(0, r->plan->canonical.data, r->plan->canonical.length));
}

/* Reads all lines into `all`. The log is continued after its last complete line. */
static int read_lines(struct sweep_log *log, const struct sweep_request *r, struct span text,
                      uint32_t numbers, struct sweep_runs *all, struct err *e)
{
    struct line_reader reader = {.form = &form, .rest = text};
    struct span line;
    struct text head = {0};
    const char *path = log->lines.path;
    int status = 0;
    head_of(r, &head);
    while (!status && line_next(&reader, &line)) {
        if (reader.number > 1)
            status = read_line(line, numbers, all, log->target, e) < 0
                         ? err_context(e, "%s:%zu", path, reader.number)
                         : 0;
        else if (!head.data || !span_is(line, head.data))
            status = err_set(e, ERR_USAGE,
                             "%s: it is of another shard, or of another version of the plan: give "
                             "this one a folder of its own",
                             path);
    }
    text_free(&head);
    log->lines.end = (off_t)(text.length - reader.rest.length);
    if (!status && (!log->lines.end || !line_rest_is_torn(&reader)))
        return err_set(e, ERR_USAGE, "%s:%zu: the line is damaged, and others follow it", path,
                       reader.number);
    return status;
}

/* ---- writing ---- */

/* Adds the line, and frees it. */
static int append(struct sweep_log *log, struct text *line, struct err *e)
{
    int status = line->failed
                     ? err_no_memory(e, "runs")
                     : line_journal_add(&log->lines, (struct span){line->data, line->length}, e);
    text_free(line);
    return status;
}

static void begin_line(struct text *line, const char *kind, const struct sweep_run *run)
{
    text_addf(line, "%s,%" PRIu32 ",%d,%" PRIu32 ",%" PRId64, kind, run->configuration,
              run->control, run->block, run->time_ns);
}

int sweep_log_run(struct sweep_log *log, const struct sweep_run *run, size_t responses,
                  struct err *e)
{
    struct text line = {0};
    begin_line(&line, "run", run);
    text_addf(&line, ",%.6f,%s", run->seconds, run->host);
    for (size_t i = 0; i < responses; i++)
        if (isfinite(run->values[i]))
            text_addf(&line, ",%.17g", run->values[i]);
        else
            text_add(&line, ",");
    return append(log, &line, e);
}

int sweep_log_failure(struct sweep_log *log, const struct sweep_run *run, const char *why,
                      struct err *e)
{
    struct text line = {0};
    char words[200];
    begin_line(&line, "failed", run);
    text_addf(&line, ",%s", span_printable(words, sizeof words, span_of(why)));
    return append(log, &line, e);
}

int sweep_log_target(struct sweep_log *log, const char *identity, struct err *e)
{
    struct text line = {0};
    snprintf(log->target, sizeof log->target, "%s", identity);
    text_addf(&line, "target,%s", identity);
    return append(log, &line, e);
}

/* ---- the folder ---- */

static struct span next_line(struct span *rest)
{
    const char *end = memchr(rest->text, '\n', rest->length);
    struct span line = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
    rest->text += line.length + (end != NULL);
    rest->length -= line.length + (end != NULL);
    return line;
}

/* Refuses a folder whose plan differs, and names the first line that does. */
static int refuse_other_plan(const char *folder, struct span kept, struct span now, struct err *e)
{
    char was[80], is[80];
    for (;;) {
        struct span a = next_line(&kept), b = next_line(&now);
        if ((kept.length || now.length) && a.length == b.length &&
            !memcmp(a.text, b.text, a.length))
            continue;
        return err_set(e, ERR_USAGE,
                       "%s holds the sweep of another plan: there \"%s\" is \"%s\"; a changed plan "
                       "is a sweep of its own, with a folder of its own",
                       folder, span_printable(is, sizeof is, b),
                       span_printable(was, sizeof was, a));
    }
}

static int check_same_plan(const struct sweep_request *r, struct err *e)
{
    char path[PATH_MAX], *kept;
    size_t length;
    const struct text *now = &r->plan->canonical;
    if (!file_path(path, "%s/" PLAN_NAME, r->folder))
        return err_set(e, ERR_USAGE, "%.80s...: the name is too long", r->folder);
    if (file_read_all(path, LOG_MAX, &kept, &length, e))
        return err_context(e, "%s holds no sweep that can be resumed", r->folder);
    bool same = length == now->length && !memcmp(kept, now->data, length);
    if (!same)
        refuse_other_plan(r->folder, (struct span){kept, length},
                          (struct span){now->data, now->length}, e);
    free(kept);
    return same ? 0 : -1;
}

/* Waits a moment for the lock: a sweep that was just killed may not have ended yet, or the unset
   commands of its levels still run. */
static int lock(const struct sweep_log *log, const char *folder, struct err *e)
{
    const struct timespec nap = {.tv_nsec = 100000000};
    int status = flock(log->lines.fd, LOCK_EX | LOCK_NB);
    for (int i = 0; i < LOCK_NAPS && status && errno == EWOULDBLOCK; i++) {
        nanosleep(&nap, NULL);
        status = flock(log->lines.fd, LOCK_EX | LOCK_NB);
    }
    if (!status)
        return 0;
    return errno == EWOULDBLOCK
               ? err_set(e, ERR_UNSAFE,
                         "%s: another cupel sweep is at work there; wait for its end", folder)
               : err_set(e, ERR_MACHINE, "%s cannot be locked: %s", log->lines.path,
                         strerror(errno));
}

static int begin_folder(struct sweep_log *log, const struct sweep_request *r, struct err *e)
{
    struct text head = {0};
    char path[PATH_MAX];
    struct stat st;
    if (!file_path(path, "%s/" PLAN_NAME, r->folder))
        return err_set(e, ERR_USAGE, "%.80s...: the name is too long", r->folder);
    /* A sweep that was killed early has left the same plan. No other plan is replaced. */
    if (!lstat(path, &st) ? check_same_plan(r, e)
                          : write_file_new(r->folder, PLAN_NAME, r->plan->canonical.data,
                                           r->plan->canonical.length, e))
        return -1;
    head_of(r, &head);
    return append(log, &head, e);
}

static int read_folder(struct sweep_log *log, const struct sweep_request *r, uint32_t numbers,
                       struct sweep_runs *all, struct err *e)
{
    char *text;
    size_t length;
    if (file_read_all(log->lines.path, LOG_MAX, &text, &length, e))
        return -1;
    int status = read_lines(log, r, (struct span){text, length}, numbers, all, e);
    free(text);
    if (!status && line_journal_cut(&log->lines))
        status = err_set(e, ERR_TARGET, "%s: %s", log->lines.path, strerror(errno));
    return status;
}

int sweep_log_open(struct sweep_log *log, const struct sweep_request *r, uint32_t numbers,
                   struct sweep_runs *all, struct err *e)
{
    struct stat st;
    log->lines = (struct line_journal){.form = &form, .fd = -1};
    if (!r->folder)
        return 0;
    if (!file_path(log->lines.path, "%s/" LOG_NAME, r->folder))
        return err_set(e, ERR_USAGE, "%.80s...: the name is too long", r->folder);
    bool there = !lstat(log->lines.path, &st);
    if (there && !r->resume)
        return err_set(e, ERR_USAGE, "%s holds a sweep already: --resume goes on with it",
                       r->folder);
    if (there && !S_ISREG(st.st_mode))
        return err_set(e, ERR_USAGE, "%s is no regular file: it is of no sweep", log->lines.path);
    /* A sweep that was killed before it had a log has left an empty folder. */
    if (!there && (r->resume ? dir_make_or_empty(r->folder, e) : dir_make_new(r->folder, e)))
        return -1;
    if (line_journal_open(&log->lines, !there))
        return err_set(e, ERR_TARGET, "%s: %s", log->lines.path, strerror(errno));
    if (lock(log, r->folder, e))
        return -1;
    /* A log without any line belongs to a sweep that ended while its folder was being made. */
    if (fstat(log->lines.fd, &st) || st.st_size == 0)
        return begin_folder(log, r, e);
    return check_same_plan(r, e) ? -1 : read_folder(log, r, numbers, all, e);
}

void sweep_log_close(struct sweep_log *log)
{
    line_journal_close(&log->lines);
}
