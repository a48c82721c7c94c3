/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes for the reader of a recording: losses, I/O that was not seen, and how it was made. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "base/units.h"
#include "base/version.h"
#include "program/observe/internal.h"

/* Notes I/O that uses other ways than the calls that are counted. */
static void note_other_ways(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    if (u->ring_requests > 0 && !rec->sees_rings)
        result_note(r, true,
                    "%" PRIu64 " requests went through io_uring: they are counted where they "
                    "reached the devices, not as calls",
                    u->ring_requests);
    if (u->ring_seen > 0)
        result_note(r, false,
                    "%" PRIu64 " requests went through io_uring; they count like calls, from when "
                    "the kernel takes them to when it reports their result",
                    u->ring_seen);
    if (u->aio_ended > 0)
        result_note(r, false,
                    "%" PRIu64 " requests went through io_submit; they count like calls, from "
                    "io_submit to when io_getevents returned them",
                    u->aio_ended);
    uint64_t beyond = u->aio_requests > u->aio_seen ? u->aio_requests - u->aio_seen : 0;
    if (beyond + u->aio_reused > 0)
        result_note(r, true,
                    "%" PRIu64 " requests of io_submit are counted where they reached the devices, "
                    "not as calls: io_getevents did not return them, or more than %d were handed "
                    "in at once",
                    beyond + u->aio_reused, IO_SUBMIT_MAX);
    if (u->writing_maps > 0)
        result_note(r, true,
                    "files were mapped into memory for writing (mmap), %" PRIu64 " times: that "
                    "I/O is counted where it reached the devices, not as calls",
                    u->writing_maps);
    if (u->reading_maps > 0)
        result_note(r, false,
                    "files mapped into memory for reading, shared: %" PRIu64
                    "; what is read by memory is no call",
                    u->reading_maps);
    if (u->foreign > 0)
        result_note(r, true, "32-bit programs took part: their system calls are not counted");
    if (u->calls[FILE_NONE] > 0)
        result_note(r, false, "calls on descriptors that stand for no file: %" PRIu64,
                    u->calls[FILE_NONE]);
}

/* Adds "not counted, because there is no storage behind them: 12 calls on pipes (34 KiB), ...". */
static void note_uncounted(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    char words[sizeof r->notes[0].text] = "", size[UNITS_BUFFER];
    size_t used = 0;
    for (int kind = FILE_FOLDER; kind < FILE_NONE; kind++) {
        if (u->calls[kind] == 0 || used + 1 >= sizeof words)
            continue;
        int length =
            snprintf(words + used, sizeof words - used, "%s%" PRIu64 " on %s (%s)",
                     used ? ", " : "", u->calls[kind], file_class_name((enum file_class)kind),
                     format_size(size, sizeof size, (double)u->bytes[kind]));
        used += length > 0 ? (size_t)length : 0;
    }
    if (used > 0)
        result_note(r, false, "calls that are not counted, with no storage behind them: %.180s",
                    words);
    if (u->end_of_file > 0)
        result_note(r, false,
                    "reads that found the end of a file: %" PRIu64
                    "; they count in BPS only, with the bytes that they asked for",
                    u->end_of_file);
    if (u->asked_unknown > 0)
        result_note(r, false,
                    "I/Os that count in BPS with the bytes that they moved: %" PRIu64
                    "; how many were asked for is not known (sendfile, copy_file_range, splice, "
                    "more than %d vectors, or %d of io_submit)",
                    u->asked_unknown, IO_CALL_VECTORS_MAX, IO_SUBMIT_VECTORS_MAX);
    if (rec->files.others > 0)
        result_note(r, false, "I/Os on more files than %d, reported as one: %" PRIu64, FILES_MAX,
                    rec->files.others);
    if (rec->devices.others > 0)
        result_note(r, true, "events of more devices than %d are not counted: %" PRIu64,
                    RECORDING_DEVICES_MAX, rec->devices.others);
    if (rec->plan->trace && rec->trace_devices >= TRACE_DEVICES_MAX)
        result_note(r, true,
                    "more than %d files and devices: in the trace the further ones are one",
                    TRACE_DEVICES_MAX - 1);
}

/* Notes I/Os of which only the begin or only the end was recorded. */
static void note_parted(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    const bool ran_before = recording_has_calls(&rec->recording) && !rec->plan->command;
    if (u->unmatched > 0 && ran_before)
        result_note(r, false,
                    "calls of which only the begin or the end was seen are not counted: %" PRIu64
                    "; they were under way when the recording began%s",
                    u->unmatched, rec->lost > 0 ? ", or events of them were lost" : "");
    else if (u->unmatched > 0 && rec->lost > 0)
        result_note(r, true,
                    "%" PRIu64 " I/Os of which only the begin or the end was seen are not counted",
                    u->unmatched);
    if (u->under_way > 0)
        result_note(r, false,
                    "calls on files that had not ended when the recording did are not counted: "
                    "%" PRIu64 "%s",
                    u->under_way,
                    u->aio_seen > 0 ? "; a request of io_submit ends when io_getevents returns it"
                                    : "");
}

void recorder_note(struct recorder *rec)
{
    struct result *r = &rec->recording.result;
    const struct uncounted *u = &rec->uncounted;
    int status = rec->child.status;
    size_t unknown = 0;
    if (rec->plan->command && rec->left_running)
        result_note(r, true, "the recording was ended before the program, which goes on");
    else if (rec->plan->command && WIFSIGNALED(status))
        result_note(r, true, "the program was ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (rec->plan->command && WEXITSTATUS(status))
        result_note(r, true, "the program failed: exit status %d", WEXITSTATUS(status));

    if (rec->lost > 0 && recording_rates_known(&rec->recording))
        result_note(r, true,
                    "%" PRIu64 " of %" PRIu64 " events (%.2g %%) were lost because the buffers "
                    "were full: counts and rates are too low by about as much; a larger --buffer "
                    "may help",
                    rec->lost, rec->events + rec->lost,
                    100 * recording_lost_share(&rec->recording));
    note_parted(rec, r);
    if (u->crowded > 0)
        result_note(r, true, "%" PRIu64 " I/Os are not counted: too many were in flight",
                    u->crowded);

    note_other_ways(rec, r);
    note_uncounted(rec, r);
    for (size_t i = 0; i < rec->files.count; i++)
        unknown += !rec->files.rows[i].path_known;
    if (unknown > 0)
        result_note(r, false,
                    "of %zu of %zu files only the end of the path is known: they lie deep, and "
                    "their process had closed them",
                    unknown, rec->files.count);
}

static void add_setting(struct result *r, const char *key, const char *value)
{
    facts_add(&r->settings, "recording", key, value, "", "", FACT_OK);
}

void recorder_describe(struct recorder *rec)
{
    struct result *r = &rec->recording.result;
    char value[160], size[UNITS_BUFFER], date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    struct utsname name;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    r->labels = rec->plan->labels;
    add_setting(r, "date", date);
    format_date_iso(r->key.date, sizeof r->key.date, date);
    if (!uname(&name)) {
        snprintf(value, sizeof value, "%s %s", name.sysname, name.release);
        add_setting(r, "host", name.nodename);
        add_setting(r, "kernel", value);
    }
    add_setting(r, "cupel", cupel_version);
    add_setting(r, recording_subject_name(rec->recording.subject), r->target);
    if (recording_has_calls(&rec->recording))
        add_setting(r, "system calls", "seen by a program in the kernel (BPF), with their files");
    add_setting(r, "block requests", "tracepoints of the block layer");
    snprintf(value, sizeof value, "%s for each processor",
             format_size(size, sizeof size, (double)rec->buffer_bytes));
    add_setting(r, "buffer", value);
    snprintf(value, sizeof value, "%" PRIu64 ", and %" PRIu64 " lost", rec->events, rec->lost);
    add_setting(r, "events", value);
    if (!rec->plan->trace)
        return;
    snprintf(value, sizeof value, "%.80s: %" PRIu64 " I/Os of %u files and devices",
             rec->plan->trace, rec->trace_events, rec->trace_devices);
    add_setting(r, "trace", value);
}
