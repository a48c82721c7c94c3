/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of the kernel's log: its header, its subject, and whether it matters here. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/log/internal.h"

/* What a line must be about. */
enum about { ANY, TARGET, MACHINE };

/*
 * The lines that matter; the first matching row is used. `words` must be in the line, at the
 * beginning of a word, in any case of letters. Rows of TARGET have words that matter only for the
 * target's devices; rows of MACHINE are about no device, although the name of a program in such a
 * line may look like one.
 */
static const struct kind_row {
    const char *words, *kind;
    enum kernel_severity severity;
    enum about about;
} kinds[] = {
    {"i/o error", "I/O error", KERNEL_ERROR, ANY},
    {"medium error", "medium error", KERNEL_ERROR, ANY},
    {"target error", "I/O error", KERNEL_ERROR, ANY},
    {"protection error", "I/O error", KERNEL_ERROR, ANY},
    {"unrecovered read", "medium error", KERNEL_ERROR, ANY},
    {"aer: uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"aer: multiple uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"severity=uncorrect", "PCIe error", KERNEL_ERROR, ANY},
    {"aer:", "PCIe error", KERNEL_WARNING, ANY},
    {"pcie bus error", "PCIe error", KERNEL_WARNING, ANY},
    {"limiting sata link", "link", KERNEL_WARNING, ANY},
    {"available pcie bandwidth", "link", KERNEL_WARNING, ANY},
    {"link is down", "link down", KERNEL_ERROR, ANY},
    {"link down", "link down", KERNEL_ERROR, ANY},
    {"link is up", "link up", KERNEL_WARNING, ANY},
    {"link up", "link up", KERNEL_WARNING, ANY},
    {"link becomes ready", "link up", KERNEL_NOTICE, ANY},
    {"blocked for more than", "hung task", KERNEL_ERROR, MACHINE},
    {"soft lockup", "lockup", KERNEL_ERROR, MACHINE},
    {"hard lockup", "lockup", KERNEL_ERROR, MACHINE},
    {"detected stalls", "lockup", KERNEL_ERROR, MACHINE},
    {"self-detected stall", "lockup", KERNEL_ERROR, MACHINE},
    {"temperature above threshold", "thermal", KERNEL_WARNING, ANY},
    {"temperature/speed normal", "thermal", KERNEL_NOTICE, ANY},
    {"throttl", "thermal", KERNEL_WARNING, ANY},
    {"thermal", "thermal", KERNEL_WARNING, TARGET},
    {"machine check", "machine check", KERNEL_ERROR, MACHINE},
    {"[hardware error]", "machine check", KERNEL_ERROR, MACHINE},
    {"mce:", "machine check", KERNEL_WARNING, MACHINE},
    {"edac", "memory error", KERNEL_WARNING, MACHINE},
    {"out of memory:", "memory", KERNEL_WARNING, MACHINE},
    {"marking clocksource", "clock", KERNEL_WARNING, MACHINE},
    {"disk failure", "array", KERNEL_ERROR, ANY},
    {"controller is down", "gone", KERNEL_ERROR, ANY},
    {"failed command", "I/O error", KERNEL_ERROR, ANY},
    {"exception emask", "I/O error", KERNEL_ERROR, ANY},
    {"remounting filesystem read-only", "read-only", KERNEL_ERROR, ANY},
    {"timeout", "timeout", KERNEL_ERROR, TARGET},
    {"timed out", "timeout", KERNEL_ERROR, TARGET},
    {"timing out", "timeout", KERNEL_ERROR, TARGET},
    {"abort", "timeout", KERNEL_WARNING, TARGET},
    {"offline", "gone", KERNEL_ERROR, TARGET},
    {"disconnect", "gone", KERNEL_ERROR, TARGET},
    {"removing", "gone", KERNEL_ERROR, TARGET},
    {"reset", "reset", KERNEL_WARNING, TARGET},
    {"error", "error", KERNEL_ERROR, TARGET},
    {"corrupt", "error", KERNEL_ERROR, TARGET},
    {"fail", "error", KERNEL_ERROR, TARGET},
};

/* Reads digits and a comma, and moves *at past them. */
static bool take_number(const char **at, uint64_t *to)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *to = strtoull(*at, &end, 10);
    *at = end + 1;
    return *end == ',';
}

bool log_message_parse(struct log_message *m, const char *line)
{
    uint64_t priority, microseconds;
    if (!take_number(&line, &priority) || !take_number(&line, &m->number) ||
        !take_number(&line, &microseconds))
        return false;
    /* More fields may come before the text, as in "6,339,5140900,-,caller=T1;". */
    const char *text = strchr(line, ';');
    if (!text)
        return false;
    m->level = (unsigned)(priority & 7);
    m->by_program = priority >> 3 != 0;
    m->stamp = (double)microseconds * 1e-6;
    m->text = text + 1;
    return true;
}

/* ---- the subject of a line ---- */

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* For a whole device, its partitions match as well: "sda1", "nvme0n1p2". */
static const char *past_partition(const char *end, char last)
{
    const char *digits = end;
    if (isdigit((unsigned char)last) && *digits++ != 'p')
        return end;
    size_t length = strspn(digits, "0123456789");
    return length ? digits + length : end;
}

static bool names_device(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++) {
        const char *end = past_partition(at + length, name[length - 1]);
        bool is_number = isdigit((unsigned char)*name); /* "0000:01:00.0", "2:0:0:0", "2-1" */
        bool begins = at == text || !(is_in_word(at[-1]) || (is_number && strchr(":.-", at[-1])));
        bool goes_on = is_number && *end && strchr(":.-", *end) && is_in_word(end[1]);
        if (begins && !is_in_word(*end) && !goes_on)
            return true;
    }
    return false;
}

static bool names_target(const char *text, const struct log_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_device(text, names->names[i]))
            return true;
    return false;
}

static bool has_words(const char *text, const char *words)
{
    for (const char *at = text; (at = strcasestr(at, words)); at++)
        if (at == text || !is_in_word(at[-1]) || !isalnum((unsigned char)*words))
            return true;
    return false;
}

static void escape(char *to, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + 5 < size; text++) {
        const unsigned char c = (unsigned char)*text;
        used +=
            (size_t)snprintf(to + used, size - used, c >= 0x20 && c < 0x7f ? "%c" : "\\x%02x", c);
    }
    to[used] = '\0';
}

/* Kernel lines may contain words that a program chooses: its name, its arguments. */
static bool quotes_programs(const char *text)
{
    static const char *const marks[] = {"audit:", "traps:", "segfault at", "process '"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i]))
            return true;
    return false;
}

bool log_message_classify(const struct log_message *m, const struct log_names *names,
                          struct kernel_line *to)
{
    if (quotes_programs(m->text))
        return false;
    const struct kind_row *row = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
    bool of_target = names_target(m->text, names);
    while (row < end && ((row->about == TARGET && !of_target) || !has_words(m->text, row->words)))
        row++;
    if (row == end && !of_target)
        return false;
    of_target &= row == end || row->about != MACHINE;
    *to = (struct kernel_line){.count = 1, .of_target = of_target, .by_program = m->by_program};
    to->severity = row < end       ? row->severity
                   : m->level <= 3 ? KERNEL_ERROR
                   : m->level == 4 ? KERNEL_WARNING
                                   : KERNEL_NOTICE;
    snprintf(to->kind, sizeof to->kind, "%s", row < end ? row->kind : "other");
    escape(to->text, sizeof to->text, m->text);
    return true;
}
