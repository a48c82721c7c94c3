/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names several targets, makes and removes the files of their records, and collects or loads their
   results. */
#include "cmd/targets/several.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text.h"
#include "run/record/record.h"

/* A file in the folder of -o with the names of the targets' folders, one a line. */
#define LIST_NAME "targets.cupel"
#define LIST_MARK "cupel targets 1\n"
#define LIST_MAX  (TOGETHER_MAX * 260 + 64)

int several_new(struct several **several, size_t count, struct err *e)
{
    struct several *s = *several = calloc(1, sizeof *s);
    bool made = s && (s->all = calloc(1, sizeof *s->all));
    for (size_t i = 0; i < count && made; i++) {
        s->ones[i].memory = -1;
        s->count = i + 1;
        made = (s->targets[i].result = calloc(1, sizeof *s->targets[i].result)) != NULL;
    }
    return made ? 0 : err_no_memory(e, "%zu results", count);
}

void several_free(struct several *s)
{
    if (!s)
        return;
    merge_free(s->merge);
    for (size_t i = 0; i < s->count; i++) {
        session_free(s->ones[i].session);
        if (s->ones[i].memory >= 0)
            close(s->ones[i].memory);
        free(s->targets[i].result);
    }
    free(s->all);
    free(s);
}

/* Sets the name of target i to the last part of the path `of`, with a number if an earlier target
   has that name. */
void several_name(struct several *s, size_t i, const char *of)
{
    char path[sizeof s->ones->plan.target];
    size_t length = strlen(of), same = 1;
    while (length > 1 && of[length - 1] == '/')
        length--;
    snprintf(path, sizeof path, "%.*s", (int)length, of);
    const char *slash = strrchr(path, '/'), *base = slash && slash[1] ? slash + 1 : path;
    const bool plain = *base && *base != '.' && *base != '/';
    char *name = s->targets[i].name;
    snprintf(name, sizeof s->targets->name, "%.200s", plain ? base : "target");
    for (size_t k = 0; k < i; k++)
        if (!strcmp(s->targets[k].name, name)) {
            snprintf(name, sizeof s->targets->name, "%.200s-%zu", plain ? base : "target", ++same);
            k = (size_t)-1; /* compare with all names again */
        }
}

/* ---- where records are ---- */

static int keep_list(const struct several *s, const char *folder, struct err *e)
{
    struct text list = {0};
    text_add(&list, LIST_MARK);
    for (size_t i = 0; i < s->count; i++)
        text_addf(&list, "%s\n", s->targets[i].name);
    int status = list.failed ? err_no_memory(e, "names")
                             : write_file_new(folder, LIST_NAME, list.data, list.length, e);
    text_free(&list);
    return status;
}

/* Creates a folder for each record, or a file in memory. */
int several_make_records(struct several *s, const char *folder, struct err *e)
{
    for (size_t i = 0; i < s->count; i++) {
        struct one *one = &s->ones[i];
        if (!folder[0]) {
            one->memory = memfd_create("record.cupel", MFD_CLOEXEC);
            if (one->memory < 0)
                return err_no_memory(e, "a record");
            snprintf(one->record, sizeof one->record, RECORD_OPEN_FILE "%d", one->memory);
            continue;
        }
        char below[PATH_MAX];
        if (!file_path(below, "%s/%s", folder, s->targets[i].name) ||
            !file_path(one->record, "%s/%s/record.cupel", folder, s->targets[i].name))
            return err_set(e, ERR_USAGE, "%.200s: the folder's name is too long", folder);
        if (dir_make_new(below, e))
            return -1;
    }
    return folder[0] ? keep_list(s, folder, e) : 0;
}

/* Removes the folders and the list of records that were not written. */
void several_remove_records(const struct several *s, const char *folder)
{
    char path[PATH_MAX];
    if (!folder[0])
        return;
    for (size_t i = 0; i < s->count; i++)
        if (file_path(path, "%s/%s", folder, s->targets[i].name))
            rmdir(path);
    if (file_path(path, "%s/" LIST_NAME, folder))
        unlink(path);
    rmdir(folder);
}

static double stretch_of(const struct several *s)
{
    const struct result_row *elapsed = result_find(s->all, METRIC_ELAPSED, "all");
    return elapsed ? elapsed->value : NAN;
}

/* Returns true if another session has the same target. */
static bool shares_target(const struct several *s, size_t i)
{
    for (size_t k = 0; k < s->count; k++)
        if (k != i && !strcmp(session_plan(s->ones[k].session)->target,
                              session_plan(s->ones[i].session)->target))
            return true;
    return false;
}

/* Makes the names of targets differ, because they distinguish rows of several files. Those of the
   null backend, and of sessions with the same target, are equal at first. */
static void name_results(struct several *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct result *r = s->targets[i].result;
        const struct plan *plan = session_plan(s->ones[i].session);
        if (!strcmp(r->target, plan->engine))
            snprintf(r->target, sizeof r->target, "%s", s->targets[i].name);
        else if (shares_target(s, i))
            snprintf(r->target, sizeof r->target, "%.180s [%.60s]", plan->target,
                     s->targets[i].name);
    }
}

/* Returns the longest duration of all sessions. They begin at the same time, so it is the duration
   of all together. */
static double longest_of(const struct several *s)
{
    double longest = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct result_row *elapsed = result_find(s->targets[i].result, METRIC_ELAPSED, "all");
        longest = elapsed && elapsed->value > longest ? elapsed->value : longest;
    }
    return longest;
}

int several_result(struct several *s, struct err *e)
{
    struct merge_plan *plan = &s->merge_plan;
    const char **inputs = s->inputs;
    for (size_t i = 0; i < s->count; i++) {
        session_result(s->ones[i].session, s->targets[i].result);
        inputs[i] = s->ones[i].record;
    }
    name_results(s);
    const struct plan *of = session_plan(s->ones[0].session);
    /* The parts of one trace end at different times. All time from the begin to the last end is
       counted. */
    *plan = (struct merge_plan){.inputs = inputs,
                                .input_count = s->count,
                                .at_once = !plan_is_replay(of),
                                .pass_seconds = plan_is_replay(of) ? longest_of(s) : 0};
    plan_init(&plan->statistics);
    plan->statistics.statistics.changepoint = of->statistics.changepoint;
    plan->statistics.statistics.confidence = of->statistics.confidence;
    plan->statistics.labels = of->labels;
    if (merge_run(&s->merge, plan, e) || merge_result(s->merge, s->all, e))
        return -1;
    snprintf(s->all->target, sizeof s->all->target, "all");
    s->view.targets = s->targets;
    s->view.count = s->count;
    s->view.all = s->all;
    s->view.seconds = stretch_of(s);
    shared_parts_find(&s->view);
    return 0;
}

bool several_is_folder(const char *folder)
{
    char path[PATH_MAX];
    return file_path(path, "%s/" LIST_NAME, folder) && access(path, F_OK) == 0;
}

/* Splits the lines after the mark. Returns the number of names. Names outside this folder are
   ignored. */
static size_t split_list(char *list, const char *names[TOGETHER_MAX])
{
    size_t count = 0;
    for (char *line = strtok(list + strlen(LIST_MARK), "\n"); line && count < TOGETHER_MAX;
         line = strtok(NULL, "\n"))
        if (!strchr(line, '/') && *line != '.')
            names[count++] = line;
    return count;
}

static int load(struct several *s, const char *folder, const char *const names[], struct err *e)
{
    for (size_t i = 0; i < s->count; i++) {
        snprintf(s->targets[i].name, sizeof s->targets[i].name, "%.200s", names[i]);
        if (!file_path(s->ones[i].record, "%s/%s/record.cupel", folder, names[i]))
            return err_set(e, ERR_USAGE, "%.200s: the folder's name is too long", folder);
        if (session_load(&s->ones[i].session, s->ones[i].record, e))
            return -1;
    }
    return 0;
}

int several_load(struct several **several, const char *folder, struct err *e)
{
    const char *names[TOGETHER_MAX] = {NULL};
    char path[PATH_MAX], *list;
    *several = NULL;
    if (!file_path(path, "%s/" LIST_NAME, folder) ||
        file_read_kind(path, LIST_MARK, "a list of targets", LIST_MAX, &list, NULL, e))
        return -1;
    const size_t count = split_list(list, names);
    int status = 0;
    if (!count)
        status = err_set(e, ERR_USAGE, "%s names no target", path);
    else
        status = several_new(several, count, e);
    if (!status && *several)
        status = load(*several, folder, names, e);
    free(list);
    return status;
}
