/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up data path, built part by part. */
#ifndef TESTS_UNIT_PATH_FIXTURE_H
#define TESTS_UNIT_PATH_FIXTURE_H

#include <stdio.h>

#include "facts/result.h"

static struct result path_fixture;

static inline unsigned path_fixture_part(const char *name, enum node_kind kind, double read,
                                         double write)
{
    struct result_part *part = &path_fixture.parts[path_fixture.part_count];
    *part = (struct result_part){
        .kind = kind, .on_path = true, .limit_read = read, .limit_write = write};
    snprintf(part->name, sizeof part->name, "%s", name);
    return (unsigned)path_fixture.part_count++;
}

static inline void path_fixture_edge(unsigned from, unsigned to)
{
    path_fixture.edges[path_fixture.edge_count++] = (struct result_edge){from, to};
}

#endif
