/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the priorities of a section's requests. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "fio/job/fio_value.h"
#include "fio/job/internal.h"
#include "source/generator/workload_spec_text.h"

/* Reads the priority of all requests. If only a level or a hint is given, the class is best effort,
   as in fio. */
static int make_priority_of_all(struct section_reader *s, struct err *e)
{
    uint64_t class = PRIORITY_NONE, level = 0, hint = 0;
    const struct fio_setting *at = s->given[FIO_KEY_PRIO_CLASS];
    at = at ? at : s->given[FIO_KEY_PRIO];
    at = at ? at : s->given[FIO_KEY_PRIO_HINT];
    if (section_read_number(s, FIO_KEY_PRIO_CLASS, PRIORITY_IDLE, &class, e) ||
        section_read_number(s, FIO_KEY_PRIO, PRIORITY_LEVEL_MAX, &level, e) ||
        section_read_number(s, FIO_KEY_PRIO_HINT, PRIORITY_HINT_MAX, &hint, e))
        return -1;
    if (!at)
        return 0;
    if (s->stream.past_block_layer || (s->stream.buffered && s->stream.writes)) {
        section_cannot(s, at, "%s: %s", at->name,
                       s->stream.past_block_layer
                           ? "this engine goes past the block layer, which takes priorities"
                           : "what the kernel writes back from the page cache has none");
        return 0;
    }
    s->stream.priority = priority_value(class ? (enum priority_class) class : PRIORITY_BE,
                                        (unsigned)level, (unsigned)hint);
    return 0;
}

/* Reads the number for one direction (reads or writes); the setting has one number for each
   direction, or one for both. */
static int read_directed_number(const struct section_reader *s, enum fio_key key,
                                unsigned direction, uint64_t max, uint64_t *to, struct err *e)
{
    char text[64], shown[64];
    const struct fio_setting *at = s->given[key];
    if (!at)
        return 0;
    if (section_need_value(s, at, e))
        return -1;
    if (!fio_direction(at->value, direction, text, sizeof text) || parse_unsigned(text, to, NULL) ||
        *to > max)
        return section_refuse(s, at, e, "%s is a number up to %" PRIu64 ", not %s", at->name, max,
                              section_printable(shown, at->value));
    return 0;
}

/* Reads the priority of the requests that cmdprio_percentage or cmdprio_bssplit chooses. */
static int read_own_priority(const struct section_reader *s, unsigned direction, uint16_t *value,
                             struct err *e)
{
    uint64_t class = PRIORITY_NONE, level = 0, hint = 0;
    if (read_directed_number(s, FIO_KEY_CMDPRIO_CLASS, direction, PRIORITY_IDLE, &class, e) ||
        read_directed_number(s, FIO_KEY_CMDPRIO, direction, PRIORITY_LEVEL_MAX, &level, e) ||
        read_directed_number(s, FIO_KEY_CMDPRIO_HINT, direction, PRIORITY_HINT_MAX, &hint, e))
        return -1;
    *value = priority_value(class ? (enum priority_class) class : PRIORITY_RT, (unsigned)level,
                            (unsigned)hint);
    return 0;
}

static void add_share(struct section_reader *s, const char *size, uint64_t percent, uint16_t value)
{
    char *out = s->stream.shares, words[PRIORITY_WORDS];
    size_t used = strlen(out);
    snprintf(out + used, sizeof s->stream.shares - used, "%s%s/%" PRIu64 "/%s",
             used && out[used - 1] != ',' ? ":" : "", size, percent, priority_words(value, words));
}

/* Adds an entry of cmdprio_bssplit: SIZE/PERCENT[/CLASS/LEVEL[/HINT]]. */
static int add_entry(struct section_reader *s, const struct fio_setting *at, char *entry,
                     uint16_t usual, struct err *e)
{
    uint64_t bytes, number[4] = {0}; /* the numbers after the size: percent, class, level, hint */
    unsigned count = 0;
    char size[32];
    char *text = strsep(&entry, "/");
    bool bad = fio_bytes(text, s->base, &bytes);
    for (char *part; !bad && (part = strsep(&entry, "/")); count++)
        bad = count == 4 || parse_unsigned(part, &number[count], NULL);
    if (bad || !count || count == 2 || number[0] > 100 || number[1] > PRIORITY_IDLE ||
        number[2] > PRIORITY_LEVEL_MAX || number[3] > PRIORITY_HINT_MAX)
        return section_refuse(
            s, at, e, "%s is a list of SIZE/PERCENT or SIZE/PERCENT/CLASS/LEVEL[/HINT]", at->name);
    if (!number[0])
        return 0;
    snprintf(size, sizeof size, "%" PRIu64, bytes);
    add_share(s, size, number[0],
              count == 1 ? usual
                         : priority_value((enum priority_class)number[1], (unsigned)number[2],
                                          (unsigned)number[3]));
    return 0;
}

/* Adds the value for one direction of cmdprio_percentage or cmdprio_bssplit. */
static int add_direction(struct section_reader *s, const struct fio_setting *at, char *value,
                         unsigned direction, struct err *e)
{
    uint16_t own;
    uint64_t percent;
    char shown[64];
    if (read_own_priority(s, direction, &own, e))
        return -1;
    if (at == s->given[FIO_KEY_CMDPRIO_BSSPLIT]) {
        for (char *entry; (entry = strsep(&value, ":"));)
            if (add_entry(s, at, entry, own, e))
                return -1;
        return 0;
    }
    if (parse_unsigned(value, &percent, NULL) || percent > 100)
        return section_refuse(s, at, e, "%s is a number up to 100, not %s", at->name,
                              section_printable(shown, value));
    add_share(s, "any", percent, own);
    return 0;
}

/* Returns true if different priorities are given for reads and writes. */
static bool are_apart(const struct section_reader *s)
{
    static const enum fio_key keys[] = {FIO_KEY_CMDPRIO, FIO_KEY_CMDPRIO_CLASS,
                                        FIO_KEY_CMDPRIO_HINT};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (s->given[keys[i]] && s->given[keys[i]]->value && strchr(s->given[keys[i]]->value, ','))
            return s->stream.mixed;
    return false;
}

int section_make_priorities(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_CMDPRIO_PERCENTAGE];
    struct section_directed values;
    struct err why = {0};
    struct stream_spec stream = {0};
    if (make_priority_of_all(s, e))
        return -1;
    if (at && s->given[FIO_KEY_CMDPRIO_BSSPLIT])
        return section_refuse(s, at, e, "%s and %s do not go together", at->name,
                              fio_key_name(FIO_KEY_CMDPRIO_BSSPLIT));
    at = at ? at : s->given[FIO_KEY_CMDPRIO_BSSPLIT];
    if (!at || (at->value && fio_is_off(at->value)))
        return 0;
    if (s->stream.serial || s->stream.buffered || s->stream.past_block_layer) {
        section_cannot(s, at, "%s: %s", at->name,
                       s->stream.buffered ? "through the page cache requests have no priority"
                                          : "of io_uring and libaio alone");
        return 0;
    }
    if (section_read_directed(s, at, &values, e))
        return -1;
    if (are_apart(s))
        values.count = 2;
    for (unsigned i = 0; i < values.count; i++) {
        if (i)
            snprintf(s->stream.shares + strlen(s->stream.shares),
                     sizeof s->stream.shares - strlen(s->stream.shares), ",");
        if (add_direction(s, at, values.value[i], s->stream.mixed ? i : s->stream.writes, e))
            return -1;
    }
    if (*s->stream.shares && priorities_parse(s->stream.shares, 0, &stream, &why))
        return section_refuse(s, at, e, "%s: %s", at->name, why.msg);
    return 0;
}
