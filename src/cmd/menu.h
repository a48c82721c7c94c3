/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The menu of the live image: 80 columns and 24 lines of plain ASCII on all consoles at once.
 *
 * It knows a console and what it may ask for (struct menu_actions), and nothing of the machine that
 * it runs on, so that it can be tried on any terminal. What it draws is no part of the console's
 * log; what its actions print is. One thread.
 */
#ifndef CUPEL_CMD_MENU_H
#define CUPEL_CMD_MENU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "init/console.h"

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
/* "Press a key for the menu." */
enum menu_end menu_wait(struct menu *m);
/* Let it be done on a cleared screen, and wait for a key. */
enum menu_end menu_qualify(struct menu *m, const struct menu_order *order);
/* The end that a key means wherever it is pressed. */
enum menu_end menu_end_of_key(int key);

/* ---- the pages behind it, one file each ---- */

/* menu_devices.c */
enum menu_end menu_choose_disks(struct menu *m);
/* "all 4 disks", "2 of 4 disks" */
void menu_show_chosen(const struct menu *m, char *to, size_t size);
/* A table of disks from `first` on, as many as fit; returns the first one that is not on it. What
   stands before a name, at most 9 characters, is made by `mark`. */
typedef void menu_mark(const struct menu_disk *d, size_t number, char *to, size_t size);
size_t menu_draw_disks(struct menu *m, size_t first, menu_mark *mark);
/* Where the table begins after "+" or "-" was typed. */
size_t menu_turn_disks(const struct menu *m, size_t first, const char *word);
/* The disk of that number as it stands in the table, from 1, or NULL. */
struct menu_disk *menu_disk_of_number(struct menu *m, const char *text);

/* menu_write.c: the one way to a write test that does not begin with a command. */
enum menu_end menu_write_test(struct menu *m);

/* menu_pager.c: a text page by page, until q, escape, or `other` (CONSOLE_NONE: none) is pressed,
   or something that ends everything (menu_end_of_key). Returns that key. */
int menu_pager(struct menu *m, const char *title, const struct text *text, bool from_end, int other,
               const char *other_words);
/* Log and kernel messages. */
enum menu_end menu_show_log(struct menu *m);

#endif
