/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Knobs: settings of the machine that the user explicitly asked to be changed for the time of a
 * run. They are saved, set, read back and restored, and with them what the kernel resets when they
 * change (hw/knob/internal.h): after a run nothing of the machine is different.
 *
 * Restoring is the work of a process, the keeper, that is started before the first change and
 * holds the saved values: it restores when the run says so and when the run's process dies in any
 * way, kill -9 included (its end of a pipe closes). It ignores the terminal's signals. The idle
 * states are held off through /dev/cpu_dma_latency, which the kernel itself restores when the file
 * closes.
 *
 * Should both be killed, a file below /run/cupel still says what is changed. It is on the disk
 * before the first change, locked by both, and goes when everything is back: knob_notes_restore.
 *
 * Two runs do not change one setting at the same time (hw/knob/internal.h). What somebody else
 * changes during the run is theirs from then on: it is left so, and reported.
 */
#ifndef CUPEL_HW_KNOB_KNOB_H
#define CUPEL_HW_KNOB_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/pool.h"
#include "hw/sysroot/sysroot.h"

enum knob_switch { KNOB_LEFT, KNOB_ON, KNOB_OFF }; /* left: not asked for */

struct knob_request {
    const char *governor;     /* of every online processor; NULL: not asked for */
    uint64_t frequency_khz;   /* that they are held at; 0: not asked for */
    enum knob_switch turbo;   /* frequencies above the nominal one */
    const char *scheduler;    /* of these disks; NULL: not asked for */
    const char *const *disks; /* names: "nvme0n1" */
    size_t disk_count;
    uint64_t read_ahead_kb; /* of their queues; 0: not asked for */
    uint64_t nr_requests;
    bool cpu_idle_off;
};

/* One file that was changed, for the report. */
struct knob_change {
    const char *path, *before, *after; /* strings of the pool */
    bool foreign;    /* of the one who restores: somebody else has changed it since */
    bool with_other; /* its old value comes back with that of another change */
};

/* One file that nobody asked to change: its value is saved, and written back if it is lost. What
   several changes reset is listed for each, with the same strings. */
struct knob_dependent {
    const char *path, *value; /* strings of the pool */
    size_t change;            /* index of the one that it goes with */
};

struct knob_lock;

/* A struct of zeros holds nothing: while `set` is false, the zeros below are no files. */
struct knobs {
    bool set; /* knobs_set was here */
    struct knob_change *changes;
    size_t change_count;
    struct knob_dependent *dependents;
    size_t dependent_count;
    struct knob_lock *locks;
    size_t lock_count;
    bool complete; /* every change was made */
    struct pool strings;
    struct sysroot root; /* what the paths are below */
    int pipe;            /* to the keeper; -1: none */
    pid_t keeper;        /* 0: none */
    int latency;         /* /dev/cpu_dma_latency; -1: not held */
    char note_name[64];  /* "": nothing says what is changed */
    int note, note_folder;
    bool is_taken_up; /* after the death of those who changed it */
};

/*
 * Save, set and read back. When any of it fails everything is as before, and the error says what
 * and why: ERR_USAGE for a value that the machine does not offer (the message lists those it does),
 * ERR_MACHINE where it has no such knob or does not permit it, ERR_UNSAFE while another run has
 * changed it, or was asked for the value that it has. Nothing asked for: nothing done.
 *
 * What has the value already is no change and is left alone, but held against other runs. The
 * keeper is a fork of this process: call this before the buffers of the run are there, which it
 * would share and the first write to each page of them would then pay for.
 */
int knobs_set(struct knobs *k, const struct sysroot *root, const struct knob_request *request,
              struct err *e);

/* Restore and wait until that is done. ERR_MACHINE: a value could not be restored, and the message
   names the file and the value to write by hand; or somebody else changed it during the run, and it
   was left so with its dependent settings. Safe to call twice, when nothing was set, and with a
   struct of zeros. The list of changes stays for the report. */
int knobs_restore(struct knobs *k, struct err *e);

/* What a file of /run/cupel says of the session that made it. */
struct knob_note {
    long process;
    char boot[64], command[1024];
};

/* Called for each that was taken up: what was changed, with `foreign` where somebody else has
   changed it since, which is left so. */
typedef void knob_note_seen(void *context, const struct knobs *k, const struct knob_note *note);

/*
 * Put back what sessions left changed that were killed together with their keepers. Only a value
 * that is still the one that was set is replaced. ERR_UNSAFE: the session of one still runs;
 * ERR_MACHINE: no permission, or a value could not be restored. The others are restored all the
 * same.
 */
int knob_notes_restore(const struct sysroot *root, knob_note_seen *seen, void *context,
                       struct err *e);

/* The process that left settings changed, the first that is found; 0: none did. Cheap. */
long knob_notes_left(const struct sysroot *root);

/* The end of all lists. Of a struct of zeros, or after a failed knobs_set: nothing. */
void knobs_free(struct knobs *k);

#endif
