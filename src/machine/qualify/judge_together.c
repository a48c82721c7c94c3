/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges disks that were measured together. */
#include "machine/qualify/internal.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

/* Adds the check of one drive. If a part explains the drive's loss, the part has the warning and
   the check names the part. */
static void judge_drive(struct qualification *q, const struct sharing *s,
                        const struct sharing_drive *d)
{
    char found[80], ratio[48];
    const char *note = "";
    struct sharing_measured least;
    enum sharing_loss loss = sharing_least(d, &least);
    if (d->failure[0]) {
        note_check(q, d->device, GRADE_FAIL, "together", "", "measured no more: %s", d->failure);
        return;
    }
    if (loss == SHARING_NOT_MEASURED) {
        if (s->drive_count > 1)
            note_check(q, d->device, GRADE_UNDECIDED, "together", "", "not measured");
        return;
    }
    int part = -1;
    for (int load = SHARING_LOADS - 1; load >= 0; load--)
        part = d->part[load] >= 0 ? d->part[load] : part;
    enum grade grade = loss == SHARING_KEEPS   ? GRADE_PASS
                       : loss != SHARING_LOSES ? GRADE_UNDECIDED
                       : part >= 0             ? GRADE_NONE
                                               : GRADE_WARN;
    if (loss == SHARING_UNDECIDED)
        note = "0.95 lies inside the interval: a longer --limit has more rounds";
    else if (grade == GRADE_WARN)
        note = "no part that it shares explains it: others below each of them lose nothing";
    else if (grade == GRADE_NONE)
        note = s->parts[part].words;
    snprintf(found, sizeof found, "%.40s of alone",
             sharing_ratio_words(&least, ratio, sizeof ratio));
    note_replaceable(q, d->device, grade, "together", found, "%s", note);
}

static const char *format_sum(char *to, size_t size, enum sharing_load load, double rate)
{
    if (load == SHARING_READ)
        return format_rate(to, size, rate);
    char count[UNITS_BUFFER];
    snprintf(to, size, "%s IOPS", format_count(count, sizeof count, rate));
    return to;
}

static void judge_part(struct qualification *q, const struct sharing *s,
                       const struct sharing_part *part)
{
    int load = -1;
    size_t losing = 0;
    for (int i = 0; i < SHARING_LOADS; i++)
        if (part->blame[i] >= SHARING_UNKNOWN &&
            (load < 0 || part->load[i].ratio < part->load[load].ratio))
            load = i;
    if (load < 0)
        return;
    for (size_t i = 0; i < s->drive_count; i++)
        losing += s->drives[i].part[load] >= 0 && &s->parts[s->drives[i].part[load]] == part;
    char found[120], alone[48], together[48], limit[UNITS_BUFFER], why[120];
    const struct sharing_measured *m = &part->load[load];
    format_rate(limit, sizeof limit, part->limit);
    if (part->blame[load] == SHARING_FULL)
        snprintf(why, sizeof why, "it is oversubscribed, its limit is %s", limit);
    else if (part->host)
        snprintf(why, sizeof why,
                 "processors, memory or what else all have in common; no limit of "
                 "it is known");
    else if (isnan(part->limit))
        snprintf(why, sizeof why, "its limit is not known: it, or what lies above it");
    else
        snprintf(why, sizeof why,
                 "its known limit of %s is not reached: it has another, or what lies above it has",
                 limit);
    snprintf(found, sizeof found, "%.80s: %zu disks keep %.2f", part->words, losing, m->ratio);
    note_check(q, -1, GRADE_WARN, "shared part", found, "%s %s together, %s alone; %s",
               sharing_load_words((enum sharing_load)load),
               format_sum(together, sizeof together, (enum sharing_load)load, m->together),
               format_sum(alone, sizeof alone, (enum sharing_load)load, m->alone), why);
}

void judge_sharing(struct qualification *q, const struct sharing *s)
{
    if (s->drive_count < 2)
        note_check(q, -1, GRADE_WARN, "together", s->drive_count ? "one disk" : "no disk",
                   "there is no other to compare it with");
    if (q->interrupted)
        note_check(q, -1, GRADE_UNDECIDED, "interrupted", "",
                   "after %u rounds of sequential and %u of random reads", s->rounds[SHARING_READ],
                   s->rounds[SHARING_RANDREAD]);
    if (s->parts_left)
        note_check(q, -1, GRADE_WARN, "together", "",
                   "%zu parts that disks share were left out: there are too many", s->parts_left);
    for (size_t p = 0; p < s->part_count; p++)
        judge_part(q, s, &s->parts[p]);
    for (size_t i = 0; i < s->drive_count; i++)
        judge_drive(q, s, &s->drives[i]);
}
