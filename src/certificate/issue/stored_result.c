/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certificate/issue/stored_result.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/record_file.h"
#include "many/merge/merge.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/repeat.h"
#include "run/session/session.h"

static int load_merge(struct stored_result *stored, const char *path, const char *sla,
                      struct err *e)
{
    struct merge_plan plan = {.inputs = &path, .input_count = 1};
    plan_init(&plan.statistics);
    plan.statistics.statistics.changepoint = CHANGEPOINT_NONE;
    snprintf(plan.statistics.ending.sla, sizeof plan.statistics.ending.sla, "%s", sla);
    return plan_check_ending(&plan.statistics, e) || merge_run(&stored->merge, &plan, e)
               ? -1
               : merge_result(stored->merge, stored->result, e);
}

/* Refuses a folder that contains the folders of several measurements, as exec --parameter and
   qualify make it, because it is no result itself. The message names the first of these folders in
   alphabetical order. */
static int check_folder(const char *folder, struct err *e)
{
    char first[NAME_MAX + 1] = "";
    size_t count = 0;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        char path[PATH_MAX], record[PATH_MAX];
        if (entry->d_name[0] == '.' || !file_path(path, "%s/%s", folder, entry->d_name) ||
            !dir_exists(path) || !record_file(record, path))
            continue;
        if (count++ == 0 || strcmp(entry->d_name, first) < 0)
            snprintf(first, sizeof first, "%s", entry->d_name);
    }
    if (dir)
        closedir(dir);
    return count == 0 ? 0
                      : err_set(e, ERR_USAGE,
                                "%s holds the results of %zu measurements, each in a folder of its "
                                "own: cupel report %s/%s shows the first",
                                folder, count, folder, first);
}

/* Loads a repeated run or a search for a rate. Results of several sessions cannot be judged by
   other clauses. */
static int load_sessions(struct stored_result *stored, const char *folder, const char *sla,
                         struct err *e)
{
    bool searched = find_rate_is_folder(folder);
    if (sla[0])
        return err_set(e, ERR_USAGE,
                       "--sla judges one session, %s holds several: cupel report %s/%s --sla "
                       "'%s'",
                       folder, folder, searched ? "rate-001" : "session-1", sla);
    if (searched ? find_rate_load(&stored->search, folder, e)
                 : repeat_load(&stored->repeat, folder, e))
        return -1;
    if (searched)
        find_rate_result(stored->search, stored->result);
    else
        repeat_result(stored->repeat, stored->result);
    return 0;
}

static int load_session(struct stored_result *stored, const char *record, const char *sla,
                        struct err *e)
{
    if (session_load_for(&stored->session, record, sla, e) ||
        (sla[0] && session_judge_by(stored->session, sla, e)))
        return -1;
    session_result(stored->session, stored->result);
    return 0;
}

int stored_result_load(struct stored_result *stored, const char *path, const char *sla,
                       struct err *e)
{
    char record[PATH_MAX], merged[PATH_MAX];
    bool folder = dir_exists(path), found = record_file(record, path);
    snprintf(merged, sizeof merged, "%s%s", path, folder ? "/merged.cupel" : "");
    *stored = (struct stored_result){.result = calloc(1, sizeof *stored->result)};
    if (!stored->result)
        return err_no_memory(e, "the result of %.200s", path);
    if (file_has_mark(merged, MERGED_FILE_MARK))
        return load_merge(stored, merged, sla, e);
    if (folder && (find_rate_is_folder(path) || repeat_is_folder(path)))
        return load_sessions(stored, path, sla, e);
    if (folder && !found && check_folder(path, e))
        return -1;
    return load_session(stored, record, sla, e);
}

void stored_result_free(struct stored_result *stored)
{
    merge_free(stored->merge);
    find_rate_free(stored->search);
    repeat_free(stored->repeat);
    session_free(stored->session);
    free(stored->result);
    *stored = (struct stored_result){.result = NULL};
}
