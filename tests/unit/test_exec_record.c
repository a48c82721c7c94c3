/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A record of rounds whose machine has more parts and notes than the tables hold: it is read to its
   end, is not called damaged, and reports what has no room. A record of rounds with long memory
   that ended before its limit. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "cmd/execution/rounds_output.h"
#include "program/exec/internal.h"
#include "report/document/document.h"
#include "report/exec/execution.h"
#include "report/report.h"
#include "simulated.h"

enum { MORE = 3 };

static FILE *file;
static uint32_t crc;

/* Adds a line to the record: fields separated by tabs, then the checksum. */
static void add_line(const char *fields)
{
    char line[200];
    int length = snprintf(line, sizeof line, "%s\t", fields);
    crc = crc32c(crc, line, (size_t)length);
    fprintf(file, "%s%08x\n", line, crc);
}

static void write_record(const char *path, int parts, int notes)
{
    char line[100];
    file = fopen(path, "w");
    crc = 0;
    CHECK(file != NULL);
    if (!file)
        exit(EXIT_FAILURE);
    add_line("cupel exec\t1");
    add_line("set\tconfidence\t0.95");
    add_line("command\ttrue");
    add_line("index\twall\t\ts\t3\t0\t1\t0\t");
    for (int i = 0; i < parts; i++) {
        snprintf(line, sizeof line, "part\tcpu%d\tcpu core\tprocessor time\t0\t0\t0.5\t0.5\t0", i);
        add_line(line);
    }
    for (int i = 0; i < notes; i++) {
        snprintf(line, sizeof line, "note\tnote %d", i);
        add_line(line);
    }
    snprintf(line, sizeof line, "end\t%d\tthe last line was read", VERDICT_FAILED);
    add_line(line);
    CHECK_INT(fclose(file), 0);
}

static struct exec_session *load(const char *path)
{
    struct exec_session *s = NULL;
    struct err e = {0};
    CHECK_INT(exec_session_load(&s, path, &e), 0);
    CHECK_STR(e.msg, "");
    if (!s)
        exit(EXIT_FAILURE);
    CHECK(!s->damaged);
    CHECK_INT(s->verdict, VERDICT_FAILED);
    CHECK_STR(s->failure, "the last line was read");
    return s;
}

enum { ROUNDS = 600 };

/* Writes rounds of a second: with long memory (fractional noise, d = .25), ended before their
   limit; or independent ones with a slow swing, ended by the limit. */
static void write_rounds(const char *path, double limit_seconds, bool width_given, bool swing)
{
    static double weight[2 * ROUNDS], noise[3 * ROUNDS];
    char line[150];
    uint64_t state = 20;
    const double d = 0.25;
    weight[0] = 1;
    for (size_t i = 1; i < 2 * ROUNDS; i++)
        weight[i] = weight[i - 1] * ((double)i - 1 + d) / (double)i;
    for (size_t i = 0; i < 3 * ROUNDS; i++)
        noise[i] = simulated_normal(&state);
    file = fopen(path, "w");
    crc = 0;
    CHECK(file != NULL);
    if (!file)
        exit(EXIT_FAILURE);
    add_line("cupel exec\t1");
    add_line("set\tconfidence\t0.95");
    add_line("set\twidth\t0.06");
    add_line("set\tmin_independent\t10");
    add_line("set\tmin_rounds\t10");
    snprintf(line, sizeof line, "set\tlimit_seconds\t%g", limit_seconds);
    add_line(line);
    add_line(width_given ? "set\twidth_given\t1" : "set\twidth_given\t0");
    add_line("command\ttrue");
    add_line("index\tspeed\tall\t1/s\t0\t0\t1\t0.06\t");
    for (int i = 0; i < ROUNDS; i++) {
        double x = 0;
        for (int k = 0; k < 2 * ROUNDS; k++)
            x += weight[k] * noise[i + 2 * ROUNDS - k];
        if (swing)
            x = 0.5 * noise[i] + 0.2 * sin(i * 6.28318 / (ROUNDS / 2));
        snprintf(line, sizeof line, "round\t%d\t%d\t1\t0\t0\t0\t1\t0\t\t\t%.6f", i + 1, i,
                 100 + 10 * x);
        add_line(line);
    }
    snprintf(line, sizeof line, "end\t%d\t", swing ? VERDICT_LIMIT : VERDICT_BEST_POSSIBLE);
    add_line(line);
    CHECK_INT(fclose(file), 0);
}

/* Loads the record and checks its verdict, exit status and first words. */
static void check_end(const char *path, enum verdict verdict, enum err_code status,
                      const char *words)
{
    static struct execution x;
    static const struct report_style style = {.width = 2000};
    struct exec_session *s = NULL;
    struct err e = {0};
    struct text page = {0};
    CHECK_INT(exec_session_load(&s, path, &e), 0);
    if (!s)
        exit(EXIT_FAILURE);
    exec_session_result(s, &x);
    CHECK_STR(verdict_name(x.verdict), verdict_name(verdict));
    execution_status(&x, &e);
    CHECK_INT(e.code, status);
    report_print(&execution_report, &x, "text", &style, &page);
    if (!check_that(strstr(page.data, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "%.600s\n", page.data);
    CHECK(!strstr(page.data, "PRECISE: "));
    text_free(&page);
    exec_session_free(s);
}

static void check_levels(const char *path)
{
    write_rounds(path, 700, false, false);
    check_end(path, VERDICT_BEST_POSSIBLE, ERR_NONE, "AS PRECISE AS THIS MACHINE ALLOWS: speed ");
    check_end(path, VERDICT_BEST_POSSIBLE, ERR_NONE, "what was asked for would take ");
    write_rounds(path, 700, true, false);
    check_end(path, VERDICT_BEST_POSSIBLE, ERR_UNDECIDED, "long memory, d = ");
    /* With a longer limit it would not have given up. */
    write_rounds(path, 1e9, false, false);
    check_end(path, VERDICT_UNCONFIRMED, ERR_UNDECIDED, "NOT CONFIRMED: ");
    /* Narrow enough at its limit; whether the level lasts is undecided. */
    write_rounds(path, 600, false, true);
    check_end(path, VERDICT_UNSETTLED, ERR_NONE, "FOR THESE ROUNDS ONLY: speed ");
    check_end(path, VERDICT_UNSETTLED, ERR_NONE, "A repetition should give ");
    write_rounds(path, 600, true, true);
    check_end(path, VERDICT_UNSETTLED, ERR_UNDECIDED,
              "A repetition may differ: its slow movements");
}

int main(void)
{
    char path[300];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/exec_record.%d", folder ? folder : "/tmp", (int)getpid());

    write_record(path, PROGRAM_WATCH_PARTS, PROGRAM_WATCH_NOTES);
    struct exec_session *s = load(path);
    CHECK_INT(s->machine.part_count, PROGRAM_WATCH_PARTS);
    CHECK_INT(s->machine.note_count, PROGRAM_WATCH_NOTES);
    CHECK_STR(s->machine.notes[PROGRAM_WATCH_NOTES - 1].text, "note 7");
    exec_session_free(s);

    write_record(path, 0, PROGRAM_WATCH_NOTES + MORE);
    s = load(path);
    CHECK_STR(s->machine.notes[PROGRAM_WATCH_NOTES - 1].text,
              "4 more notes: there is no room for them");
    exec_session_free(s);

    write_record(path, PROGRAM_WATCH_PARTS + MORE, 1);
    s = load(path);
    CHECK_INT(s->machine.part_count, PROGRAM_WATCH_PARTS);
    CHECK_INT(s->machine.note_count, 2);
    CHECK_STR(s->machine.notes[1].text,
              "3 more parts of the machine were watched: there is no room for them");
    exec_session_free(s);
    check_levels(path);
    unlink(path);
    return check_result();
}
