/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Invariants: conditions that only a defect of cupel itself can break, never an input, a device
 * or a lack of memory (those are errors, err.h). They are checked in every build.
 *
 * A broken one ends the program: a line on standard error names the place and says in `words`
 * what was expected, and abort() follows. A separate process notices the end of this one and puts
 * back changed settings (hw/knob/knob.h, many/sweep/level_command.c); the handler of SIGABRT
 * leaves the full-screen view; a record keeps what was flushed. Do not use them in loops that
 * issue I/O, nor in code that libcupel.a reaches: the library never ends the program that called
 * it.
 */
#ifndef CUPEL_BASE_INVARIANT_H
#define CUPEL_BASE_INVARIANT_H

/* `words`: a whole sentence that says what holds, for the person who reports the defect. */
#define INVARIANT(holds, words) ((holds) ? (void)0 : invariant_broken(__FILE__, __LINE__, words))

/* For a place that is never reached, such as the one after a switch over all values of an enum. */
#define INVARIANT_BROKEN(words) invariant_broken(__FILE__, __LINE__, words)

_Noreturn void invariant_broken(const char *file, int line, const char *words)
    __attribute__((cold));

#endif
