/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attaches the kernel programs that watch I/O system calls, and reads the records that they write.
 */
#include "program/observe/tracepoint/io_call.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program/observe/tracepoint/internal.h"

/* Maximum number of processes that are followed at a time. When a new process comes, the process
   that was idle longest is dropped. */
enum { FOLLOWED_MAX = 16384 };

/* Maximum number of files whose path is remembered as written. If a file is dropped from these, its
   path is written again. */
enum { NAMED_MAX = 8192 };

/* Name of the member that marks a task of a 32-bit program. */
#if defined(__x86_64__)
static const char compat_status[] = "thread_info.status";
#else
static const char compat_status[] = "thread_info.flags";
#endif

enum { PROGRAMS = 7, FIRST_OF_CALLS = 1, FIRST_OF_RINGS = 5 };
static const struct program *const programs[PROGRAMS] = {
    &program_fork,   &program_call_end, &program_call_begin, &program_reap,
    &program_submit, &program_ring_end, &program_ring_begin,
};

struct io_calls {
    struct program_maps maps;
    int programs[PROGRAMS], links[PROGRAMS];
    bool sees_rings;
};

static int refused(const char *what, struct err *e)
{
    if (errno == EPERM || errno == EACCES)
        return err_set(e, ERR_MACHINE, "the kernel does not permit %s: %s; " TRACEPOINT_PERMISSION,
                       what, strerror(errno));
    return err_set(e, ERR_MACHINE, "the kernel does not take %s: %s", what, strerror(errno));
}

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

/*
 * Resolves the jumps and loads the program into the kernel. Returns its descriptor, or -1 with
 * ERR_MACHINE.
 */
static int bpf_load_program(struct bpf_assembler *a, const char *name, struct err *e)
{
    if (a->failed)
        return err_set(e, ERR_MACHINE, "the program %s is too long", name);
    for (size_t i = 0; i < a->length; i++)
        if (a->jumps_to[i])
            a->code[i].off = (int16_t)((long)a->label[a->jumps_to[i] - 1] - (long)i - 1);
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
                           .insn_cnt = (uint32_t)a->length,
                           .insns = (uintptr_t)a->code,
                           .license = (uintptr_t) "GPL"};
    snprintf(attr.prog_name, sizeof attr.prog_name, "%s", name);
    int fd = bpf(BPF_PROG_LOAD, &attr);
    return fd < 0 ? refused("a program that watches system calls", e) : fd;
}

/* Makes a map. Returns its descriptor, or -1 with ERR_MACHINE. The functions for its elements
   return -1 with errno. */
static int bpf_make_map(enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes,
                        uint32_t entries, struct err *e)
{
    union bpf_attr attr = {
        .map_type = type, .key_size = key_bytes, .value_size = value_bytes, .max_entries = entries};
    int fd = bpf(BPF_MAP_CREATE, &attr);
    return fd < 0 ? refused("a table for a program that watches system calls", e) : fd;
}

static int bpf_update_map(int map, const void *key, const void *value)
{
    union bpf_attr attr = {
        .map_fd = (uint32_t)map, .key = (uintptr_t)key, .value = (uintptr_t)value};
    return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

/* Attaches the program to a tracepoint, until the returned descriptor is closed. */
static int bpf_attach_raw(const char *tracepoint, int program, struct err *e)
{
    union bpf_attr attr = {
        .raw_tracepoint = {.name = (uintptr_t)tracepoint, .prog_fd = (uint32_t)program}};
    int fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
    return fd < 0 ? refused("a watch on system calls", e) : fd;
}

static int make_maps(struct io_calls *c, const struct tracepoints *t, struct err *e)
{
    uint32_t processors = (uint32_t)tracepoints_processors(t);
    struct program_maps *m = &c->maps;
    m->followed = bpf_make_map(BPF_MAP_TYPE_LRU_HASH, sizeof(uint32_t), 1, FOLLOWED_MAX, e);
    if (m->followed < 0)
        return -1;
    m->named = bpf_make_map(BPF_MAP_TYPE_LRU_HASH, sizeof(struct program_named), 1, NAMED_MAX, e);
    if (m->named < 0)
        return -1;
    m->outputs = bpf_make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t), sizeof(uint32_t),
                              processors, e);
    if (m->outputs < 0)
        return -1;
    for (uint32_t i = 0; i < processors; i++) {
        int fd = tracepoints_output(t, i);
        if (fd >= 0 && bpf_update_map(m->outputs, &i, &fd))
            return err_set(e, ERR_MACHINE, "the kernel does not take processor %u's buffer: %s", i,
                           strerror(errno));
    }
    return 0;
}

static int attach_program(struct io_calls *c, int i, const struct program_places *places,
                          struct bpf_assembler *a, struct err *e)
{
    memset(a, 0, sizeof *a);
    programs[i]->write(a, places, &c->maps);
    c->programs[i] = bpf_load_program(a, programs[i]->name, e);
    if (c->programs[i] >= 0)
        c->links[i] = bpf_attach_raw(programs[i]->tracepoint, c->programs[i], e);
    return c->links[i] < 0 ? -1 : 0;
}

static int attach_programs(struct io_calls *c, const struct program_places *places, struct err *e)
{
    struct bpf_assembler *a = malloc(sizeof *a);
    if (!a)
        return err_no_memory(e, "the programs that count system calls");
    int status = 0;
    /* New children matter only if processes are followed by their numbers. */
    int first = c->maps.scope.of == IO_CALLS_OF_PROCESSES ? 0 : FIRST_OF_CALLS;
    for (int i = first; i < FIRST_OF_RINGS && !status; i++)
        status = attach_program(c, i, places, a, e);
    /* Kernels before 6.3 have other names for io_uring's tracepoints. That is a note, not an error.
     */
    bool known = !status;
#define IS_KNOWN(member, structure, name) known = known && places->member >= 0;
    PROGRAM_RING_PLACES(IS_KNOWN)
#undef IS_KNOWN
    for (int i = FIRST_OF_RINGS; i < PROGRAMS && known; i++)
        known = attach_program(c, i, places, a, NULL) == 0;
    c->sees_rings = known;
    free(a);
    return status;
}

/* Refuses a container, in which processes have other numbers than those that the kernel programs
   see. */
static int check_numbers(struct err *e)
{
    const ino_t of_machine = 0xeffffffc; /* PROC_PID_INIT_INO of Linux */
    struct stat s;
    if (stat("/proc/self/ns/pid", &s) || s.st_ino == of_machine)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "calls cannot be recorded from within a PID namespace (a container): run cupel "
                   "outside of it");
}

static const struct {
    size_t member; /* offset of the member in struct program_places */
    const char *structure, *name;
    bool optional;
} place_rows[] = {
#define PLACE_ROW(member, structure, name)                                                         \
    {offsetof(struct program_places, member), structure, name, false},
    PROGRAM_PLACES(PLACE_ROW)
#undef PLACE_ROW
#define PLACE_ROW(member, structure, name)                                                         \
    {offsetof(struct program_places, member), structure, name, true},
        PROGRAM_RING_PLACES(PLACE_ROW)
#undef PLACE_ROW
};

/*
 * Finds the members that programs read; optional ones that are missing become -1. ERR_MACHINE names
 * any other missing member. `status` is the member of struct task_struct that marks 32-bit
 * programs.
 */
static int program_find_places(struct program_places *p, const struct kernel_types *types,
                               const char *status, struct err *e)
{
    for (size_t i = 0; i < sizeof place_rows / sizeof *place_rows; i++) {
        long place = kernel_types_offset(types, place_rows[i].structure, place_rows[i].name);
        if (place < 0 && !place_rows[i].optional)
            return err_set(e, ERR_MACHINE, "this kernel's struct %s has no member %s",
                           place_rows[i].structure, place_rows[i].name);
        memcpy((char *)p + place_rows[i].member, &place, sizeof place);
    }
    p->task_status = kernel_types_offset(types, "task_struct", status);
    return 0;
}

int io_calls_attach(struct io_calls **c, const struct tracepoints *t,
                    const struct io_calls_scope *scope, struct err *e)
{
    *c = NULL;
    struct program_places places;
    struct kernel_types types;
    if (check_numbers(e) || kernel_types_read(&types, NULL, e))
        return -1;
    int status = program_find_places(&places, &types, compat_status, e);
    kernel_types_free(&types);
    if (status)
        return -1;

    struct io_calls *made = malloc(sizeof *made);
    if (!made)
        return err_no_memory(e, "the programs that count system calls");
    memset(made, -1, sizeof *made); /* -1: no descriptor */
    made->sees_rings = false;
    made->maps.scope = *scope;
    made->maps.own = (uint32_t)getpid();
    if (make_maps(made, t, e) || attach_programs(made, &places, e)) {
        io_calls_detach(made);
        return -1;
    }
    *c = made;
    return 0;
}

bool io_calls_see_rings(const struct io_calls *c)
{
    return c->sees_rings;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void io_calls_detach(struct io_calls *c)
{
    if (!c)
        return;
    for (int i = 0; i < PROGRAMS; i++) {
        close_if_open(c->links[i]);
        close_if_open(c->programs[i]);
    }
    close_if_open(c->maps.followed);
    close_if_open(c->maps.named);
    close_if_open(c->maps.outputs);
    free(c);
}

int io_calls_follow(struct io_calls *c, pid_t process, struct err *e)
{
    uint32_t key = (uint32_t)process;
    uint8_t value = 1;
    if (bpf_update_map(c->maps.followed, &key, &value))
        return err_set(e, ERR_MACHINE, "the kernel does not follow process %u: %s", key,
                       strerror(errno));
    return 0;
}

int io_calls_follow_scope(struct io_calls *c, struct err *e)
{
    return io_calls_follow(c, 0, e);
}

/* Copies a record that a program wrote, since the ring does not align it. */
static bool copy_output(const struct tracepoint_event *event, void *to, size_t size)
{
    if (event->tracepoint != TRACEPOINT_OUTPUT || event->raw_size < size)
        return false;
    memcpy(to, event->raw, size);
    return true;
}

bool io_call_begin_of(const struct tracepoint_event *event, struct io_call_begin *begin)
{
    const size_t lengths[] = {sizeof *begin, offsetof(struct io_call_begin, path),
                              IO_RING_BEGIN_BYTES};
    size_t i = 0;
    while (i < 2 && event->raw_size < lengths[i])
        i++;
    begin->path[0][0] = '\0';
    return copy_output(event, begin, lengths[i]) && begin->mark == TRACEPOINT_OUTPUT_MARK &&
           begin->part != IO_CALL_END && begin->part != IO_SUBMIT_END &&
           (i < 2 || begin->part == IO_RING_BEGIN);
}

bool io_call_end_of(const struct tracepoint_event *event, struct io_call_end *end)
{
    return copy_output(event, end, sizeof *end) && end->mark == TRACEPOINT_OUTPUT_MARK &&
           end->part == IO_CALL_END;
}

bool io_submit_end_of(const struct tracepoint_event *event, struct io_submit_end *end)
{
    return copy_output(event, end, sizeof *end) && end->mark == TRACEPOINT_OUTPUT_MARK &&
           end->part == IO_SUBMIT_END && end->count <= IO_SUBMIT_ENDS;
}
