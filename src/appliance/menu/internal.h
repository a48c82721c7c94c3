/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/appliance/menu. */
#ifndef CUPEL_APPLIANCE_MENU_INTERNAL_H
#define CUPEL_APPLIANCE_MENU_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "appliance/console/console.h"
#include "appliance/module/modules.h"
#include "appliance/stick/data_partition.h"
#include "appliance/stick/device_wait.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/dispatch.h"
#include "cmd/options/boot_config.h"
#include "cmd/options/command.h"

/* ---- the menu ---- */

/*
 * The menu of the live image: 80 columns and 24 lines of plain ASCII on all consoles at once.
 *
 * It uses a console and the actions that it may request (struct menu_actions), and nothing else of
 * the machine, so that it can be tried on any terminal. Its pages are not part of the console's
 * log; the output of its actions is. One thread.
 */

struct menu_disk {
    char name[64], model[64];
    char serial[64]; /* "": unknown */
    uint64_t size;   /* bytes */
    /* why the disk cannot have a write test: "the stick", "in use"; "": it can */
    char no_write[20];
    bool skipped; /* the disk is the stick, which is never measured */
    bool chosen;  /* to be qualified */
};

#define MENU_DISKS 128

/* the disks to be qualified */
struct menu_order {
    const char *names[MENU_DISKS]; /* empty: all disks */
    size_t name_count;
    const char *preset;
    const char *destroy_serial; /* serial number of the single named disk, which will be
                                   overwritten; NULL: only read */
};

struct menu_actions {
    /* Lists the present disks, at most `room`. It also sets `chosen`, which counts only for disks
       that are new to the menu. */
    size_t (*disks)(void *context, struct menu_disk *to, size_t room);
    /* Qualifies, and prints the result on the console. */
    void (*qualify)(void *context, const struct menu_order *order);
    /* Draws the verdict of the last qualification, and what the next key does. False: there is no
       verdict. */
    bool (*verdict)(void *context, const char *prompt);
    /* Keeps and sends the last report once more, and prints where it went. */
    void (*keep)(void *context);
    /* Texts that are shown page by page. */
    void (*machine)(void *context, struct text *out);
    void (*results)(void *context, struct text *out);
    void (*log)(void *context, struct text *out);
    void (*kernel_log)(void *context, struct text *out);
    /* Writes at most five lines for the head of the menu: the last result, and where its report
       is. */
    void (*state)(void *context, struct text *out);
    /* Called once a second while nobody types; returns true when the shown data may have
       changed. */
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
    void *context;       /* passed to the actions */
    const char *machine; /* name of the machine, shown beside the title */
    char preset[16];
    unsigned idle_seconds; /* time without a key after which the menu ends; 0: never */
    /* text on the screen that says what happens after idle_seconds; NULL if they are 0 */
    const char *idle_words;
    double key_seconds; /* when the last key was pressed; 0: never */
    struct menu_disk disks[MENU_DISKS];
    size_t disk_count;
};

/* Shows the menu until somebody chooses an end. The caller sets `preset`, the initial choice; it
   may list the disks before, but need not. */
enum menu_end menu_run(struct menu *m);

/* Lists the disks again; known disks keep their mark. */
void menu_refresh_disks(struct menu *m);

/* menu_keys.c: waits for the next key. Returns CONSOLE_ESCAPE when nobody pressed a key for too
   long, which ends every page except one where a line is typed. */
int menu_key(struct menu *m);
/* Like menu_key, but returns CONSOLE_NONE after `milliseconds` without a key. */
int menu_key_within(struct menu *m, int milliseconds);
/* Returns whether no key was pressed for idle_seconds. */
bool menu_is_left_alone(const struct menu *m);
#define MENU_LOOK_MS 1000 /* between two checks for changes */
/* Shows "Press a key for the menu." and waits for the key. */
enum menu_end menu_wait(struct menu *m);
/* Shows the verdict of the work that has ended, with `lead` before what the next key does; d shows
   all details, any other key ends it. */
enum menu_end menu_verdict(struct menu *m, const char *lead);
/* Returns the end that a key requests on every page. */
enum menu_end menu_end_of_key(int key);

/* ---- other pages ---- */

/* menu_pager.c: shows a text page by page, until q, escape, `other` (CONSOLE_NONE: no such key) or
   a key that ends everything (menu_end_of_key) is pressed. Returns that key. */
int menu_pager(struct menu *m, const char *title, const struct text *text, bool from_end, int other,
               const char *other_words);

/* ---- commands that begin by themselves (stick_command.c) ---- */

/*
 * Commands of cupel.cfg and of the kernel's command line, which begin by themselves without a
 * person.
 *
 * The text is split into words, and the option rows of each command read them, once. The values
 * that were read are judged and later carried out (dispatch_run). Whether a command writes is
 * decided by its plan, never by its text. A command that writes names its disk by --destroy-serial.
 * --destroy and
 * --overwrite, which permit writing without proof, are not accepted, nor is anything that starts a
 * program.
 */

#define STICK_COMMANDS 32
#define STICK_WORDS    64 /* words of one command */

struct stick_command {
    const char *text; /* part of the text that was read, `length` characters */
    int length;
    char *words[STICK_WORDS + 2]; /* "cupel", then the command's words, then NULL */
    struct dispatch parsed;       /* points into `words` */
    struct command_effect effect;
};

struct stick_commands {
    char text[sizeof((struct boot_config *)0)->command]; /* the text that was read */
    char room[2 * sizeof((struct boot_config *)0)->command];
    struct stick_command list[STICK_COMMANDS];
    size_t count;
};

/*
 * Reads commands that are separated by ';'. Only quotes are special: "..." and '...' may hold
 * blanks and semicolons. ERR_USAGE: a mistake in a command; ERR_UNSAFE: a command that may not
 * begin by itself. In both cases count is 0 and none may begin. The struct points into itself, so
 * it must not be copied.
 */
int stick_commands_read(struct stick_commands *c, const char *text, struct err *e);

/* Returns whether one of the commands destroys the data of a disk. */
bool stick_commands_write(const struct stick_commands *c);

/* ---- the appliance ---- */

/*
 * The parts of the appliance share this struct. In the order of events: init_start.c mounts, opens
 * the consoles and loads drivers; init_config.c reads the configuration; init_countdown.c waits for
 * the stick and for a key; child_work.c runs the qualification (init_qualify.c) or commands in a
 * child process, so that process 1 survives any failure there; init_report.c keeps and sends the
 * report; init.c answers the menu's requests. Nothing here ends process 1: errors are printed
 * on the consoles.
 */

#define INIT_PROBLEMS 16

/* A problem of the configuration or the machine. It is on the page of every later qualification. */
struct init_problem {
    bool fails; /* the machine cannot pass; false: it is a warning */
    char text[sizeof((struct err *)0)->msg];
};

/* The last report: a folder in memory, and where it was kept or sent. */
struct init_report {
    char name[96];        /* "2026-11-20-ABC1234"; "": there is no report yet */
    char folder[128];     /* "/run/report/2026-11-20-ABC1234" */
    char line[2048];      /* "PASS: 24 devices"; "" after commands */
    bool judged;          /* the line is about the last work */
    bool kept, sent;      /* `kept`: on the stick; `sent`: to the collector */
    bool failed;          /* the memory was too small to write the report */
    char kept_words[300]; /* "kept on the stick as ...", or why not; "" when there is no stick */
    char sent_words[300]; /* "sent to ...", or why not; "" when there is no collector */
};

/* The contents of the stick's file of expectations. It is read when the stick is mounted, since the
   stick may be pulled before it is needed. */
struct init_expectation {
    char *text; /* NULL: the stick has no such file */
    size_t length;
    char error[300]; /* why the file could not be read; or "" */
};

struct appliance {
    struct console *console;
    struct device_wait settle;
    /* NULL: the index of modules could not be read, and `settle` is not open */
    struct modules *modules;
    struct text command_line;
    /* `first_config`: the configuration without a stick */
    struct boot_config config, first_config;
    struct data_partition data;
    char image[DATA_IMAGE];         /* identifier of the image that the machine was started from; or
                                       "" */
    char foreign[DATA_NAME];        /* the stick of another image that was reported last */
    struct stick_commands commands; /* config.command as it was last read */
    char command_refused[300];      /* why no command may begin; or "" */
    char counted_down[sizeof((struct boot_config *)0)->command]; /* the commands whose countdown has
                                                                    ended; "" once they began */
    bool command_of_stick; /* the commands come only from cupel.cfg on a stick */
    struct init_problem problems[INIT_PROBLEMS];
    size_t problem_count;
    size_t problems_left; /* number of further problems that the list was too short for */
    bool left_fails;      /* one of those problems fails the machine */
    bool mistaken;        /* part of the configuration could not be read or understood */
    struct init_expectation expectation;
    bool settled;          /* init_settle has run */
    bool stick_seen;       /* a stick was seen, so reports should be kept on it */
    bool stick_failed;     /* the stick could not be mounted, which was reported */
    unsigned stick_event;  /* value of settle.events when the stick was last searched for */
    bool stick_looked;     /* the stick was searched for at least once */
    bool interrupted;      /* somebody pressed Ctrl-C during the work */
    bool overdue;          /* the work exceeded its time, and was ended */
    unsigned idle_seconds; /* time without a key after which the menu does the configured work; 0:
                              never */
    double begin_seconds;  /* time on CLOCK_BOOTTIME when init began */
    char machine[160];     /* "Dell Inc. PowerEdge R7625" */
    struct init_report report;
    struct menu menu;
    struct menu_disk disks[MENU_DISKS]; /* the disks that init_disks found last */
    size_t disk_count;
    unsigned disks_event; /* value of settle.events when init_disks ran */
    bool disks_known;
};

/* ---- init_start.c ---- */

/* Starts the machine. Returns -1 if the appliance cannot continue; the caller prints the error on
   stderr, the first console. */
int init_start(struct appliance *a, struct err *e);
/* Loads drivers for new devices, and notices a new or removed stick. Returns true when something
   appeared or was removed. */
bool init_look_for_devices(struct appliance *a, unsigned quiet_ms, unsigned max_ms);
/* Waits until no more devices appear, and reports the drivers that failed. Called once, before the
   first work. */
void init_settle(struct appliance *a);

/* ---- init_config.c ---- */

/* Prints "! " and the text on the console, wrapped between words. */
void init_warn(struct console *console, const char *words);
/* Prints a problem on the consoles, and stores it for the page. */
void init_problem(struct appliance *a, bool fails, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reads the configuration that exists without a stick: the kernel's command line, and cupel.cfg of
   the initrd. */
void init_read_first_config(struct appliance *a);
/* Reads cupel.cfg of the stick, which overrides that of the initrd (the command line overrides
   both), and then the file of expectations. Neither is read from a stick that the machine was not
   started from (config.stick). */
void init_read_config_of_stick(struct appliance *a);
/* Reads config.command. Returns false if none of the commands may begin, which is reported once.
   The commands are read again before they run, since a profile that they name may have changed. */
bool init_read_commands(struct appliance *a);

/* ---- init_countdown.c ---- */

/* Counts down. Returns true when the time is over without a key press. *end is set when the key was
   Ctrl-Alt-Del. */
bool init_countdown(struct appliance *a, enum menu_end *end);

/* ---- init_disks.c ---- */

/* Lists the machine's disks for the menu. A child process looks at them when a device came or went
   since the last time; a disk that does not answer within 10 s keeps its last state. */
size_t init_disks(struct appliance *a, struct menu_disk *to, size_t room);
/* Marks the disks that `words` name, by name or serial number, and no others; "" marks all.
   `missing` receives the names without a disk. Returns the number of marked disks. */
size_t init_choose_disks(struct menu_disk *disks, size_t count, const char *words,
                         struct text *missing);

/* ---- child_work.c ---- */

void init_qualify(struct appliance *a, const struct menu_order *order);
/*
 * Does the work of the configuration: its commands, or the qualification of its disks. The last
 * lines on the consoles, before the verdict's screen, are for machines that read them: "cupel:
 * qualification FAIL: ...", or for each command 'cupel: command "probe" ended with status 0'.
 */
void init_do_what_is_asked(struct appliance *a);
/* Runs the configuration's commands, each in a child; `statuses` gets a line on the end of each.
   None begins if the configuration has a mistake, or if one of them may not begin. */
void init_run_commands(struct appliance *a, struct text *statuses);

/* ---- init_qualify.c: in the child ---- */

/* The files in memory by which the child passes its results to the parent. */
#define INIT_STATE "/run/cupel"
#define INIT_PAGE  "page-%u" /* number of the console, each of which has a page */
#define INIT_LINE  "line"

struct init_task {
    const struct appliance *appliance;
    const struct menu_order *order;
    /* `begin`: boot_seconds() when the work began; `seconds`: maximum length of the work */
    double begin, seconds;
};
/* Runs the qualification in the child and returns the exit status. `context` is a struct init_task.
   Page, line and report exist from the first disk on, and fail the machine until the qualification
   has ended. */
int init_qualify_in_child(void *context);

/* ---- init_destroy.c ---- */

/* Returns whether the configuration's commands destroy the data of a disk and may begin. */
bool init_destroys(const struct appliance *a);
/* Returns whether the commands destroy data and no countdown has announced it, because a stick
   appeared after the countdown. */
bool init_needs_countdown(const struct appliance *a);

/* Finds the disk with that serial number, as the menu lists it. ERR_UNSAFE: there is no such disk
   or more than one, or it is a stick or in use. */
int init_disk_to_destroy(struct appliance *a, const char *serial, struct menu_disk *disk,
                         struct err *e);

/* ---- init_report.c ---- */

/* Makes a new folder in memory for a report. Errors: ERR_MACHINE. */
int init_report_begin(struct appliance *a, struct err *e);
/* Keeps the report on the stick and sends it to the collector, if these exist; prints the
   outcome. */
void init_report_deliver(struct appliance *a);

/* ---- init.c ---- */

/* Sets the disks and the preset of the menu from the configuration. */
void init_menu_prepare(struct appliance *a);

/* ---- folder_copy.c ---- */

/*
 * Copies a folder of files so that power may fail at any time: first to PARENT/NAME.part, with
 * every file and folder flushed to the device; then the copy is renamed to PARENT/NAME and that is
 * flushed, too. The old contents of PARENT are complete at every moment, and NAME is either
 * complete or absent.
 */

/* PARENT/NAME must not exist. A NAME.part that a power failure left is removed first, and again
   after a failure. ERR_TARGET: the device is full, gone, or fails. */
int keep_folder(const char *from, const char *parent, const char *name, struct err *e);

/* Removes a folder and everything in it; links are not followed. Does nothing when it does not
   exist. */
void remove_folder(const char *path);

/* Removes the remains of reports after power failures in `parent`: only folders DATE...part. Nobody
   may be writing there. */
void remove_unfinished_folders(const char *parent);

/* Calls `each` with the path of every regular file below `folder` and with the part of it after
   `folder`/ ("nvme0n1-read/summary.csv"), sorted, until it returns -1. Returns -1 with ERR_TARGET
   or the error of `each`. */
typedef int each_file_function(void *context, const char *path, const char *below, struct err *e);
int each_file(const char *folder, each_file_function *each, void *context, struct err *e);

/* ---- the kernel's messages as text (init_report.c) ---- */

/* Reads everything that the kernel still has (/dev/kmsg); `path` is another file in tests. If it
   cannot be read, the text says why. */
void kernel_log_read(const char *path, struct text *out);

/*
 * Adds one record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), "6,339,5140900,-;NET: ...\n"
 * and lines of properties after it, as "[ 5.140900] NET: ...". Adds nothing if it is no record.
 */
void kernel_log_add(struct text *out, const char *record, size_t length);

#endif
