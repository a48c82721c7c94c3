/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the drives and machines of a fleet that are slower than their peers, and by how much. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/qualify/fleet.h"
#include "machine/qualify/internal.h"
#include "stat/basic/distribution.h"
#include "stat/outlier/odd_ones.h"

/* ---- what the odd ones have in common ---- */

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

/* ---- the verdict ---- */

/* ---- groups of peers ---- */

struct member {
    uint64_t conditions;
    const char *firmware;
    size_t disk;
};

static int compare_members(const void *one, const void *other)
{
    const struct member *a = one, *b = other;
    if (a->conditions != b->conditions)
        return a->conditions < b->conditions ? -1 : 1;
    return strcmp(a->firmware, b->firmware);
}

/* Fills in the logarithm of a value, with the sign for which larger is slower, and its standard
   error, which follows from the interval. */
static bool take_value(const struct fleet_value *v, int row, struct odd_value *to)
{
    if (!(v->value > 0) || !(v->low > 0) || !(v->high >= v->low) || !(v->confidence > 0) ||
        !(v->confidence < 1) || !isfinite(v->high))
        return false;
    bool is_time = metric_of(fleet_rows[row].metric)->better == METRIC_BETTER_LOWER;
    to->x = is_time ? log(v->value) : -log(v->value);
    to->se = log(v->high / v->low) / 2 / normal_quantile((1 + v->confidence) / 2);
    return true;
}

/* Counts the members from members[k] on that have the same firmware. */
static size_t same_firmware(const struct member members[], size_t k, size_t end)
{
    size_t next = k;
    while (next < end && !strcmp(members[next].firmware, members[k].firmware))
        next++;
    return next - k;
}

/*
 * Numbers the groups of a row: drives of one model that were measured alike. Another firmware than
 * the most common one gets a group of its own if at least five drives and a quarter of all have it,
 * because two firmwares may differ in speed. Drives with a rarer firmware are compared with those
 * that have the most common one.
 */
static void number_groups(const struct fleet *f, int row, struct member members[],
                          struct odd_drive drives[])
{
    const size_t share = 4, min_count = 5;
    size_t count = 0;
    int group = 0;
    for (size_t i = 0; i < f->disk_count; i++) {
        drives[i].tests[row] = (struct odd_value){.x = NAN, .group = -1};
        if (take_value(&f->disks[i].values[row], row, &drives[i].tests[row]))
            members[count++] =
                (struct member){f->disks[i].values[row].conditions, f->disks[i].firmware, i};
    }
    qsort(members, count, sizeof *members, compare_members);
    for (size_t begin = 0, end = 0; begin < count; begin = end) {
        size_t largest = 0;
        bool taken = false; /* the most common firmware was seen; an equally common one gets its own
                               group */
        int common = group++;
        while (end < count && members[end].conditions == members[begin].conditions)
            end++;
        for (size_t k = begin; k < end; k += same_firmware(members, k, end))
            if (same_firmware(members, k, end) > largest)
                largest = same_firmware(members, k, end);
        for (size_t k = begin, n; k < end; k += n) {
            n = same_firmware(members, k, end);
            bool own = (n < largest || taken) && n >= min_count && n * share >= end - begin;
            taken |= n == largest;
            int number = own ? group++ : common;
            for (size_t i = k; i < k + n; i++)
                drives[members[i].disk].tests[row].group = number;
        }
    }
}

/* ---- what was found ---- */

static int compare_slow(const void *one, const void *other)
{
    const struct fleet_slow *a = one, *b = other;
    if (a->whole_machine != b->whole_machine)
        return a->whole_machine ? -1 : 1;
    return a->share > b->share ? -1 : a->share < b->share;
}

/* Returns by which share a value is worse: the part of a rate that is lost, or of a time that is
   added. */
static double share_of(double excess, int row)
{
    bool is_time = row >= 0 && metric_of(fleet_rows[row].metric)->better == METRIC_BETTER_LOWER;
    return is_time ? exp(excess) - 1 : 1 - exp(-excess);
}

static void add_slow(struct fleet *f, const struct odd_one *o)
{
    /* A machine has one memory and one set of processors, so a finding about them concerns that
       part and not all drives of the machine. */
    bool machine = o->kind == ODD_MACHINE && !f->disks[o->drive].is_part;
    int row = o->of_mean ? -1 : o->test;
    const struct fleet_slow slow = {
        .whole_machine = machine,
        .machine = f->disks[o->drive].machine,
        .disk = o->drive,
        .row = row,
        .share = share_of(o->found.excess, row),
        .low = share_of(o->found.low, row),
        .high = share_of(o->found.high, row),
        .p = o->p,
        .peers = o->peers,
    };
    /* Each drive is listed once, with its slowest result. A single test says more than the mean of
       all tests. */
    for (size_t i = 0; i < f->slow_count; i++) {
        struct fleet_slow *s = &f->slow[i];
        if (s->whole_machine != machine || s->machine != slow.machine ||
            (!machine && s->disk != slow.disk))
            continue;
        if (slow.row >= 0 &&
            (s->row < 0 || slow.p < s->p || (slow.p <= s->p && slow.share > s->share)))
            *s = slow;
        return;
    }
    f->slow[f->slow_count++] = slow;
}

/* Lists the slow drives and machines. In the list, a slow machine takes the place of its slow
   drives. Its facts are those of its middle drive, and its `drives` counts the drives that were
   measured under the same conditions as that drive. */
static void take_machines(struct fleet *f, const struct odd_drive drives[],
                          const struct odd_ones *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->all[i].named)
            add_slow(f, &found->all[i]);
    size_t kept = 0;
    for (size_t i = 0; i < f->slow_count; i++)
        f->machines[f->slow[i].machine].slow |= f->slow[i].whole_machine;
    for (size_t i = 0; i < f->slow_count; i++) {
        struct fleet_slow *s = &f->slow[i];
        if (!s->whole_machine && f->machines[s->machine].slow)
            continue;
        const size_t row = fleet_row_of(f, s);
        for (size_t d = 0; d < f->disk_count; d++) {
            const struct fleet_disk *other = &f->disks[d];
            bool alike = other->values[row].conditions == f->disks[s->disk].values[row].conditions;
            if (s->whole_machine
                    ? other->machine != s->machine || !alike || isnan(drives[d].tests[row].x)
                    : d != s->disk)
                continue;
            f->disks[d].slow = true;
            s->drives++;
        }
        f->slow[kept++] = *s;
    }
    f->slow_count = kept;
}

/* Finds for each row how much slower a drive must be to be found in any of the row's groups. */
static void find_power(struct fleet *f, const struct odd_ones *found)
{
    for (int row = -1; row < FLEET_ROWS; row++) {
        struct fleet_power power = {.row = row, .confidence = ODD_POWER};
        double excess = 0;
        for (size_t i = 0; i < found->count; i++) {
            const struct odd_one *o = &found->all[i];
            if (isnan(o->detectable) || (o->of_mean ? -1 : o->test) != row)
                continue;
            excess = fmax(excess, o->detectable);
            power.drives++;
        }
        power.share = share_of(excess, row);
        if (power.drives)
            f->power[f->power_count++] = power;
    }
}

enum { JUDGED = 1, OF_LEVEL = 2, HIDDEN = 4 };

/* Counts the drives that could be judged, and the others by the reason why they could not. */
static void count_judged(struct fleet *f, const struct odd_drive drives[],
                         const struct odd_ones *found, unsigned char seen[])
{
    for (size_t i = 0; i < found->count; i++)
        if (found->all[i].kind == ODD_DRIVE)
            seen[found->all[i].unit] |= (unsigned char)((isnan(found->all[i].p) ? 0 : JUDGED) |
                                                        (found->all[i].is_level ? OF_LEVEL : 0) |
                                                        (found->all[i].is_hidden ? HIDDEN : 0));
    for (size_t d = 0; d < f->disk_count; d++) {
        bool measured = false;
        for (size_t row = 0; row < FLEET_ROWS; row++)
            measured |= drives[d].tests[row].group >= 0;
        if (f->disks[d].is_part) {
            f->parts_judged += seen[d] & JUDGED;
            continue;
        }
        f->judged += seen[d] & JUDGED;
        f->few += measured && !seen[d];
        f->unmeasured += !measured;
        f->levels += (seen[d] & OF_LEVEL) != 0;
        f->fallen += !measured && f->disks[d].fallen;
        f->hidden += (seen[d] & HIDDEN) != 0;
        if (seen[d] & HIDDEN)
            fleet_note(f, false, f->machines[f->disks[d].machine].folder,
                       "%s %.64s (%.64s) lies far below the rest, as others do", f->disks[d].slot,
                       f->disks[d].serial, f->disks[d].name);
    }
}

int fleet_judge(struct fleet *f, struct err *e)
{
    struct odd_test tests[FLEET_ROWS];
    struct odd_ones found = {0};
    struct odd_drive *drives = calloc(f->disk_count + 1, sizeof *drives);
    struct member *members = calloc(f->disk_count + 1, sizeof *members);
    unsigned char *seen = calloc(f->disk_count + 1, sizeof *seen);
    bool ok = drives && members && seen;
    for (int row = 0; row < FLEET_ROWS && ok; row++) {
        bool is_time = metric_of(fleet_rows[row].metric)->better == METRIC_BETTER_LOWER;
        tests[row] = (struct odd_test){is_time ? log(1 + fleet_rows[row].threshold)
                                               : -log(1 - fleet_rows[row].threshold),
                                       fleet_rows[row].in_mean};
        number_groups(f, row, members, drives);
    }
    for (size_t i = 0; i < f->disk_count && ok; i++)
        drives[i].machine = (int)f->disks[i].machine;
    ok = ok && odd_ones_find(&found, drives, f->disk_count, f->machine_count, tests, FLEET_ROWS);
    f->slow = ok ? calloc(f->disk_count + f->machine_count + 1, sizeof *f->slow) : NULL;
    if (f->slow) {
        take_machines(f, drives, &found);
        count_judged(f, drives, &found, seen);
        find_power(f, &found);
        for (size_t i = 0; i < f->slow_count; i++)
            fleet_find_cause(f, &f->slow[i]);
        qsort(f->slow, f->slow_count, sizeof *f->slow, compare_slow);
    }
    free(found.all);
    free(seen);
    free(members);
    free(drives);
    return f->slow ? 0 : err_no_memory(e, "comparing the drives");
}

enum err_code fleet_status(const struct fleet *f)
{
    if (f->slow_count)
        return ERR_FAILED;
    return fleet_is_undecided(f) ? ERR_UNDECIDED : ERR_NONE;
}
