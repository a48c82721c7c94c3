/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which sessions repeat one another: those of the same disk and of a plan that asks for the
   same requests under the same settings. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "run/history/history.h"

/* Returns true if the field decides what is measured. */
static bool is_of_workload(const struct option_row *field)
{
    static const char *const ungrouped[] = {"pattern", "random_share", "write_share", "trims"};
    switch (field->group) {
    case PLAN_WORKLOAD:
    case PLAN_ZONES:
    case PLAN_ENGINE:
    case PLAN_DATA:
    case PLAN_TIMING:
    case PLAN_TRACE:
    case PLAN_MAP:
    case PLAN_MACHINE:
    case PLAN_SETTINGS:
        return true;
    case PLAN_REGION:
        return strcmp(field->key, "seed") != 0;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof ungrouped / sizeof *ungrouped; i++)
        if (!strcmp(field->key, ungrouped[i]))
            return true;
    return false;
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash(const char *text)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3u;
    return sum;
}

/* Adds a field unless it has its default, so that fields of later versions change no older key. */
static void add_given(const struct plan *p, const struct plan *defaults,
                      const struct option_row *field, struct text *to)
{
    struct text given = {0}, otherwise = {0};
    plan_write_field(p, field, &given);
    plan_write_field(defaults, field, &otherwise);
    if (given.data && otherwise.data && strcmp(given.data, otherwise.data) != 0)
        text_add(to, given.data);
    to->failed |= given.failed || otherwise.failed;
    text_free(&given);
    text_free(&otherwise);
}

bool history_key(char to[HISTORY_KEY], const char *identity, const struct plan *p)
{
    static struct plan defaults; /* static, because it is too large for a small stack */
    struct text given = {0};
    plan_init(&defaults);
    text_addf(&given, "%s\n", identity);
    for (const struct option_row *field = plan_fields(); field->key; field++)
        if (is_of_workload(field))
            add_given(p, &defaults, field, &given);
    const bool known = given.data && !given.failed;
    snprintf(to, HISTORY_KEY, "%016llx", known ? (unsigned long long)hash(given.data) : 0);
    text_free(&given);
    return known;
}
