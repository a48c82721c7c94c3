/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans how many rounds there are, their length, and the order of measurements. */
#include <math.h>

#include "machine/qualify/shared/shared.h"

void shared_plan_rounds(struct sharing *s, double limit_seconds, double around)
{
    /* A measurement takes about a second in addition to measuring. If rounds are longer than five
       seconds, a further round adds more precision than making them longer. */
    const double shortest = 1, longest = 5;
    double rounds = fmin(fmax(floor(limit_seconds / shortest), SHARING_MIN_ROUNDS), SHARING_ROUNDS);
    s->max_rounds = (unsigned)rounds;
    s->round_seconds = fmin(limit_seconds / rounds, longest);
    s->planned_seconds = SHARING_LOADS * rounds * (s->slots + 1) * (s->round_seconds + around);
}

unsigned shared_step(const struct sharing *s, unsigned round, unsigned step)
{
    if (round % 2 == 0)
        return step;
    return step == 0 ? s->slots : step - 1;
}

bool shared_is_look(const struct sharing *s, unsigned rounds)
{
    /* The ratios are judged only a few times, because each time takes a part of the allowed chance
       of error. */
    return rounds == s->max_rounds ||
           (rounds < s->max_rounds && (rounds == SHARING_MIN_ROUNDS || rounds == 6 || rounds == 8));
}

unsigned shared_looks(const struct sharing *s)
{
    unsigned looks = 0;
    for (unsigned rounds = 1; rounds <= s->max_rounds; rounds++)
        looks += shared_is_look(s, rounds);
    return looks;
}
