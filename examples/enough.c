/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with its own loop that only asks "enough?": it reads numbers from standard input until
 * their mean is known to 1 %.
 *
 *     seq 100000 | shuf | ./enough
 */
#include <cupel.h>
#include <stdio.h>

int main(void)
{
    struct cupel_error error;
    struct cupel_result r;
    double reading;
    struct cupel_session *s = cupel_session_new(&error);
    if (!s || cupel_set(s, "ci", "1%", &error) || cupel_metric(s, "number", 0, &error) < 0)
        return CUPEL_MACHINE;

    while (cupel_enough(s, &error) == 0 && scanf("%lf", &reading) == 1)
        if (cupel_push(s, 0, &reading, 1, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return (int)error.code;
        }

    if (cupel_result(s, 0, &r, &error))
        return (int)error.code;
    printf("%s: mean %.9g, %.9g to %.9g, of %zu readings\n", r.enough ? "enough" : "not enough",
           r.mean, r.low, r.high, r.readings);
    cupel_session_free(s);
    return r.enough ? 0 : CUPEL_UNDECIDED;
}
