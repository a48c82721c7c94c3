/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A record of rounds whose machine has more parts and notes than the tables hold: it is read to its
   end, is not called damaged, and says what has no room. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "program/exec/internal.h"

enum { MORE = 3 };

static FILE *file;
static uint32_t crc;

/* A line of the record, its fields parted by tabs, and the checksum after them. */
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

int main(void)
{
    char path[300];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/exec_record.%d", folder ? folder : "/tmp", (int)getpid());

    write_record(path, PROGRAM_WATCH_PARTS, PROGRAM_WATCH_NOTES);
    struct exec_session *s = load(path);
    CHECK_INT(s->machine.part_count, PROGRAM_WATCH_PARTS);
    CHECK_INT(s->machine.note_count, PROGRAM_WATCH_NOTES);
    CHECK_STR(s->machine.notes[PROGRAM_WATCH_NOTES - 1].text, "note 3");
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
    unlink(path);
    return check_result();
}
