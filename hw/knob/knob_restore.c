/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restores settings: finds the files that still have the value that the run set, and writes the old
   value over it. */
#include "hw/knob/internal.h"

#include <stdio.h>
#include <string.h>

static void note_failure(struct knob_restored *restored, size_t setting, int result)
{
    if (!restored->failures++) {
        restored->setting = (int)setting;
        restored->result = result;
    }
}

static bool holds_value(const struct knobs *k, const char *path, const char *value)
{
    char now[KNOB_VALUE];
    return knob_value_read(&k->root, path, now) == FACT_OK && !strcmp(now, value);
}

/* Returns true if a dependent setting must not be restored. Either somebody else has written the
   same file, which the run had changed as well; or somebody else has written the changed file that
   the setting depends on; or the setting was listed before, as dependent on another change. */
static bool is_left(const struct knobs *k, size_t dependent)
{
    const struct knob_dependent *c = k->dependents;
    for (size_t i = 0; i < k->change_count; i++)
        if (k->changes[i].foreign && !strcmp(k->changes[i].path, c[dependent].path))
            return true;
    if (k->changes[c[dependent].change].foreign)
        return true;
    for (size_t i = 0; i < dependent; i++)
        if (c[i].path == c[dependent].path && !k->changes[c[i].change].foreign)
            return true;
    return false;
}

/* ---- restoring ---- */

/* Writes the old value. Does nothing if the file has it already, for example because it was never
   changed. */
static int put_back(const struct knobs *k, const char *path, const char *value)
{
    return holds_value(k, path, value) ? 0 : knob_value_write(&k->root, path, value);
}

static void restore_dependents(const struct knobs *k, struct knob_restored *restored)
{
    for (int round = 0; round < KNOB_ROUNDS; round++) {
        bool differed = false;
        for (size_t i = 0; i < k->dependent_count; i++) {
            const struct knob_dependent *c = &k->dependents[i];
            if (is_left(k, i) || holds_value(k, c->path, c->value))
                continue;
            differed = true;
            knob_value_write(&k->root, c->path, c->value);
        }
        if (!differed)
            return;
    }
    int before = restored->failures;
    for (size_t i = 0; i < k->dependent_count; i++) {
        const struct knob_dependent *c = &k->dependents[i];
        int result = is_left(k, i) ? 0 : put_back(k, c->path, c->value);
        if (result)
            note_failure(restored, k->change_count + i, result);
    }
    /* Every write succeeded; a value that still differs was reset by a later write to another file.
     */
    for (size_t i = 0; restored->failures == before && i < k->dependent_count; i++)
        if (!is_left(k, i) && !holds_value(k, k->dependents[i].path, k->dependents[i].value))
            note_failure(restored, k->change_count + i, KNOB_IGNORED);
}

struct knob_restored knobs_put_back(struct knobs *k, bool undo)
{
    struct knob_restored restored = {0};
    /* A file that can be read and does not have the run's value was changed by somebody else. All
       files are checked before any is restored, because restoring one may change another. */
    for (size_t i = 0; !undo && i < k->change_count; i++) {
        struct knob_change *c = &k->changes[i];
        char now[KNOB_VALUE];
        if (!strcmp(c->path, KNOB_LATENCY_FILE))
            continue;
        enum fact_status status = knob_value_read(&k->root, c->path, now);
        c->foreign = status == FACT_INVALID || (status == FACT_OK && strcmp(now, c->after) != 0);
        /* A file that has its old value was not changed by somebody else: the session may have been
           killed before it set the file. */
        if (k->is_taken_up && status == FACT_OK && !strcmp(now, c->before))
            c->foreign = false;
        if (!c->foreign || restored.foreign++)
            continue;
        restored.foreign_change = (int)i;
        snprintf(restored.foreign_value, sizeof restored.foreign_value, "%s",
                 now[0] ? now : "what is not one word");
    }
    for (size_t i = k->change_count; i-- > 0;) {
        const struct knob_change *c = &k->changes[i];
        if (c->foreign || c->with_other || !strcmp(c->path, KNOB_LATENCY_FILE))
            continue;
        int result = put_back(k, c->path, c->before);
        if (result)
            note_failure(&restored, i, result);
    }
    restore_dependents(k, &restored);
    if (!restored.failures)
        knob_note_remove(k);
    knob_locks_open(k);
    return restored;
}

int knob_report_restored(const struct knobs *k, const struct knob_restored *r, struct err *e)
{
    struct err failure = {0}, foreign = {0};
    if (!r->failures && !r->foreign)
        return 0;
    if (r->failures) {
        size_t i = (size_t)r->setting, changes = k->change_count;
        const char *path = i < changes ? k->changes[i].path : k->dependents[i - changes].path;
        const char *value = i < changes ? k->changes[i].before : k->dependents[i - changes].value;
        char more[64] = "";
        if (r->failures > 1)
            snprintf(more, sizeof more, " (and %d other settings are not restored)",
                     r->failures - 1);
        err_set(&failure, ERR_MACHINE, "cannot restore %s: %s; write '%s' to it by hand%s", path,
                knob_value_problem(r->result), value, more);
    }
    if (r->foreign) {
        const struct knob_change *c = &k->changes[r->foreign_change];
        char more[64] = "";
        if (r->foreign > 1)
            snprintf(more, sizeof more, " (likewise %d more)", r->foreign - 1);
        err_set(&foreign, ERR_MACHINE,
                "%s was changed to %s by somebody else during the run: it was left so; before the "
                "run it was %s%s",
                c->path, r->foreign_value, c->before, more);
    }
    return err_set(e, ERR_MACHINE, "%s%s%s", failure.msg, r->failures && r->foreign ? "; and " : "",
                   foreign.msg);
}
