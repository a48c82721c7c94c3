/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel run JOB.fio: runs the sections of a fio job file as sessions, in steps. The sections of one
 * step run at the same time, the steps one after the other. Each session is a command line of cupel
 * run: the options from the file, then those that the user typed with the file's name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "cmd/options/fio_option.h"
#include "fio/job/fio_job.h"
#include "run/launch/rank_name.h"

#define WORDS_MAX 512

static struct fio_job_file job_file; /* static, because it is too large for a small stack */
static struct fio_sessions sessions;

/* ---- permissions ---- */

/* Targets that are written, in the order of the file. If there are several, --destroy-serial has a
   serial number for each of them. */
static struct {
    char targets[FIO_SECTIONS_MAX][1024];
    size_t count;
} written;

static int add_written(const char *target, struct err *e)
{
    for (size_t i = 0; i < written.count; i++)
        if (!strcmp(written.targets[i], target))
            return 0;
    if (written.count == FIO_SECTIONS_MAX)
        return err_set(e, ERR_USAGE, "it writes to more than %d targets", FIO_SECTIONS_MAX);
    snprintf(written.targets[written.count++], sizeof *written.targets, "%s", target);
    return 0;
}

/* Finds the serial number for a target in --destroy-serial=S1,S2,... if several targets are
   written. */
static void give_serial(const char *target, const struct option_set *set, char *to, size_t size)
{
    const char *at = options_given(set, "destroy-serial");
    for (size_t i = 0; i < written.count && written.count > 1 && at; i++) {
        if (!strcmp(written.targets[i], target))
            snprintf(to, size, "%.*s", (int)strcspn(at, ","), at);
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* Checks that every written target is permitted: --destroy or --overwrite permits a single target;
   if several serial numbers are given, each permits one target. */
static int judge_permissions(const struct option_set *set, struct err *e)
{
    const char *serials = options_given(set, "destroy-serial");
    size_t given = 1;
    for (const char *p = serials; p && *p; p++)
        given += *p == ',';
    if (written.count < 2 || (serials && given == written.count && !options_given(set, "destroy") &&
                              !options_given(set, "overwrite")))
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "it writes to %.100s and to %.100s, and one permission is for one target: give "
                   "--destroy-serial with a serial number for each of the %zu targets that it "
                   "writes to, with commas between and in their order, or run what --dry-run "
                   "prints, each by itself; nothing was written",
                   written.targets[0], written.targets[1], written.count);
}

/* ---- one session as a command line ---- */

struct command_line {
    char *words[WORDS_MAX];
    int count;
};

/* Returns how many words at the beginning of `words` concern the job file as a whole: its name,
   --section, --dry-run and the like. Other words go to each session. */
static int count_own_words(char *const words[], const char *file)
{
    static const char section[] = "--section";
    if (!strcmp(words[0], section))
        return 2;
    return words[0] == file || !strcmp(words[0], "--") ||
           option_names_equal(words[0], "--dry-run") || !strcmp(words[0], "--lenient") ||
           !strncmp(words[0], "--section=", sizeof section);
}

/* Joins the words from the file and those of the command line, which override them. The target
   comes after "--", so that it is never taken for an option. */
static int make_line(struct fio_session *s, const struct option_set *set, struct command_line *line,
                     struct err *e)
{
    char *word = s->words.data;
    if (s->word_count + (size_t)set->argument_count + 2 > WORDS_MAX)
        return err_set(e, ERR_USAGE, "more than %d words", WORDS_MAX);
    line->count = 0;
    for (size_t i = 0; i < s->word_count; i++, word += strlen(word) + 1)
        line->words[line->count++] = word;
    for (int i = 0, own; i < set->argument_count; i += own ? own : 1) {
        own = count_own_words(&set->arguments[i], set->operands[0]);
        if (!own)
            line->words[line->count++] = set->arguments[i];
    }
    if (s->target[0]) {
        static char dashes[] = "--";
        line->words[line->count++] = dashes;
        line->words[line->count++] = s->target;
    }
    return 0;
}

/* Joins the lines with "; ". */
static void join_lines(char *to, size_t size, const struct text *lines)
{
    size_t used = 0;
    for (const char *p = lines->data ? lines->data : ""; *p && used + 3 < size; p++) {
        if (*p != '\n')
            to[used++] = *p;
        else if (p[1])
            used += (size_t)snprintf(to + used, size - used, "; ");
    }
    to[used] = '\0';
}

/* ---- steps ---- */

static size_t end_of_step(size_t begin)
{
    size_t end = begin + 1;
    while (end < sessions.count && sessions.list[end].at_once)
        end++;
    return end;
}

static size_t count_steps(size_t end)
{
    size_t steps = 0;
    for (size_t i = 0; i < end; i = end_of_step(i))
        steps++;
    return steps;
}

static size_t begin_of_step(size_t index)
{
    while (sessions.list[index].at_once)
        index--;
    return index;
}

/* Makes a folder's name from a session's name. */
static void make_folder_name(char to[64], const char *name)
{
    snprintf(to, 64, "%s", name);
    for (char *p = to; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_' && (*p != '.' || p == to))
            *p = '_';
}

/* Fills *to, the description of a session for the runner. Its words point into `line`. */
static int describe_session(size_t index, const struct option_set *set, struct command_line *line,
                            struct fio_job_session *to, struct err *e)
{
    struct fio_session *s = &sessions.list[index];
    if (make_line(s, set, line, e))
        return -1;
    const size_t begin = begin_of_step(index);
    *to = (struct fio_job_session){.words = line->words,
                                   .word_count = line->count,
                                   .name = s->name,
                                   .number = count_steps(begin) + 1,
                                   .of = count_steps(sessions.count),
                                   .at_once = end_of_step(begin) - begin};
    make_folder_name(to->folder_name, s->name);
    give_serial(s->target, set, to->serial, sizeof to->serial);
    join_lines(to->left_out, sizeof to->left_out, &s->left_out);
    return 0;
}

/* ---- --dry-run ---- */

static void print_comments(const char *what, const struct text *lines)
{
    for (const char *p = lines->data; p && *p; p += strcspn(p, "\n") + 1)
        printf("# %s%.*s\n", what, (int)strcspn(p, "\n"), p);
}

static int print_session(size_t index, const struct option_set *set,
                         const struct fio_job_runner *runner, struct err *e)
{
    const struct fio_session *s = &sessions.list[index];
    static struct fio_job_session session;
    struct command_line line;
    bool writes = false;
    if (describe_session(index, set, &line, &session, e) ||
        runner->check(&session, &writes, NULL, e))
        return -1;
    printf(s->at_once ? "# [%s], at the same time\n" : "# [%s]\n", s->name);
    if (writes)
        puts("# it writes: to a device with --destroy only, to a file that is there with "
             "--overwrite only");
    print_comments("left out: ", &s->left_out);
    print_comments("", &s->notes);
    struct text words = {0};
    text_add(&words, "cupel run");
    for (int i = 0; i < line.count; i++)
        fio_shell_word(&words, line.words[i]);
    puts(words.data ? words.data : "");
    text_free(&words);
    return 0;
}

/* ---- all sessions ---- */

/* Ends the command with an error if settings cannot be honoured, unless --lenient leaves them
   out. */
static int judge_faults(const char *path, bool lenient, struct err *e)
{
    if (sessions.fault_count && !lenient) {
        if (sessions.fault_count == 1)
            return err_set(e, ERR_USAGE, "%.*s; --lenient leaves it out",
                           (int)strcspn(sessions.faults.data, "\n"), sessions.faults.data);
        for (const char *p = sessions.faults.data; *p; p += strcspn(p, "\n") + 1)
            fprintf(stderr, "cupel: %.*s\n", (int)strcspn(p, "\n"), p);
        return err_set(e, ERR_USAGE,
                       "%.200s: these %zu things cannot be honoured; --lenient leaves them out",
                       path, sessions.fault_count);
    }
    if (sessions.count)
        return 0;
    return err_set(e, ERR_USAGE, "%.300s: no section is left that can be measured: %.*s", path,
                   sessions.faults.data ? (int)strcspn(sessions.faults.data, "\n") : 0,
                   sessions.faults.data ? sessions.faults.data : "");
}

static int check_several(const struct option_set *set, struct err *e)
{
    static const char *const once[] = {"start-at", "start-together"};
    const char *folder = options_given(set, "output");
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (options_given(set, once[i]))
            return err_set(e, ERR_USAGE, "--%s is for one session, and the file has %zu", once[i],
                           sessions.count);
    if (folder && rank_name_is_template(folder))
        return err_set(e, ERR_USAGE,
                       "-o %.200s: a name with %% is for one session, and the file has %zu", folder,
                       sessions.count);
    return 0;
}

/* Checks all sessions, and the permissions: each permission applies to one target, and not to other
   targets that the file names. */
static int check_sessions(const struct option_set *set, const struct fio_job_runner *runner,
                          struct err *e)
{
    static struct fio_job_session session;
    struct command_line line;
    char target[1024] = "";
    written.count = 0;
    for (size_t i = 0; i < sessions.count; i++) {
        bool writes = false;
        if (describe_session(i, set, &line, &session, e) ||
            runner->check(&session, &writes, target, e) ||
            (writes && *target && add_written(target, e)))
            return err_context(e, "[%s]", sessions.list[i].name);
    }
    return judge_permissions(set, e);
}

/* Checks the targets of all sessions, so that none is refused after others were measured. */
static int check_targets(const struct option_set *set, const struct fio_job_runner *runner,
                         struct err *e)
{
    static struct fio_job_session session;
    struct command_line line;
    for (size_t i = 0; i < sessions.count; i++)
        if (describe_session(i, set, &line, &session, e) || runner->may_write(&session, e))
            return err_context(e, "[%s]", sessions.list[i].name);
    return 0;
}

/* Runs the sessions from `begin` to `end` at the same time. `lines` and `step` have an element for
   each. */
static int run_prepared(size_t begin, size_t end, struct command_line lines[],
                        struct fio_job_session step[], const struct option_set *set,
                        const struct fio_job_runner *runner, const char *folder, struct err *e)
{
    for (size_t i = 0; begin + i < end; i++) {
        if (describe_session(begin + i, set, &lines[i], &step[i], e))
            return -1;
        if (folder)
            snprintf(step[i].folder, sizeof step->folder, "%.900s/%zu-%s", folder, step->number,
                     step->folder_name);
    }
    int status = runner->run(step, end - begin, e);
    return status < 0 && end - begin == 1 ? err_context(e, "[%s]", step->name) : status;
}

static int run_step(size_t begin, size_t end, const struct option_set *set,
                    const struct fio_job_runner *runner, const char *folder, struct err *e)
{
    struct command_line *lines = calloc(end - begin, sizeof *lines);
    struct fio_job_session *step = calloc(end - begin, sizeof *step);
    int status;
    if (lines && step)
        status = run_prepared(begin, end, lines, step, set, runner, folder, e);
    else
        status = err_no_memory(e, "a session");
    free(lines);
    free(step);
    return status;
}

/* Runs all sessions, and continues after a session that stayed undecided or broke its limits. */
static int run_sessions(const struct option_set *set, const struct fio_job_runner *runner,
                        struct err *e)
{
    const char *folder = count_steps(sessions.count) > 1 ? options_given(set, "output") : NULL;
    struct err first = {0};
    if (folder && dir_make_new(folder, e))
        return -1;
    for (size_t i = 0; i < sessions.count && !*runner->stop; i = end_of_step(i)) {
        struct err why = {0};
        if (run_step(i, end_of_step(i), set, runner, folder, &why) >= 0)
            continue;
        if (first.code)
            fprintf(stderr, "cupel: %s\n", why.msg);
        else
            first = why;
        if (why.code == ERR_UNDECIDED || why.code == ERR_FAILED)
            continue;
        first = why;
        break;
    }
    return first.code ? err_set(e, first.code, "%s", first.msg) : 0;
}

static int run_file(const struct option_set *set, const struct fio_job_runner *runner,
                    struct err *e)
{
    const char *path = set->operands[0];
    if (fio_job_read(&job_file, path, NULL, true, e))
        return -1;
    job_file.only = options_given(set, "section");
    if (fio_sessions_make(&job_file, &sessions, e) ||
        judge_faults(path, options_given(set, "lenient") != NULL, e) ||
        (sessions.count > 1 && check_several(set, e)))
        return -1;
    if (check_sessions(set, runner, e))
        return err_context(e, "%.200s", path);
    if (!options_given(set, "dry-run"))
        return check_targets(set, runner, e) ? err_context(e, "%.200s", path)
                                             : run_sessions(set, runner, e);
    for (size_t i = 0; i < sessions.count; i++)
        if (print_session(i, set, runner, e))
            return -1;
    return 0;
}

int fio_job_run(const struct option_set *set, const struct fio_job_runner *runner, struct err *e)
{
    int status = run_file(set, runner, e);
    fio_sessions_free(&sessions);
    fio_job_free(&job_file);
    return status;
}
