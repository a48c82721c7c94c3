/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the loads and verdicts of parts that drives share, and searches the measurements of
   drives. */
#include "facts/disk_sharing.h"

#include <math.h>
#include <stdio.h>

const char *sharing_loss_name(enum sharing_loss loss)
{
    static const char *const names[] = {[SHARING_NOT_MEASURED] = "not measured",
                                        [SHARING_KEEPS] = "keeps",
                                        [SHARING_UNDECIDED] = "undecided",
                                        [SHARING_LOSES] = "loses"};
    return names[loss];
}

const char *sharing_blame_name(enum sharing_blame blame)
{
    static const char *const names[] = {[SHARING_FREE] = "free",
                                        [SHARING_OPEN] = "undecided",
                                        [SHARING_UNKNOWN] = "shared, limit unknown",
                                        [SHARING_FULL] = "oversubscribed"};
    return names[blame];
}

const char *sharing_load_name(enum sharing_load load)
{
    return load == SHARING_READ ? "read" : "randread";
}

const char *sharing_load_words(enum sharing_load load)
{
    return load == SHARING_READ ? "sequential read" : "random read";
}

enum sharing_loss sharing_least(const struct sharing_drive *drive, struct sharing_measured *m)
{
    *m = (struct sharing_measured){NAN, NAN, NAN, NAN, NAN};
    enum sharing_loss worst = SHARING_NOT_MEASURED;
    bool all = true;
    for (int load = 0; load < SHARING_LOADS; load++) {
        m->ratio = fmin(m->ratio, drive->load[load].ratio);
        m->low = fmin(m->low, drive->load[load].low);
        m->high = fmin(m->high, drive->load[load].high);
        worst = drive->loss[load] > worst ? drive->loss[load] : worst;
        all &= drive->loss[load] != SHARING_NOT_MEASURED;
    }
    return all || worst == SHARING_LOSES ? worst : SHARING_NOT_MEASURED;
}

const struct sharing_drive *sharing_of(const struct sharing *s, int device)
{
    for (size_t i = 0; s && i < s->drive_count; i++)
        if (s->drives[i].device == device)
            return &s->drives[i];
    return NULL;
}

char *sharing_ratio_words(const struct sharing_measured *m, char *to, size_t size)
{
    if (isnan(m->ratio))
        snprintf(to, size, "-");
    else if (isfinite(m->high))
        snprintf(to, size, "%.2f (%.2f to %.2f)", m->ratio, m->low, m->high);
    else
        snprintf(to, size, "%.2f (%.2f to any)", m->ratio, m->low);
    return to;
}
