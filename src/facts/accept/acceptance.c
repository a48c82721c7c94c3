/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derives the verdict on new drives. */
#include "facts/accept/acceptance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void acceptance_free(struct acceptance *a)
{
    for (size_t i = 0; i < a->disk_count; i++) {
        free(a->disks[i].points);
        free(a->disks[i].pts);
    }
    free(a->disks);
    *a = (struct acceptance){0};
}

const char *acceptance_stage_word(const struct acceptance_stage *s)
{
    static const char *const words[] = {[STAGE_PLANNED] = "planned",
                                        [STAGE_RUNNING] = "not finished",
                                        [STAGE_DONE] = "done",
                                        [STAGE_FAILED] = "failed"};
    return s->status == STAGE_FAILED && s->code == ERR_UNDECIDED ? "stopped" : words[s->status];
}

const char *acceptance_verdict_name(enum grade verdict)
{
    return verdict == GRADE_FAIL ? "FAILED" : verdict == GRADE_UNDECIDED ? "undecided" : "accepted";
}

/* Returns the place for a new finding, or NULL when no place is left. When all places are taken, a
   worse finding replaces the mildest one, so that the findings that fail a drive are never left
   out. */
static struct acceptance_finding *room_for(struct acceptance_disk *to, enum grade grade)
{
    struct acceptance_finding *mildest = &to->findings[0];
    if (to->finding_count < ACCEPTANCE_FINDINGS)
        return &to->findings[to->finding_count++];
    to->finding_dropped++;
    for (size_t i = 1; i < to->finding_count; i++)
        if (to->findings[i].grade < mildest->grade)
            mildest = &to->findings[i];
    return mildest->grade < grade ? mildest : NULL;
}

void acceptance_add(struct acceptance_disk *to, enum grade grade, const char *stage,
                    const char *words, ...)
{
    va_list arguments;
    struct acceptance_finding *f = room_for(to, grade);
    if (!f)
        return;
    f->grade = grade;
    snprintf(f->stage, sizeof f->stage, "%s", stage);
    va_start(arguments, words);
    vsnprintf(f->words, sizeof f->words, words, arguments);
    va_end(arguments);
}

/* Returns the grade of a stage. A stage that ended because of another drive, a missing permission
   or a signal says nothing about this drive: it is undecided. */
static enum grade stage_grade(const struct acceptance_stage *s)
{
    if (s->status == STAGE_DONE)
        return GRADE_PASS;
    return s->status == STAGE_FAILED && s->code == ERR_TARGET ? GRADE_FAIL : GRADE_UNDECIDED;
}

static void judge_stage(struct acceptance_disk *d, const struct acceptance_stage *s)
{
    static const char *const words[] = {[STAGE_PLANNED] = "it has not begun",
                                        [STAGE_RUNNING] =
                                            "it was begun and has not come to its end",
                                        [STAGE_DONE] = "",
                                        [STAGE_FAILED] = "it failed"};
    enum grade grade = stage_grade(s);
    if (grade <= d->verdict)
        return;
    d->verdict = grade;
    const char *why = s->status == STAGE_FAILED && s->words[0] ? s->words : words[s->status];
    size_t length = strlen(s->name);
    bool names_it = !strncmp(why, s->name, length) && strchr("-:", why[length]);
    snprintf(d->why, sizeof d->why, "%s%s%s", names_it ? "" : s->name, names_it ? "" : ": ", why);
}

static void judge_disk(struct acceptance_disk *d)
{
    d->verdict = GRADE_PASS;
    d->why[0] = '\0';
    for (size_t i = 0; i < d->stage_count; i++)
        judge_stage(d, &d->stages[i]);
    for (size_t i = 0; i < d->finding_count; i++) {
        const struct acceptance_finding *f = &d->findings[i];
        if (f->grade <= d->verdict || f->grade < GRADE_UNDECIDED)
            continue;
        d->verdict = f->grade;
        snprintf(d->why, sizeof d->why, "%s%s%s", f->stage, f->stage[0] ? ": " : "", f->words);
    }
}

void acceptance_judge(struct acceptance *a)
{
    a->verdict = a->disk_count ? GRADE_PASS : GRADE_UNDECIDED;
    for (size_t i = 0; i < a->disk_count; i++) {
        judge_disk(&a->disks[i]);
        if (a->disks[i].verdict > a->verdict)
            a->verdict = a->disks[i].verdict;
    }
}

/* Returns the exit status for a disk. If a stage was refused for safety or failed because of the
   machine, that status is returned. */
static enum err_code disk_code(const struct acceptance_disk *d)
{
    if (d->verdict == GRADE_FAIL)
        return ERR_TARGET;
    for (size_t i = 0; i < d->stage_count; i++)
        if (d->stages[i].status == STAGE_FAILED && d->stages[i].code != ERR_UNDECIDED &&
            d->stages[i].code != ERR_NONE)
            return d->stages[i].code;
    return d->verdict == GRADE_UNDECIDED ? ERR_UNDECIDED : ERR_NONE;
}

enum err_code acceptance_status(const struct acceptance *a, struct err *e)
{
    const struct acceptance_disk *worst = NULL;
    for (size_t i = 0; i < a->disk_count; i++)
        if (a->disks[i].verdict == a->verdict && !worst)
            worst = &a->disks[i];
    if (!worst || a->verdict < GRADE_UNDECIDED)
        return ERR_NONE;
    enum err_code code = disk_code(worst);
    err_set(e, code, "%s: %s: %s", worst->path, acceptance_verdict_name(worst->verdict),
            worst->why);
    return code;
}
