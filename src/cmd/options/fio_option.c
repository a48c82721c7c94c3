/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds fio's names and values, and writes hints about them. */
#include "cmd/options/fio_option.h"

#include <string.h>

const char *fio_sync_kind(const char *name)
{
    for (size_t i = 0; i < FIO_SYNC_COUNT; i++)
        if (!strcmp(fio_sync_kinds[i].name, name))
            return fio_sync_kinds[i].ours;
    return NULL;
}

bool option_names_equal(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
            return false;
    return *a == *b;
}

const struct fio_option *fio_option_find(const char *name)
{
    for (size_t i = 0; i < FIO_OPTION_COUNT; i++)
        if (option_names_equal(fio_options[i].name, name))
            return &fio_options[i];
    return NULL;
}

const struct fio_engine *fio_engine_find(const char *name)
{
    for (size_t i = 0; i < FIO_ENGINE_COUNT; i++)
        if (!strcmp(fio_engines[i].name, name))
            return &fio_engines[i];
    return NULL;
}

static bool has_option(const struct option_row rows[], const char *name)
{
    if (name[0] == '-' && name[1])
        name++;
    for (const struct option_row *row = rows; row->name; row++)
        if (option_names_equal(row->name, name) || (!name[1] && row->letter == name[0]))
            return true;
    return false;
}

int fio_option_hint(const struct option_row rows[], const char *typed, struct err *e)
{
    const struct fio_option *o = fio_option_find(typed);
    if (!o || !has_option(rows, o->ours ? o->ours : "ioengine"))
        return 0;
    switch (o->kind) {
    case FIO_RENAMED:
        if (!o->ours)
            return err_set(e, ERR_USAGE, "--%s is fio's: %s", o->name, o->words);
        return err_set(e, ERR_USAGE, "--%s is fio's: use %s%s%s%s%s", o->name,
                       o->ours[0] == '-' ? "" : "--", o->ours, *o->words ? " (" : "", o->words,
                       *o->words ? ")" : "");
    case FIO_NO_NEED:
        return err_set(e, ERR_USAGE, "--%s is fio's, and not needed: %s; leave it out", o->name,
                       o->words);
    case FIO_MISSING:
        return err_set(e, ERR_USAGE, "--%s is fio's, and cupel has nothing like it: %s", o->name,
                       o->words);
    default:
        return err_set(
            e, ERR_USAGE,
            "--%s is fio's, of an engine that cupel does not have; --ioengine lists ours "
            "in cupel help run",
            o->name);
    }
}

int fio_option_value(const struct option_row *row, const char **value, struct err *e)
{
    if (!strcmp(row->name, "rw")) {
        for (size_t i = 0; i < FIO_PATTERN_COUNT; i++)
            if (!strcmp(*value, fio_patterns[i].name))
                *value = fio_patterns[i].ours;
    }
    if (!strcmp(row->name, "sync") && fio_sync_kind(*value))
        *value = fio_sync_kind(*value);
    const struct fio_engine *engine =
        strcmp(row->name, "ioengine") ? NULL : fio_engine_find(*value);
    if (engine && engine->other)
        return err_set(
            e, ERR_USAGE,
            "--ioengine %s is fio's, and cupel has none of its kind; --ioengine %s reaches "
            "the same target another way",
            engine->name, engine->ours);
    if (engine && *engine->note && strcmp(engine->name, engine->ours) != 0)
        return err_set(e, ERR_USAGE, "--ioengine %s is fio's: use --ioengine %s", engine->name,
                       engine->ours);
    if (engine)
        *value = engine->ours;
    return 0;
}
