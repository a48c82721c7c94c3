/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel report --history, and cupel report with several operands: prints sessions over time, from
   this machine's history or from records. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/record_file.h"
#include "certificate/issue/stored_result.h"
#include "cmd/internal.h"
#include "report/history/history_report.h"
#include "run/history/history.h"

#define DEPTH_MAX 4 /* maximum depth of folders in a folder of results */

/* ---- sessions from records ---- */

/* Writes the key of the history that the result belongs to; "" if its record has none, as those of
   old versions. */
static void key_of(const struct result *r, char to[sizeof((struct history *)0)->key])
{
    const char *key = facts_find(&r->settings, HISTORY_NODE, HISTORY_IS);
    snprintf(to, sizeof((struct history *)0)->key, "%s", key ? key : "");
}

static struct history *history_for(struct histories *all, const struct result *r, struct err *e)
{
    char key[sizeof((struct history *)0)->key];
    key_of(r, key);
    for (size_t i = 0; i < all->count; i++) {
        struct history *h = &all->rows[i];
        if (!strcmp(h->key, key) &&
            (key[0] || (!strcmp(h->target, r->target) && !strcmp(h->workload, r->workload))))
            return h;
    }
    struct history *rows = realloc(all->rows, (all->count + 1) * sizeof *rows);
    if (!rows) {
        err_no_memory(e, "a history");
        return NULL;
    }
    all->rows = rows;
    struct history *h = &rows[all->count];
    *h = (struct history){0};
    h->sessions = calloc(HISTORY_SESSIONS_MAX, sizeof *h->sessions);
    if (!h->sessions) {
        err_no_memory(e, "a history");
        return NULL;
    }
    all->count++;
    memcpy(h->key, key, sizeof h->key);
    snprintf(h->target, sizeof h->target, "%s", r->target);
    snprintf(h->workload, sizeof h->workload, "%s", r->workload);
    return h;
}

/* Adds the session of a record. If the record cannot be read, or has no mean, only counts it as
   unreadable. */
static int add_record(struct histories *all, const char *path, struct err *e)
{
    struct stored_result stored;
    struct history_session session;
    struct err why = {0};
    int status = 0;
    if (stored_result_load(&stored, path, "", &why) ||
        !history_session_of(stored.result, &session)) {
        all->unreadable++;
    } else {
        struct history *h = history_for(all, stored.result, e);
        status = h ? 0 : -1;
        if (h && h->count < HISTORY_SESSIONS_MAX)
            h->sessions[h->count++] = session;
        else if (h)
            all->unreadable++;
    }
    stored_result_free(&stored);
    return status;
}

/* Adds every record.cupel in the folder and in the folders below it. */
static int add_folder(struct histories *all, const char *folder, int depth, struct err *e)
{
    char path[PATH_MAX];
    struct dirent **names;
    int status = 0;
    const int count = scandir(folder, &names, NULL, alphasort);
    if (count < 0)
        return err_set(e, ERR_USAGE, "%.300s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        if (!status && name[0] != '.' && file_path(path, "%s/%s", folder, name)) {
            if (!strcmp(name, RECORD_FILE))
                status = add_record(all, path, e);
            else if (depth < DEPTH_MAX && names[i]->d_type == DT_DIR)
                status = add_folder(all, path, depth + 1, e);
        }
        free(names[i]);
    }
    free(names);
    return status;
}

static int by_date(const void *a, const void *b)
{
    return strcmp(((const struct history_session *)a)->date,
                  ((const struct history_session *)b)->date);
}

static int load_records(struct histories *all, const char *const paths[], size_t count,
                        struct err *e)
{
    for (size_t i = 0; i < count; i++)
        if (dir_exists(paths[i]) ? add_folder(all, paths[i], 0, e) : add_record(all, paths[i], e))
            return -1;
    for (size_t i = 0; i < all->count; i++) {
        qsort(all->rows[i].sessions, all->rows[i].count, sizeof *all->rows[i].sessions, by_date);
        history_judge(&all->rows[i]);
    }
    if (all->count)
        return 0;
    return err_set(e, ERR_USAGE, "%.200s: no session that measured a mean is there%s", paths[0],
                   all->unreadable ? ": its records could not be read" : "");
}

/* ---- this machine's history ---- */

static bool is_target(const struct history *h, const char *name)
{
    char one[PATH_MAX], other[PATH_MAX];
    if (!strcmp(h->target, name))
        return true;
    return realpath(name, one) && realpath(h->target, other) && !strcmp(one, other);
}

/* Removes all histories but those of this target. */
static void keep_target(struct histories *all, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (is_target(&all->rows[i], name))
            all->rows[kept++] = all->rows[i];
        else
            history_free(&all->rows[i]);
    }
    all->count = kept;
}

static int load_own(struct histories *all, const char *target, struct err *e)
{
    char folder[PATH_MAX], record[PATH_MAX];
    if (history_folder(folder, e) || histories_load(all, folder, e))
        return -1;
    if (target)
        keep_target(all, target);
    if (all->count)
        return 0;
    if (target && (dir_exists(target) || record_file(record, target)))
        return 0; /* the operand may be a result instead of a target */
    if (all->unreadable)
        return err_set(e, ERR_USAGE,
                       "%s%s%zu file%s in %.200s cannot be read as this user's history",
                       target ? target : "", target ? ": " : "", all->unreadable,
                       all->unreadable == 1 ? "" : "s", folder);
    return err_set(e, ERR_USAGE, "%s%sthere is no history in %.200s: cupel run adds to it",
                   target ? target : "", target ? ": " : "", folder);
}

/* ---- the report ---- */

int report_history(const char *const operands[], size_t count, bool of_machine,
                   const struct output_form *form, struct err *e)
{
    struct histories all = {0};
    int status = of_machine && count < 2 ? load_own(&all, count ? operands[0] : NULL, e) : 0;
    if (!status && !all.count)
        status = load_records(&all, operands, count, e);
    if (!status) {
        struct report_style style = output_style();
        struct text out = {0};
        style.full = form->full;
        report_print(&history_report, &all, form->format, &style, &out);
        status = output_text(&out, e);
    }
    histories_free(&all);
    return status;
}
