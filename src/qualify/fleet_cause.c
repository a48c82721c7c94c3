/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The probable cause: troubles, link, heat, firmware and place, held against those of the peers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qualify/internal.h"

/* The first peer at or after `i`; f->disk_count: there is none left. */
static size_t peer_after(const struct fleet *f, const struct fleet_slow *slow, size_t i)
{
    const size_t row = slow->row < 0 ? 0 : (size_t)slow->row;
    const uint64_t alike = f->disks[slow->disk].values[row].conditions;
    while (i < f->disk_count && (f->disks[i].slow || f->disks[i].values[row].conditions != alike))
        i++;
    return i;
}

static void add_cause(struct fleet_slow *slow, const char *format, ...)
{
    size_t used = strlen(slow->cause);
    va_list arguments;
    if (used && used + 2 < sizeof slow->cause)
        used += (size_t)snprintf(slow->cause + used, sizeof slow->cause - used, "; ");
    va_start(arguments, format);
    vsnprintf(slow->cause + used, sizeof slow->cause - used, format, arguments);
    va_end(arguments);
}

/* Of the peers, does less than a fifth share it? */
static bool is_rare(size_t sharing, size_t peers)
{
    return sharing * 5 < peers;
}

static void judge_troubles(const struct fleet *f, struct fleet_slow *slow)
{
    static const struct {
        enum fleet_trouble trouble;
        const char *words;
    } rows[] = {{FLEET_THROTTLED, "it throttled"},
                {FLEET_ERRORS, "it had errors"},
                {FLEET_HOT, "it was over its temperature limit"}};
    unsigned own = f->disks[slow->disk].trouble | f->machines[slow->machine].trouble;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t peers = 0, sharing = 0;
        for (size_t i = peer_after(f, slow, 0); i < f->disk_count; i = peer_after(f, slow, i + 1)) {
            unsigned other = f->disks[i].trouble | f->machines[f->disks[i].machine].trouble;
            sharing += (other & rows[k].trouble) != 0;
            peers++;
        }
        if (own & rows[k].trouble && is_rare(sharing, peers))
            add_cause(slow, "%s", rows[k].words);
    }
}

/* Below all but a fifth of the peers' links. */
static void judge_link(const struct fleet *f, struct fleet_slow *slow)
{
    struct amount own, other;
    const struct fleet_disk *d = &f->disks[slow->disk];
    const char *better = NULL;
    size_t peers = 0, sharing = 0;
    if (!d->link[0] || !quantity_read_link(d->link, &own))
        return;
    for (size_t i = peer_after(f, slow, 0); i < f->disk_count; i = peer_after(f, slow, i + 1)) {
        if (!quantity_read_link(f->disks[i].link, &other))
            continue;
        peers++;
        if (quantity_link_reaches(&own, &other))
            sharing++;
        else
            better = f->disks[i].link;
    }
    if (better && is_rare(sharing, peers))
        add_cause(slow, "link %s, its peers %s", d->link, better);
}

/* Hotter than nine of ten peers, and by more than they differ. */
static void judge_heat(const struct fleet *f, struct fleet_slow *slow)
{
    const double min_difference = 8, min_deviations = 3;
    double own = f->disks[slow->disk].temperature, mean = 0, squares = 0;
    size_t peers = 0, hotter = 0;
    for (size_t i = peer_after(f, slow, 0); i < f->disk_count; i = peer_after(f, slow, i + 1)) {
        double t = f->disks[i].temperature;
        if (isnan(t))
            continue;
        double step = t - mean;
        mean += step / (double)++peers;
        squares += step * (t - mean);
        hotter += t >= own;
    }
    if (isnan(own) || peers < 2 || hotter * 10 > peers)
        return;
    if (own - mean >= fmax(min_difference, min_deviations * sqrt(squares / (double)(peers - 1))))
        add_cause(slow, "%.0f C, its peers %.0f C", own, mean);
}

enum place { FIRMWARE, PLACE, SLOT };

static const char *word_of(const struct fleet_disk *d, enum place what)
{
    return what == FIRMWARE ? d->firmware : what == PLACE ? d->place : d->slot;
}

/*
 * A firmware, a NUMA node or a slot that no peer has that is fast. Slots are one for each drive of
 * a machine: only one that is slow in two machines says anything.
 */
static void judge_word(const struct fleet *f, struct fleet_slow *slow, enum place what)
{
    const char *own = word_of(&f->disks[slow->disk], what), *other = "";
    size_t peers = 0, slow_machines = 0;
    if (!*own)
        return;
    for (size_t i = peer_after(f, slow, 0); i < f->disk_count; i = peer_after(f, slow, i + 1)) {
        const char *word = word_of(&f->disks[i], what);
        if (!strcmp(word, own))
            return;
        if (*word) {
            other = word;
            peers++;
        }
    }
    for (size_t i = 0; i < f->disk_count; i++)
        slow_machines += f->disks[i].slow && f->disks[i].machine != slow->machine &&
                         !strcmp(word_of(&f->disks[i], what), own);
    if (!peers || (what == SLOT && !slow_machines))
        return;
    if (what == SLOT)
        add_cause(slow, "%s is slow in %zu other machine%s, too", own, slow_machines,
                  slow_machines == 1 ? "" : "s");
    else
        add_cause(slow, "%s%s, its peers %s", what == FIRMWARE ? "firmware " : "", own, other);
}

void fleet_find_cause(const struct fleet *f, struct fleet_slow *slow)
{
    slow->cause[0] = '\0';
    judge_troubles(f, slow);
    judge_link(f, slow);
    judge_heat(f, slow);
    for (enum place what = FIRMWARE; what <= SLOT; what++)
        judge_word(f, slow, what);
}
