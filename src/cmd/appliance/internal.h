/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/cmd/appliance share. */
#ifndef CUPEL_CMD_APPLIANCE_INTERNAL_H
#define CUPEL_CMD_APPLIANCE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/dispatch.h"
#include "cmd/options/boot_config.h"
#include "cmd/options/command.h"
#include "init/console/console.h"
#include "init/module/modules.h"
#include "init/stick/data_partition.h"
#include "init/stick/device_wait.h"

/* ---- the menu ---- */

/*
 * The menu of the live image: 80 columns and 24 lines of plain ASCII on all consoles at once.
 *
 * It knows a console and what it may ask for (struct menu_actions), and nothing of the machine that
 * it runs on, so that it can be tried on any terminal. What it draws is no part of the console's
 * log; what its actions print is. One thread.
 */

struct menu_disk {
    char name[64], model[64];
    char serial[64];   /* "": unknown */
    uint64_t size;     /* bytes */
    char no_write[20]; /* why no write test may have it: "the stick", "in use"; "": it may */
    bool skipped;      /* never measured: the stick */
    bool chosen;       /* to be qualified */
};

#define MENU_DISKS 128

/* What is to be qualified. */
struct menu_order {
    const char *names[MENU_DISKS]; /* none: all disks */
    size_t name_count;
    const char *preset;
    const char *destroy_serial; /* of the one disk named, to be written over; NULL: only reading */
};

struct menu_actions {
    /* The disks that are there now, at most `room`. Their `chosen` counts when they are new. */
    size_t (*disks)(void *context, struct menu_disk *to, size_t room);
    /* Do it, and print the result on the console. */
    void (*qualify)(void *context, const struct menu_order *order);
    /* Draw the verdict of that work, with what the next key does. False: it has none. */
    bool (*verdict)(void *context, const char *prompt);
    /* Keep and send the last report again, and print what became of it. */
    void (*keep)(void *context);
    /* Texts to be looked at page by page. */
    void (*machine)(void *context, struct text *out);
    void (*results)(void *context, struct text *out);
    void (*log)(void *context, struct text *out);
    void (*kernel_log)(void *context, struct text *out);
    /* At most five lines for the head of the menu: the last result, where the report is. */
    void (*state)(void *context, struct text *out);
    /* Called once a second while nobody types: true when what the menu shows may have changed. */
    bool (*changed)(void *context);
};

enum menu_end {
    MENU_GO_ON,
    MENU_POWER_OFF,
    MENU_REBOOT,
    MENU_END_OF_INPUT,
    MENU_LEFT_ALONE /* no key for idle_seconds */
};

struct menu {
    struct console *console;
    const struct menu_actions *actions;
    void *context;       /* of the actions */
    const char *machine; /* beside the title */
    char preset[16];
    unsigned idle_seconds;  /* without a key, after which the menu ends; 0: it never does */
    const char *idle_words; /* what comes then, as the screen says it; NULL where it never does */
    double key_seconds;     /* when the last key was pressed; 0: none was */
    struct menu_disk disks[MENU_DISKS];
    size_t disk_count;
};

/* Show it until somebody chooses an end. `preset` is what the menu begins with: it is the caller's
   to set; disks may be there or not. */
enum menu_end menu_run(struct menu *m);

/* Look for disks again; those that were there keep their mark. */
void menu_refresh_disks(struct menu *m);

/* The next key, however long it takes; CONSOLE_ESCAPE when the menu was left alone, which ends
   every page but one where a line is typed. */
int menu_key(struct menu *m);
/* The same within that time; CONSOLE_NONE when it is over. */
int menu_key_within(struct menu *m, int milliseconds);
/* No key was pressed for idle_seconds. */
bool menu_is_left_alone(const struct menu *m);
#define MENU_LOOK_MS 1000 /* between two looks for what has changed */
/* "Press a key for the menu." */
enum menu_end menu_wait(struct menu *m);
/* The verdict of the work that has ended, `lead` before what the next key does; d shows all that is
   known, any other key ends it. */
enum menu_end menu_verdict(struct menu *m, const char *lead);
/* Let it be done on a cleared screen, and show the verdict. */
enum menu_end menu_qualify(struct menu *m, const struct menu_order *order);
/* The end that a key means wherever it is pressed. */
enum menu_end menu_end_of_key(int key);

/* ---- its other pages ---- */

/* menu_disks.c */
enum menu_end menu_choose_disks(struct menu *m);
/* "all 4 disks", "2 of 4 disks" */
void menu_show_chosen(const struct menu *m, char *to, size_t size);
/* The one way to a write test that does not begin with a command. */
enum menu_end menu_write_test(struct menu *m);

/* menu_pager.c: a text page by page, until q, escape, or `other` (CONSOLE_NONE: none) is pressed,
   or something that ends everything (menu_end_of_key). Returns that key. */
int menu_pager(struct menu *m, const char *title, const struct text *text, bool from_end, int other,
               const char *other_words);
/* Log and kernel messages. */
enum menu_end menu_show_log(struct menu *m);

/* ---- commands that begin by themselves (stick_command.c) ---- */

/*
 * Commands that begin by themselves, with nobody there: those of cupel.cfg and of the kernel's
 * command line.
 *
 * The text is cut into words, and each command's own option rows read them, once; what was read is
 * what is judged and later carried out (dispatch_run). Whether a command writes is what its plan
 * says, never its text. One that writes names its disk by --destroy-serial; --destroy and
 * --overwrite, which permit writing without proof, are no options here, and neither is anything
 * that starts a program.
 */

#define STICK_COMMANDS 32
#define STICK_WORDS    64 /* of one command */

struct stick_command {
    const char *text; /* of the text that was read, `length` characters */
    int length;
    char *words[STICK_WORDS + 2]; /* "cupel", then the command's, then NULL */
    struct dispatch parsed;       /* points into `words` */
    struct command_effect effect;
};

struct stick_commands {
    char text[sizeof((struct boot_config *)0)->command]; /* what was read */
    char room[2 * sizeof((struct boot_config *)0)->command];
    struct stick_command list[STICK_COMMANDS];
    size_t count;
};

/*
 * Read commands that ';' separates; "..." and '...' hold blanks and semicolons, and nothing else
 * is special. ERR_USAGE: a mistake in one of them; ERR_UNSAFE: one that may not begin by itself.
 * Then none may be begun: count is 0. Points into itself: it must not be copied.
 */
int stick_commands_read(struct stick_commands *c, const char *text, struct err *e);

/* One of them destroys what a disk holds. */
bool stick_commands_write(const struct stick_commands *c);

/* ---- the appliance ---- */

/*
 * The parts of the appliance share one struct.
 *
 * In the order of events: init_start.c mounts, opens the consoles and loads drivers; init_config.c
 * reads the configuration; init_countdown.c waits for the stick and for a key; init_work.c has the
 * qualification (init_qualify.c) or commands done in a child process, so that process 1 outlives
 * whatever happens there; init_report.c keeps and sends the report; init_menu.c answers the menu's
 * requests. None of it ends process 1: what goes wrong is printed on the consoles.
 */

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
    bool judged;          /* the line is of the work that ended last */
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
    struct device_wait settle;
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
    bool stick_failed;     /* it could not be mounted, and that was reported */
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

/* ---- init_start.c ---- */

/* -1: there is nothing to go on with; the caller prints the error on stderr, the first console. */
int init_start(struct appliance *a, struct err *e);
/* Drivers for what came since, and the stick when it came or went. True: something came or went. */
bool init_look_for_devices(struct appliance *a, unsigned quiet_ms, unsigned max_ms);
/* Wait until no more devices come, and report the drivers that failed. Once, before the first work.
 */
void init_settle(struct appliance *a);

/* ---- init_config.c ---- */

/* Print it on the consoles, and remember it for the page. */
void init_problem(struct appliance *a, bool fails, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Before the stick is there: the kernel's command line, and cupel.cfg of the initrd. */
void init_read_first_config(struct appliance *a);
/* cupel.cfg of the stick, which wins over that of the initrd; the command line wins over both. Then
   the file of expectations. Of a stick that the machine was not started from neither is read
   (config.stick). */
void init_read_config_of_stick(struct appliance *a);
/* Read config.command; false, and said once, when none of it may be begun. It is read anew before
   it is run, for a profile that it names may have come or changed meanwhile. */
bool init_read_commands(struct appliance *a);

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
/* Draw the screen of the qualification that ended last; false: what ended last was none. */
bool init_show_verdict(struct appliance *a, const char *prompt);
/*
 * What the configuration asks for: its commands, or the qualification of its disks. The last lines
 * on the consoles, before the verdict's screen, are for machines that read them: "cupel:
 * qualification FAIL: ...", or for each command 'cupel: command "probe" ended with status 0'.
 */
void init_do_what_is_asked(struct appliance *a);
/* Run the configuration's commands, one child each; `statuses` gets a line on the end of each. With
   a mistake in the configuration none is begun, and none when one of them may not be. */
void init_run_commands(struct appliance *a, struct text *statuses);

/* ---- init_qualify.c: in the child ---- */

/* Where the child leaves what the parent shows: files in memory. */
#define INIT_STATE "/run/cupel"
#define INIT_PAGE  "page-%u" /* one for each console */
#define INIT_LINE  "line"

struct init_task {
    const struct appliance *appliance;
    const struct menu_order *order;
    double begin, seconds; /* boot_seconds() when it began; how long it may take */
};
/* `context` is a struct init_task. The exit status. Page, line and report are there from the first
   disk on, and fail the machine as long as the qualification has not come to its end. */
int init_qualify_in_child(void *context);

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
/* Keep it on the stick and send it to the collector, where there are such; print what became of it.
 */
void init_report_deliver(struct appliance *a);
/* There is somewhere to keep a report, and this one could be kept nowhere. */
bool init_report_would_be_lost(const struct appliance *a);

/* ---- init_menu.c ---- */

enum menu_end init_menu(struct appliance *a);
/* Set the menu to the disks and the preset that the configuration asks for. */
void init_menu_prepare(struct appliance *a);

/* ---- keep_folder.c ---- */

/*
 * A folder of files, copied so that power may fail at any time: first to PARENT/NAME.part, every
 * file and folder flushed to the device, then renamed to PARENT/NAME and that flushed too. What
 * stood in PARENT before is whole at every moment, and NAME is there whole or not at all.
 */

/*
 * PARENT/NAME must not exist; a NAME.part that a power failure left is removed first, and again
 * after a failure. ERR_TARGET: the device is full, gone, or fails.
 */
int keep_folder(const char *from, const char *parent, const char *name, struct err *e);

/* Remove a folder and all in it; links are not followed. Nothing when it is not there. */
void remove_folder(const char *path);

/* Remove what power failures left of reports in `parent`: folders DATE...part, and nothing else.
   Nobody may be writing there. */
void remove_unfinished_folders(const char *parent);

/* Call `each` with the path of every regular file below `folder`, and with the part of it after
   `folder`/ ("nvme0n1-read/summary.csv"), sorted, until it returns -1. ERR_TARGET, or its error. */
typedef int each_file_function(void *context, const char *path, const char *below, struct err *e);
int each_file(const char *folder, each_file_function *each, void *context, struct err *e);

/* ---- the kernel's messages as text (init_report.c) ---- */

/* Everything that the kernel still has (/dev/kmsg); `path` is another file in tests. The text says
   why it cannot be read. */
void kernel_log_read(const char *path, struct text *out);

/*
 * One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), "6,339,5140900,-;NET: ...\n" with
 * lines of properties after it, as "[    5.140900] NET: ...". Nothing for what is no record.
 */
void kernel_log_add(struct text *out, const char *record, size_t length);

#endif
