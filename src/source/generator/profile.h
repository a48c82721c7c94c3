/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles: workloads as plain text (profile_help shows the syntax). The profiles of
 * tables/profiles are built into the program and have names (tpc-b, spc-1, ...); any other name is
 * that of a file. Do not call these functions during a measurement: they read files and allocate
 * memory.
 */
#ifndef CUPEL_SOURCE_GENERATOR_PROFILE_H
#define CUPEL_SOURCE_GENERATOR_PROFILE_H

#include "base/err.h"
#include "base/text.h"
#include "source/generator/workload_spec.h"

struct profile_builtin {
    const char *name;
    const char *text; /* ends with '\0' */
};
/* The built-in profiles. The last row has the name NULL. */
extern const struct profile_builtin profile_builtins[];

/*
 * Reads a profile from its argument: the name of a built-in profile, the path of a file, or the
 * text of a profile. A text begins with '[' and may have ';' in place of line ends; the name of a
 * built-in profile has no '/' and no '.'. A profile without a rate has no phases: if a stream has
 * arrivals, fill spec->phases before generators_init. ERR_USAGE: "FILE:LINE:COLUMN: what, and what
 * is possible", or the file is unreadable.
 */
int profile_load(struct workload_spec *spec, const char *name_or_path, struct err *e);

/* Reads a profile from text; `source` is its name in messages. */
int profile_parse(struct workload_spec *spec, const char *source, const char *text, size_t length,
                  struct err *e);

/* Returns true if `name_or_text` is the text of a profile, false if it is a name. */
bool profile_is_text(const char *name_or_text);

/* Appends a page of plain text: what a profile consists of, and the built-in profiles. */
void profile_help(struct text *t);

/* Returns the text of a built-in profile, or NULL if there is no profile of that name. */
const char *profile_text(const char *name);

#endif
