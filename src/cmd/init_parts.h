/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the appliance, which share one struct. Only src/cmd/init*.c include this.
 *
 * What happens, in order: init_start.c mounts, opens the consoles and loads drivers; init_config.c
 * reads what is asked for; init_countdown.c waits for the stick and for a key; init_work.c has the
 * qualification (init_qualify.c) or commands (init_command.c) done in a child process, so that
 * process 1 outlives whatever happens there; init_report.c keeps and sends the report;
 * init_menu.c is what the menu can ask for. None of it ends process 1: what goes wrong is told on
 * the consoles.
 */
#ifndef CUPEL_CMD_INIT_PARTS_H
#define CUPEL_CMD_INIT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/boot_config.h"
#include "cmd/menu.h"
#include "cmd/stick_command.h"
#include "init/console.h"
#include "init/data_partition.h"
#include "init/modules.h"
#include "init/settle.h"

#define INIT_PROBLEMS 16

/* Something that was asked for and could not be done. It stands on the page of every qualification
   from then on. */
struct init_problem {
    bool fails; /* the machine cannot pass; otherwise it is a warning */
    char text[300];
};

/* The last report: a folder in memory, and what became of it. */
struct init_report {
    char name[96];        /* "2026-11-20-ABC1234"; "": there is none yet */
    char folder[128];     /* "/run/report/2026-11-20-ABC1234" */
    char line[2048];      /* "PASS: 24 devices"; "" after commands */
    bool kept, sent;      /* on the stick; to the collector */
    bool failed;          /* there was no room to write it to */
    char kept_words[300]; /* "kept on the stick as ...", or why not; "" when there is no stick */
    char sent_words[300]; /* likewise, of the collector */
};

/* What the stick's file of expectations says. It is read when the stick is mounted, for that may be
   pulled before it is needed. */
struct init_expectation {
    char *text; /* NULL: the stick has none */
    size_t length;
    char error[300]; /* why it could not be read; "" */
};

struct appliance {
    struct console *console;
    struct settle settle;
    struct modules *modules; /* NULL: they could not be read, and `settle` is not open */
    struct text command_line;
    struct boot_config config, first_config; /* as it is now; as it was without any stick */
    struct data_partition data;
    char image[DATA_IMAGE];         /* the identifier of what the machine was started from; "" */
    char foreign[DATA_NAME];        /* the stick of another image that was reported last */
    struct stick_commands commands; /* config.command, when it was read last */
    char command_refused[300];      /* why none of them may begin, or "" */
    char counted_down[sizeof((struct boot_config *)0)->command]; /* the commands that a countdown
                                     has come to its end for; "" once they were begun */
    bool command_of_stick; /* cupel.cfg on a stick says them, and nothing else does */
    struct init_problem problems[INIT_PROBLEMS];
    size_t problem_count;
    size_t problems_left; /* there was no room for so many more, */
    bool left_fails;      /* one of which fails the machine */
    bool mistaken;        /* something in the configuration could not be read or understood */
    struct init_expectation expectation;
    bool settled;          /* init_settle was here */
    bool stick_seen;       /* it was there once, so reports are meant to be kept on it */
    bool stick_failed;     /* it could not be mounted, and that was told */
    unsigned stick_event;  /* settle.events when it was looked for last */
    bool stick_looked;     /* it was looked for at all */
    bool interrupted;      /* somebody pressed Ctrl-C while something went on */
    bool overdue;          /* it took longer than it may, and was ended */
    unsigned idle_seconds; /* without a key, after which the menu does what is asked; 0: never */
    double begin_seconds;  /* of CLOCK_BOOTTIME, when init began */
    char machine[160];     /* "Dell Inc. PowerEdge R7625" */
    struct init_report report;
    struct menu menu;
    struct menu_disk disks[MENU_DISKS]; /* as init_disks found them last */
    size_t disk_count;
    unsigned disks_event; /* settle.events then */
    bool disks_known;
};

/* Seconds of CLOCK_BOOTTIME. */
double init_seconds(void);

/* ---- init_start.c ---- */

/* -1: there is nothing to go on with; the error is told on stderr, the first console. */
int init_start(struct appliance *a, struct err *e);
/* Drivers for what came since, and the stick when it came or went. True: something came or went. */
bool init_look_for_devices(struct appliance *a, unsigned quiet_ms, unsigned most_ms);
/* Wait until no more devices come; the drivers that failed are told. Once, before the first work.
 */
void init_settle(struct appliance *a);

/* ---- init_config.c ---- */

/* Tell it on the consoles, and remember it for the page. */
void init_problem(struct appliance *a, bool fails, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Before the stick is there: the kernel's command line, and cupel.cfg of the initrd. */
void init_read_first_config(struct appliance *a);
/* cupel.cfg of the stick, which wins over that of the initrd; the command line wins over both. Then
   the file of expectations. Of a stick that the machine was not started from neither is read
   (config.stick). */
void init_read_config_of_stick(struct appliance *a);

/* ---- init_countdown.c ---- */

/* True: the time is over, and nobody pressed a key. *end is set when that was Ctrl-Alt-Del. */
bool init_countdown(struct appliance *a, enum menu_end *end);

/* ---- init_disks.c ---- */

/* The disks of the machine as the menu shows them. They are looked at in a child process, when
   something came or went since the last time; what does not answer within 10 s is as it was. */
size_t init_disks(struct appliance *a, struct menu_disk *to, size_t room);
/* Mark those that `words` name, by name or serial number, and no others; "" marks all. What is
   not there goes to `missing`, one word after the other. Returns how many are marked. */
size_t init_choose_disks(struct menu_disk *disks, size_t count, const char *words,
                         struct text *missing);

/* ---- init_work.c ---- */

void init_qualify(struct appliance *a, const struct menu_order *order);
/*
 * What the configuration asks for: its commands, or the qualification of its disks. The last lines
 * on the consoles are for machines that read them: "cupel: qualification FAIL: ...", or for each
 * command 'cupel: command "probe" ended with status 0'.
 */
void init_do_what_is_asked(struct appliance *a);
/* Run `function` in a child process that writes to the consoles, for at most `seconds` (0: as long
   as it likes). Returns its exit status; 128 and more when a signal killed it, -1 when there was no
   child or it does not end (the consoles say why). */
int init_run_child(struct appliance *a, int (*function)(void *context), void *context,
                   double seconds);

/* ---- init_qualify.c: in the child ---- */

/* Where the child leaves what the parent shows: files in memory. */
#define INIT_STATE "/run/cupel"
#define INIT_PAGE  "page"
#define INIT_LINE  "line"

struct init_task {
    const struct appliance *appliance;
    const struct menu_order *order;
    double begin, seconds; /* init_seconds() when it began; how long it may take */
};
/* `context` is a struct init_task. The exit status. Page, line and report are there from the first
   disk on, and fail the machine as long as the qualification has not come to its end. */
int init_qualify_in_child(void *context);

/* ---- init_command.c ---- */

/* Read config.command; false, and said once, when none of it may be begun. It is read anew before
   it is run, for a profile that it names may have come or changed meanwhile. */
bool init_read_commands(struct appliance *a);

/* Run the configuration's commands, one child each; their statuses are told by the lines that are
   appended to `statuses`. With a mistake in the configuration none is begun, and none when one of
   them may not be. */
void init_run_commands(struct appliance *a, struct text *statuses);

/* ---- init_destroy.c ---- */

/* The configuration's commands destroy what a disk holds, and may begin. */
bool init_destroys(const struct appliance *a);
/* They do, and no countdown has said so: a stick came after it. */
bool init_needs_countdown(const struct appliance *a);

/* The disk of that serial number, as it stands in the menu. ERR_UNSAFE: there is none or more than
   one, it is a stick, or in use. */
int init_disk_to_destroy(struct appliance *a, const char *serial, struct menu_disk *disk,
                         struct err *e);
/* The same of all disks that a command would destroy. */
int init_may_destroy(struct appliance *a, const struct command_effect *effect, struct err *e);
/* What the commands will destroy, for the countdown. */
void init_describe_destruction(struct appliance *a, struct text *out);

/* ---- init_report.c ---- */

/* A new folder in memory for a report. ERR_MACHINE. */
int init_report_begin(struct appliance *a, struct err *e);
/* Log and kernel messages go into the folder. */
void init_report_add_logs(struct appliance *a);
/* Keep it on the stick and send it to the collector, where there are such; tell what became of it.
 */
void init_report_deliver(struct appliance *a);
/* There is somewhere to keep a report, and this one could be kept nowhere. */
bool init_report_would_be_lost(const struct appliance *a);

/* ---- init_menu.c ---- */

enum menu_end init_menu(struct appliance *a);
/* Set the menu to the disks and the preset that the configuration asks for. */
void init_menu_prepare(struct appliance *a);

#endif
