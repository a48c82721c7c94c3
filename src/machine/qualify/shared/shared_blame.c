/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the part that takes the speed that drives lose together. */
#include <math.h>

#include "machine/qualify/shared/shared.h"

/* A sum above this multiple of a limit refutes the limit (a hypervisor's link). */
#define EXCEEDED 1.05

/* Returns true if the drives together reach the part's limit. The measured sum is compared with it,
   because the upper end of a wide interval would reach any limit. The interval's lower end must not
   refute the limit. */
static bool is_full(const struct sharing *s, const struct sharing_part *part,
                    enum sharing_load load)
{
    double bytes = load == SHARING_READ ? 1 : s->block_size[load];
    return part->load[load].together * bytes >= SHARED_FULL * part->limit &&
           part->together_low[load] * bytes <= EXCEEDED * part->limit;
}

struct below {
    size_t lose, keep, open, measured;
};

/* Counts the drives of a part by their loss. A drive that keeps its speed at no higher rate than a
   losing drive has left may only have its fair share, so it does not speak for the part. */
static struct below look_below(const struct sharing *s, const struct sharing_part *part,
                               enum sharing_load load)
{
    struct below b = {0};
    double left = 0; /* the highest rate that a losing drive has left */
    for (size_t i = 0; i < s->drive_count; i++)
        if (part->member[i] && s->drives[i].loss[load] == SHARING_LOSES)
            left = fmax(left, s->drives[i].load[load].together);
    for (size_t i = 0; i < s->drive_count; i++) {
        enum sharing_loss loss = s->drives[i].loss[load];
        if (!part->member[i] || loss == SHARING_NOT_MEASURED)
            continue;
        b.measured++;
        b.lose += loss == SHARING_LOSES;
        b.keep += loss == SHARING_KEEPS && s->drives[i].load[load].together > left;
        b.open += loss == SHARING_UNDECIDED;
    }
    return b;
}

/* Returns the nearest full part. If no part is full, returns the part with the most losing drives
   among those below which no drive keeps its speed; of several such parts, the nearest. Parts with
   fewer drives come first. */
static int find_part(const struct sharing *s, size_t drive, enum sharing_load load)
{
    int suspect = -1;
    size_t lose = 1;
    for (size_t p = 0; p < s->part_count; p++) {
        const struct sharing_part *part = &s->parts[p];
        struct below b = look_below(s, part, load);
        if (!part->member[drive] || b.measured < 2)
            continue;
        if (is_full(s, part, load))
            return (int)p;
        if (!b.keep && b.lose > lose) {
            suspect = (int)p;
            lose = b.lose;
        }
    }
    return suspect;
}

void shared_find_blame(struct sharing *s, enum sharing_load load)
{
    for (size_t p = 0; p < s->part_count; p++) {
        struct below b = look_below(s, &s->parts[p], load);
        s->parts[p].blame[load] = b.open ? SHARING_OPEN : SHARING_FREE;
    }
    for (size_t i = 0; i < s->drive_count; i++) {
        struct sharing_drive *d = &s->drives[i];
        d->part[load] = -1;
        if (d->loss[load] != SHARING_LOSES)
            continue;
        int p = find_part(s, i, load);
        d->part[load] = p;
        if (p >= 0)
            s->parts[p].blame[load] =
                is_full(s, &s->parts[p], load) ? SHARING_FULL : SHARING_UNKNOWN;
    }
}
