/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants: what only a defect of cupel itself can break, never an input, a device or a lack of
 * memory (those are errors, err.h). They are checked in every build.
 *
 * A broken one ends the program: a line on standard error names the place and says in `words` what
 * was expected, and abort() follows. Settings that were changed are put back by their keeper, which
 * sees the end of the process (hw/knob/knob.h, many/sweep/level_command.c), a full screen is left
 * by its handler of SIGABRT, and a record has what was flushed. Not for loops that issue I/O, nor
 * for what the library that computes (libcupel.a) reaches: it never ends the program that called
 * it.
 */
#ifndef CUPEL_BASE_INVARIANT_H
#define CUPEL_BASE_INVARIANT_H

/* `words`: a whole sentence of what holds, for someone who reports the defect. */
#define INVARIANT(holds, words) ((holds) ? (void)0 : invariant_broken(__FILE__, __LINE__, words))

/* At a place that is never reached: after a switch over all values of an enum. */
#define INVARIANT_BROKEN(words) invariant_broken(__FILE__, __LINE__, words)

_Noreturn void invariant_broken(const char *file, int line, const char *words)
    __attribute__((cold));

#endif
