/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles: workloads as plain text (its form: profile_help). Those of tables/profiles are part of
 * the program and known by name (tpc-b, spc-1, ...); any other name is a file. Not while something
 * is measured: files are read, memory is allocated.
 */
#ifndef CUPEL_GENERATOR_PROFILE_H
#define CUPEL_GENERATOR_PROFILE_H

#include "base/err.h"
#include "base/text.h"
#include "generator/workload_spec.h"

struct profile_builtin {
    const char *name;
    const char *text; /* ended by '\0' */
};
/* Ended by a name of NULL. */
extern const struct profile_builtin profile_builtins[];

/*
 * Read the profile of that name, or that file; or the text itself, which begins with '[' and may
 * have ';' where lines end. A name has no '/' and no '.'. A profile without a
 * rate has no phases: give it some (spec->phases) before generators_init, where any stream arrives.
 * ERR_USAGE: "FILE:LINE:COLUMN: what, and what is possible", or unreadable.
 */
int profile_load(struct workload_spec *spec, const char *name_or_path, struct err *e);

/* The same from text; `source` is its name in messages. */
int profile_parse(struct workload_spec *spec, const char *source, const char *text, size_t length,
                  struct err *e);

/* Is it a profile's text, and no name? */
bool profile_is_text(const char *name_or_text);

/* What a profile consists of, and which are built in: a page of plain text. */
void profile_help(struct text *t);

/* The text of a profile of this program; NULL: there is none of that name. */
const char *profile_text(const char *name);

#endif
