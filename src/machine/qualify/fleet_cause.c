/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the probable cause of slowness: compares a drive's troubles, link, heat, firmware and place
   with those of its peers. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/qualify/internal.h"

/* Facts about the peers: the drives of the same model and conditions that are not slow
   themselves. */
enum word { FIRMWARE, PLACE, SLOT, WORDS };
enum { TROUBLES = 3 };

struct peers {
    size_t count, with_trouble[TROUBLES];
    size_t links, links_no_better;
    const char *better_link;
    size_t temperatures, hotter;
    double mean, squares; /* mean and sum of squared deviations of the temperatures */
    size_t with_word[WORDS];
    const char *other_word[WORDS]; /* a different word that a peer has; NULL: no peer has one */
};

static const struct {
    enum fleet_trouble trouble;
    const char *words;
} troubles[TROUBLES] = {{FLEET_THROTTLED, "it throttled"},
                        {FLEET_ERRORS, "it had errors"},
                        {FLEET_HOT, "it was over its temperature limit"}};

static unsigned troubles_of(const struct fleet *f, const struct fleet_disk *d)
{
    return d->trouble | f->machines[d->machine].trouble;
}

static const char *word_of(const struct fleet_disk *d, enum word which)
{
    const char *const words[] = {d->firmware, d->place, d->slot};
    return words[which];
}

static void add_peer(struct peers *p, const struct fleet *f, const struct fleet_disk *own,
                     const struct fleet_disk *peer)
{
    struct amount link, peer_link;
    p->count++;
    for (size_t i = 0; i < TROUBLES; i++)
        p->with_trouble[i] += (troubles_of(f, peer) & troubles[i].trouble) != 0;
    if (quantity_read_link(own->link, &link) && quantity_read_link(peer->link, &peer_link)) {
        bool reaches = quantity_link_reaches(&link, &peer_link);
        p->links++;
        p->links_no_better += reaches;
        p->better_link = reaches ? p->better_link : peer->link;
    }
    if (!isnan(peer->temperature)) {
        double step = peer->temperature - p->mean;
        p->mean += step / (double)++p->temperatures;
        p->squares += step * (peer->temperature - p->mean);
        p->hotter += peer->temperature >= own->temperature;
    }
    for (enum word which = 0; which < WORDS; which++) {
        const char *word = word_of(peer, which);
        bool same = !strcmp(word, word_of(own, which));
        p->with_word[which] += same;
        if (!same && *word)
            p->other_word[which] = word;
    }
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

/* Returns whether fewer than a fifth of the peers share a fact. */
static bool is_rare(size_t sharing, size_t peers)
{
    return sharing * 5 < peers;
}

/* Returns whether a drive is hotter than nine of ten peers, and by more than they differ among
   themselves. */
static bool is_hot(const struct peers *p, double own)
{
    const double min_difference = 8, min_deviations = 3;
    double sd = sqrt(p->squares / ((double)p->temperatures - 1));
    return p->temperatures > 1 && p->hotter * 10 <= p->temperatures &&
           own - p->mean >= fmax(min_difference, min_deviations * sd);
}

/* Counts the slow drives in the same slot of other machines. Every machine has one slot of that
   name. */
static size_t slow_in_slot(const struct fleet *f, const struct fleet_disk *own)
{
    size_t machines = 0;
    for (size_t i = 0; i < f->disk_count; i++)
        machines += f->disks[i].slow && f->disks[i].machine != own->machine &&
                    !strcmp(f->disks[i].slot, own->slot);
    return machines;
}

size_t fleet_row_of(const struct fleet *f, const struct fleet_slow *slow)
{
    for (size_t row = 0; row < FLEET_ROWS && slow->row < 0; row++)
        if (fleet_rows[row].in_mean && f->disks[slow->disk].values[row].conditions)
            return row;
    return slow->row < 0 ? 0 : (size_t)slow->row;
}

void fleet_find_cause(const struct fleet *f, struct fleet_slow *slow)
{
    const struct fleet_disk *own = &f->disks[slow->disk];
    const size_t row = fleet_row_of(f, slow);
    struct peers p = {0};
    slow->cause[0] = '\0';
    for (size_t i = 0; i < f->disk_count; i++)
        if (!f->disks[i].slow && f->disks[i].values[row].conditions == own->values[row].conditions)
            add_peer(&p, f, own, &f->disks[i]);
    for (size_t i = 0; i < TROUBLES; i++)
        if (troubles_of(f, own) & troubles[i].trouble && is_rare(p.with_trouble[i], p.count))
            add_cause(slow, "%s", troubles[i].words);
    if (p.better_link && is_rare(p.links_no_better, p.links))
        add_cause(slow, "link %s, its peers %s", own->link, p.better_link);
    if (is_hot(&p, own->temperature))
        add_cause(slow, "%.0f C, its peers %.0f C", own->temperature, p.mean);
    for (enum word which = FIRMWARE; which <= PLACE; which++)
        if (*word_of(own, which) && !p.with_word[which] && p.other_word[which])
            add_cause(slow, "%s%s, its peers %s", which == FIRMWARE ? "firmware " : "",
                      word_of(own, which), p.other_word[which]);
    if (*own->slot && !p.with_word[SLOT] && p.other_word[SLOT] && slow_in_slot(f, own))
        add_cause(slow, "%s is slow in other machines, too", own->slot);
}
