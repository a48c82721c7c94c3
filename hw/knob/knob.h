/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Knobs: settings of the machine that the user explicitly asked to change for the time of a run.
 * They are saved, set, read back and restored, together with the settings that the kernel resets
 * along with them (hw/knob/internal.h): after a run the machine is unchanged.
 *
 * A process, the keeper, restores them. It is started before the first change and holds the saved
 * values. It restores them when the run asks for it, and when the run's process ends in any way,
 * kill -9 included (the run's end of a pipe then closes). It ignores the terminal's signals. Idle
 * states are disabled through /dev/cpu_dma_latency, which the kernel itself restores when the file
 * is closed.
 *
 * If both processes are killed, a file below /run/cupel, a note, still records what was changed. It
 * is on the disk before the first change, locked by both processes, and removed when everything is
 * restored: see knob_notes_restore.
 *
 * Two runs cannot change the same setting at the same time (hw/knob/internal.h). A setting that
 * somebody else changes during the run is not restored, and reported.
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

enum knob_switch { KNOB_LEFT, KNOB_ON, KNOB_OFF }; /* KNOB_LEFT: not requested, left as it is */

struct knob_request {
    const char *governor;     /* governor of every online processor; NULL: not requested */
    uint64_t frequency_khz;   /* frequency at which processors are held; 0: not requested */
    enum knob_switch turbo;   /* whether frequencies above the nominal one are allowed */
    const char *scheduler;    /* I/O scheduler of the disks in `disks`; NULL: not requested */
    const char *const *disks; /* names: "nvme0n1" */
    size_t disk_count;
    uint64_t read_ahead_kb; /* read-ahead of the queues of `disks`; 0: not requested */
    uint64_t nr_requests;
    bool cpu_idle_off;
};

/* A file that the run has changed, and its values, for the report. */
struct knob_change {
    const char *path, *before, *after; /* owned by the pool */
    /* set when restoring: somebody else has changed the file since */
    bool foreign;
    /* the file gets its old value when another change is restored */
    bool with_other;
};

/* A file that the user did not ask to change, but that a change may reset: its value is saved, and
   written back if it is lost. If several changes reset it, it is listed for each, with the same
   strings. */
struct knob_dependent {
    const char *path, *value; /* owned by the pool */
    size_t change;            /* index of the change that may reset the file */
};

struct knob_lock;

/* The knobs of a run. A struct of zeros holds nothing: while `set` is false, a member that is 0 is
   not descriptor 0. */
struct knobs {
    bool set; /* knobs_set was called, so the members below are valid */
    struct knob_change *changes;
    size_t change_count;
    struct knob_dependent *dependents;
    size_t dependent_count;
    struct knob_lock *locks;
    size_t lock_count;
    bool complete; /* every change was made */
    struct pool strings;
    struct sysroot root; /* root below which the paths lie */
    int pipe;            /* pipe to the keeper; -1: no pipe */
    pid_t keeper;        /* number of the process that restores the knobs; 0: none */
    int latency;         /* descriptor of /dev/cpu_dma_latency; -1: not open */
    char note_name[64];  /* file name of the note; "": there is no note */
    int note, note_folder;
    bool is_taken_up; /* read from a note, after the processes that made the changes were killed */
};

/*
 * Saves, sets and reads back the requested settings. When one of these fails, everything is undone,
 * and the error names the setting and the reason: ERR_USAGE for a value that the machine does not
 * offer (the message lists those it offers), ERR_MACHINE where the machine has no such knob or does
 * not permit it, ERR_UNSAFE while another run has changed it, or needs its present value. An empty
 * request does nothing.
 *
 * A setting that has the requested value already is not changed, but locked against other runs. The
 * keeper is a fork of this process: call this before the buffers of the run are allocated, because
 * they would be shared with it and the first write to each page would then be slow.
 */
int knobs_set(struct knobs *k, const struct sysroot *root, const struct knob_request *request,
              struct err *e);

/* Restores the settings and waits until that is done. ERR_MACHINE: a value could not be restored,
   and the message names the file and the value to write by hand; or somebody else changed a setting
   during the run, and it was not restored, nor its dependent settings. May be called twice, when
   nothing was set, and with a struct of zeros. The list of changes is kept for the report. */
int knobs_restore(struct knobs *k, struct err *e);

/* The session that wrote a note below /run/cupel. */
struct knob_note {
    long process;
    char boot[64], command[1024];
};

/* Called for each note that was restored, with its changes. A change that is `foreign` was not
   restored: somebody else has changed the setting since. */
typedef void knob_note_seen(void *context, const struct knobs *k, const struct knob_note *note);

/*
 * Restores the settings of sessions that were killed together with the processes that would have
 * restored them. A value is replaced only if it is still the one that was set. ERR_UNSAFE: one of
 * the sessions still runs; ERR_MACHINE: no permission, or a value could not be restored. The other
 * sessions are restored in any case.
 */
int knob_notes_restore(const struct sysroot *root, knob_note_seen *seen, void *context,
                       struct err *e);

/* Returns the number of the first process found that left settings changed; 0: there is none.
   Cheap. */
long knob_notes_left(const struct sysroot *root);

/* Frees all lists. Does nothing for a struct of zeros, or after a failed knobs_set. */
void knobs_free(struct knobs *k);

#endif
