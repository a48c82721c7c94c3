/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/program/observe/tracepoint share. */
#ifndef CUPEL_PROGRAM_OBSERVE_TRACEPOINT_INTERNAL_H
#define CUPEL_PROGRAM_OBSERVE_TRACEPOINT_INTERNAL_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "program/observe/tracepoint/io_call.h"
#include "program/observe/tracepoint/tracepoint.h"

/* ---- programs for the kernel: bpf_assembler.c ---- */

/*
 * An assembler for programs of the kernel's virtual machine (RFC 9669).
 *
 * r1 to r5 are a call's arguments and are lost in it, r0 is its result, r6 to r9 are preserved, and
 * r10 is the end of the stack of 512 bytes, so that places on it are negative. Jumps go to labels,
 * numbers below BPF_LABELS_MAX that the caller chooses. A program that becomes too long is
 * `failed`.
 */

#define BPF_INSTRUCTIONS_MAX 1024
#define BPF_LABELS_MAX       16

struct bpf_assembler {
    struct bpf_insn code[BPF_INSTRUCTIONS_MAX];
    size_t length;
    size_t label[BPF_LABELS_MAX];           /* index of the instruction after the label */
    uint8_t jumps_to[BPF_INSTRUCTIONS_MAX]; /* label + 1; 0: no jump */
    bool failed;
};

void bpf_emit(struct bpf_assembler *a, struct bpf_insn instruction);
void bpf_label(struct bpf_assembler *a, unsigned label);

void bpf_set(struct bpf_assembler *a, unsigned to, int32_t value); /* to = value */
void bpf_set_long(struct bpf_assembler *a, unsigned to, uint64_t value);
void bpf_copy(struct bpf_assembler *a, unsigned to, unsigned from); /* to = from */
void bpf_add(struct bpf_assembler *a, unsigned to, int32_t value);  /* to += value */
void bpf_stack(struct bpf_assembler *a, unsigned to, int place);    /* to = r10 + place */
void bpf_map(struct bpf_assembler *a, unsigned to, int map_fd);     /* to = the map */
void bpf_call(struct bpf_assembler *a, enum bpf_func_id helper);
void bpf_exit(struct bpf_assembler *a); /* return 0 */

/* to = the `size` bytes (BPF_H, BPF_W, BPF_DW) at from + offset; the second function stores
   them. */
void bpf_load(struct bpf_assembler *a, int size, unsigned to, unsigned from, int offset);
void bpf_store(struct bpf_assembler *a, int size, unsigned to, int offset, unsigned from);

/* Jump when the comparison (BPF_JEQ, BPF_JGE ...) of `left` with a number or a register is true. */
void bpf_jump_if(struct bpf_assembler *a, int compare, unsigned left, int32_t right,
                 unsigned label);
void bpf_jump_if_register(struct bpf_assembler *a, int compare, unsigned left, unsigned right,
                          unsigned label);
void bpf_jump(struct bpf_assembler *a, unsigned label);

/* Read kernel memory at from + offset to the stack; memory that cannot be read gives zeros. r0 to
   r5 are lost. */
void bpf_read(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* Like bpf_read, for the program's own memory; r0 is not 0 if it could not be read. */
void bpf_read_user(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* ---- types of the kernel: kernel_types.c ---- */

/*
 * Offsets of members in the running kernel's structs, from the kernel's own type information (BTF,
 * Documentation/bpf/btf.rst).
 *
 * Owner: kernel_types_free. In a damaged file nothing is found, and nothing breaks.
 */

struct kernel_types {
    char *data;      /* the whole file */
    uint32_t *types; /* type i + 1 begins at data + types[i] */
    uint32_t type_count;
    const char *strings;
    uint32_t strings_length;
};

/* Path NULL: the running kernel. ERR_MACHINE: it has no type information, or it cannot be read. */
int kernel_types_read(struct kernel_types *k, const char *path, struct err *e);
void kernel_types_free(struct kernel_types *k);

/*
 * Bytes from the struct's start to the member, which may lie in an unnamed struct or union of it;
 * -1: there is no such struct or member, or it is a bit field. A name "f_path.dentry" continues in
 * the member's own struct.
 */
long kernel_types_offset(const struct kernel_types *k, const char *structure, const char *member);

/* ---- rings: tracepoint_read.c ---- */

/*
 * The memory into which the kernel writes the perf records of one processor, read in the order of
 * writing.
 *
 * The reader looks at one record at a time, which stays in the ring until perf_ring_pop. Owner:
 * perf_ring_unmap. One thread reads.
 */

/* The largest record that is read; longer ones are skipped. */
#define PERF_RECORD_BYTES 1024

struct perf_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    uint64_t mask;         /* size of data, minus one */
    uint64_t head, tail;   /* [tail, head) is written and not popped yet */
    unsigned char *bounce; /* the copy of a record that wraps round the ring's end */
};

/* Read how far the kernel has written. */
void perf_ring_look(struct perf_ring *r);

/* The oldest record, readable up to its own size; NULL: perf_ring_look saw no further one. */
const struct perf_event_header *perf_ring_first(struct perf_ring *r);

/* Return the oldest record's space to the kernel. */
void perf_ring_pop(struct perf_ring *r);

/* ---- parts of programs: program_parts.c ---- */

/*
 * The parts that the kernel programs share: the maps and their stack, the processes that they
 * follow, and the description of a file.
 *
 * Memory that is missing reads as zeros, so that no step on the way to a file needs a check of its
 * own. In every program r6 is the context that it was called with; each part says which other
 * registers it overwrites, and which it needs.
 */

/* The members that are read: PLACE(member, struct, its name in the struct). */
#define PROGRAM_PLACES(PLACE)                                                                      \
    PLACE(task_files, "task_struct", "files")                                                      \
    PLACE(task_tgid, "task_struct", "tgid")                                                        \
    PLACE(files_table, "files_struct", "fdt")                                                      \
    PLACE(table_count, "fdtable", "max_fds")                                                       \
    PLACE(table_files, "fdtable", "fd")                                                            \
    PLACE(file_inode, "file", "f_inode")                                                           \
    PLACE(file_position, "file", "f_pos")                                                          \
    PLACE(file_flags, "file", "f_flags")                                                           \
    PLACE(file_entry, "file", "f_path.dentry")                                                     \
    PLACE(entry_name, "dentry", "d_name.name")                                                     \
    PLACE(entry_parent, "dentry", "d_parent")                                                      \
    PLACE(inode_mode, "inode", "i_mode")                                                           \
    PLACE(inode_number, "inode", "i_ino")                                                          \
    PLACE(inode_generation, "inode", "i_generation")                                               \
    PLACE(inode_size, "inode", "i_size")                                                           \
    PLACE(inode_special, "inode", "i_rdev")                                                        \
    PLACE(inode_filesystem, "inode", "i_sb")                                                       \
    PLACE(filesystem_device, "super_block", "s_dev")                                               \
    PLACE(filesystem_magic, "super_block", "s_magic")

/* Places in the structs of io_uring, which a kernel may lack: then all are -1. */
#define PROGRAM_RING_PLACES(PLACE)                                                                 \
    PLACE(request_file, "io_kiocb", "file")                                                        \
    PLACE(request_operation, "io_kiocb", "opcode")                                                 \
    PLACE(request_result, "io_kiocb", "cqe.res")                                                   \
    PLACE(request_command, "io_kiocb", "cmd")                                                      \
    PLACE(transfer_offset, "io_rw", "kiocb.ki_pos")                                                \
    PLACE(transfer_address, "io_rw", "addr")                                                       \
    PLACE(transfer_length, "io_rw", "len")

struct program_places {
#define PROGRAM_PLACE_MEMBER(member, structure, name) long member;
    PROGRAM_PLACES(PROGRAM_PLACE_MEMBER)
    PROGRAM_RING_PLACES(PROGRAM_PLACE_MEMBER)
#undef PROGRAM_PLACE_MEMBER
    long task_status; /* -1: this kernel runs no 32-bit programs that could be mistaken */
};

/* The processes that the programs follow, and the descriptors of the maps that they share. */
struct program_maps {
    struct io_calls_scope scope;
    uint32_t own; /* this process, which is followed only with IO_CALLS_OF_PROCESSES */
    int followed; /* a map of processes; for other scopes process 0 stands for all */
    int named;    /* a map of files whose path was written: struct program_named */
    int outputs;  /* a map with an output descriptor for each processor */
};
struct program_named {
    uint32_t device, generation;
    uint64_t inode;
};

/* A program that the kernel runs at a tracepoint. */
struct program {
    const char *tracepoint, *name;
    void (*write)(struct bpf_assembler *a, const struct program_places *p,
                  const struct program_maps *maps);
};
/* For a call's begin, for its end, and for a new child: a followed process's children are followed
   as well. */
extern const struct program program_call_begin, program_call_end, program_fork;
/* For io_submit with requests, and for io_getevents when it returned some. */
extern const struct program program_submit, program_reap;
/* For io_uring when it takes a request, and when it reports the result. */
extern const struct program program_ring_begin, program_ring_end;

/* Places on the stack: the record first, so that it is aligned, then temporary values. */
enum {
    STACK_RECORD = -(int)sizeof(struct io_call_begin),
    STACK_POINTER = STACK_RECORD - 8,
    STACK_ENTRY = STACK_POINTER - 8, /* the struct dentry of the file */
    STACK_TABLE = STACK_ENTRY - 8,   /* the process's table of files */
    STACK_COUNT = STACK_TABLE - 8,   /* number of entries of that table */
    STACK_KEY = STACK_COUNT - 8,     /* the process */
    STACK_VALUE = STACK_KEY - 8,
    STACK_PASS = STACK_VALUE - 8,
    STACK_NAMED = STACK_PASS - (int)sizeof(struct program_named),
    STACK_LIST = STACK_NAMED - 8,  /* where the program's own list continues */
    STACK_LENGTH = STACK_LIST - 8, /* length of that list */
};
#define STACK_IN_RECORD(member) (STACK_RECORD + (int)offsetof(struct io_call_begin, member))

/* Smaller labels are used by the parts. */
enum {
    LABEL_END, /* the end of a program that has nothing to write */
    LABEL_NAMED,
    LABEL_WRITTEN,
    LABEL_NEXT_VECTOR,
    LABEL_LAST_VECTOR,
    LABEL_SIZED,
    LABEL_NO_FILE,
    LABEL_NATIVE,
    LABELS_OF_PARTS
};

/* Places in a struct pt_regs of the number of a system call and of its arguments. */
extern const int program_number_place, program_argument_places[IO_CALL_ARGUMENTS];

/* r9 is the running struct task_struct: `compat` of the record becomes 1 for a 32-bit program, and
   is unchanged for others. Ends at LABEL_NATIVE. Overwrites r0 to r5. */
void program_mark_compat(struct bpf_assembler *a, const struct program_places *p);

/* Sets STACK_TABLE and STACK_COUNT to those of the struct task_struct in r9. Overwrites r0 to r5,
   r9. */
void program_find_table(struct bpf_assembler *a, const struct program_places *p);

/* r8 is a descriptor: r9 becomes its struct file, or NULL. To be used after program_find_table;
   ends at LABEL_NO_FILE. Overwrites r0 to r5 and r8. */
void program_find_file(struct bpf_assembler *a);

/* place = value, with `size` such as BPF_W. Overwrites r0. */
void program_store(struct bpf_assembler *a, int size, int place, int32_t value);

/* to = the pointer at from + offset; NULL when it cannot be read. Overwrites r0 to r5. */
void program_follow(struct bpf_assembler *a, unsigned to, unsigned from, long offset);

/* Copies members of the struct at `from` to the stack, in one read when they lie close together.
   Uses the record's path as scratch. Overwrites r0 to r5. */
struct program_member {
    long offset; /* in the struct */
    int bytes;   /* 2, 4 or 8 */
    int place;   /* on the stack */
};
void program_read_members(struct bpf_assembler *a, unsigned from,
                          const struct program_member members[], size_t count);

/* Continues only in a process that is followed. Overwrites r0 to r5. */
void program_keep_followed(struct bpf_assembler *a, const struct program_maps *maps,
                           unsigned otherwise);

/* Writes the beginning of a record of that part. Overwrites r0. */
void program_begin_record(struct bpf_assembler *a, int part);

/* Outputs the first `bytes` of the record. Overwrites r0 to r5. */
void program_write(struct bpf_assembler *a, int outputs, size_t bytes);

/* r8 is the program's own address of vectors (readv(2)): the 8 bytes at `total` become the sum of
   their lengths, or IO_ASKED_UNKNOWN. The 8 bytes at `count` are their number; more than `max` are
   not read. Ends at LABEL_SIZED. Overwrites r0 to r5, r8 and r9. */
void program_sum_vectors(struct bpf_assembler *a, int count, int max, int total);

/* r9 is a struct file, or NULL: its description goes into the record. Overwrites r0 to r5 and
   r8. */
void program_describe_file(struct bpf_assembler *a, const struct program_places *p);

/* Outputs the record, with the path when the file is new. Overwrites r0 to r5 and r8. */
void program_write_file(struct bpf_assembler *a, const struct program_places *p,
                        const struct program_maps *maps);

/* For messages: the users that may record. */
#define TRACEPOINT_PERMISSION "root may, or who has CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH"

/* ---- the state of a struct tracepoints ---- */

/* The parts of a struct tracepoints: tracepoint.c opens it, tracepoint_read.c reads it. */

struct processor_events {
    int fds[TRACEPOINT_REQUESTS_MAX + 1]; /* the first one's mapping is the ring */
    size_t count;
    struct perf_ring ring;
};

struct tracepoints {
    struct {
        int number; /* the kernel's number of the tracepoint */
        char *text; /* its format file */
    } formats[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    bool outputs;
    bool knows_lost; /* the events themselves count their losses */
    size_t ring_bytes;
    uint64_t lost_recorded;  /* losses according to records in the rings */
    uint64_t shown_count;    /* number of events that were returned */
    uint64_t until_ns;       /* all events before this instant are in the rings */
    struct perf_ring *shown; /* the ring whose first record was returned last and must be popped */
    size_t processor_count;
    struct processor_events processors[];
};

#endif
