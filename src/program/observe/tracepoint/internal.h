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
 * r1 to r5 are the arguments of a call, which overwrites them; r0 is its result; it preserves r6 to
 * r9. r10 is the end of the stack of 512 bytes, so that places on the stack are negative. Jumps go
 * to labels, which are numbers below BPF_LABELS_MAX that the caller chooses. If a program becomes
 * too long, `failed` is set.
 */

#define BPF_INSTRUCTIONS_MAX 1024
#define BPF_LABELS_MAX       16

struct bpf_assembler {
    struct bpf_insn code[BPF_INSTRUCTIONS_MAX];
    size_t length;
    size_t label[BPF_LABELS_MAX]; /* index of the instruction after the label */
    /* [instruction]: the label to which it jumps + 1; 0: no jump */
    uint8_t jumps_to[BPF_INSTRUCTIONS_MAX];
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

/* bpf_load sets the register `to` to the value of `size` (BPF_H, BPF_W, BPF_DW) at from + offset.
   bpf_store stores the register `from` at to + offset. */
void bpf_load(struct bpf_assembler *a, int size, unsigned to, unsigned from, int offset);
void bpf_store(struct bpf_assembler *a, int size, unsigned to, int offset, unsigned from);

/* Jumps if the comparison (BPF_JEQ, BPF_JGE ...) of `left` with a number or a register is true. */
void bpf_jump_if(struct bpf_assembler *a, int compare, unsigned left, int32_t right,
                 unsigned label);
void bpf_jump_if_register(struct bpf_assembler *a, int compare, unsigned left, unsigned right,
                          unsigned label);
void bpf_jump(struct bpf_assembler *a, unsigned label);

/* Reads kernel memory at from + offset to the stack; memory that cannot be read gives zeros.
   Overwrites r0 to r5. */
void bpf_read(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* Like bpf_read, for memory of the program; r0 is not 0 if it could not be read. */
void bpf_read_user(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* ---- types of the kernel: kernel_types.c ---- */

/*
 * Offsets of members in the running kernel's structs, from the kernel's own type information (BTF,
 * Documentation/bpf/btf.rst).
 *
 * The caller frees it with kernel_types_free. In a damaged file nothing is found, and no call
 * fails.
 */

struct kernel_types {
    char *data;      /* the whole file */
    uint32_t *types; /* type i + 1 begins at data + types[i] */
    uint32_t type_count;
    const char *strings;
    uint32_t strings_length;
};

/* Reads the type information in `path`; NULL: of the running kernel. ERR_MACHINE: there is none, or
   it cannot be read. */
int kernel_types_read(struct kernel_types *k, const char *path, struct err *e);
void kernel_types_free(struct kernel_types *k);

/*
 * Returns the bytes from the struct's start to the member, which may lie in an unnamed struct or
 * union of it; -1: there is no such struct or member, or it is a bit field. A name such as
 * "f_path.dentry" continues in the member's own struct.
 */
long kernel_types_offset(const struct kernel_types *k, const char *structure, const char *member);

/* ---- rings: tracepoint_read.c ---- */

/*
 * The memory into which the kernel writes the perf records of one processor, read in the order in
 * which they were written.
 *
 * The reader looks at one record at a time, which stays in the ring until perf_ring_pop. The caller
 * unmaps the ring with perf_ring_unmap. One thread reads.
 */

/* Size of the largest record that is read; longer ones are skipped. */
#define PERF_RECORD_BYTES 1024

struct perf_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    uint64_t mask;         /* size of the ring in bytes, minus one */
    uint64_t head, tail;   /* bytes [tail, head) were written by the kernel and not popped yet */
    unsigned char *bounce; /* copy of a record that wraps round the end of the ring */
};

/* Reads how far the kernel has written. */
void perf_ring_look(struct perf_ring *r);

/* Returns the oldest record, readable up to its own size; NULL: perf_ring_look has seen no further
   record. */
const struct perf_event_header *perf_ring_first(struct perf_ring *r);

/* Returns the space of the oldest record to the kernel. */
void perf_ring_pop(struct perf_ring *r);

/* ---- parts of kernel programs: program_parts.c ---- */

/*
 * The parts that several kernel programs have in common: their maps and their stack, the processes
 * that they follow, and the description of a file.
 *
 * Memory that is missing reads as zeros, so that no step on the way to a file needs a check of its
 * own. In every program r6 is the context with which the kernel calls it. Each part says which
 * other registers it overwrites, and which it needs.
 */

/* The struct members that programs read: PLACE(member, struct, its name in the struct). */
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

/* Members of the structs of io_uring. If a kernel lacks one, all are -1. */
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
    /* offset of the member that marks 32-bit programs; -1: this kernel runs none that could be
       mistaken */
    long task_status;
};

/* The processes that the programs follow, and the descriptors of the maps that all programs use. */
struct program_maps {
    struct io_calls_scope scope;
    uint32_t own; /* number of this process, which is followed only with IO_CALLS_OF_PROCESSES */
    int followed; /* map of followed processes; for other scopes process 0 stands for all */
    int named;    /* map of files whose path has been written: struct program_named */
    int outputs;  /* map with an output descriptor for each processor */
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
/* The programs for the begin of a call, for its end, and for a new child: children of a followed
   process are followed as well. */
extern const struct program program_call_begin, program_call_end, program_fork;
/* The programs for io_submit with requests, and for io_getevents that has returned some. */
extern const struct program program_submit, program_reap;
/* The programs for an io_uring request that is taken, and for one whose result is reported. */
extern const struct program program_ring_begin, program_ring_end;

/* Places on the stack. The record comes first, so that it is aligned; temporary values follow. */
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
    /* address at which the list in the program's own memory continues */
    STACK_LIST = STACK_NAMED - 8,
    STACK_LENGTH = STACK_LIST - 8, /* length of that list */
};
#define STACK_IN_RECORD(member) (STACK_RECORD + (int)offsetof(struct io_call_begin, member))

/* The labels of programs. The parts use smaller numbers. */
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

/* Offsets in struct pt_regs of the number of a system call and of its arguments. */
extern const int program_number_place, program_argument_places[IO_CALL_ARGUMENTS];

/* Needs the running struct task_struct in r9. Sets `compat` of the record to 1 for a 32-bit
   program, and does not change it for others. Ends at LABEL_NATIVE. Overwrites r0 to r5. */
void program_mark_compat(struct bpf_assembler *a, const struct program_places *p);

/* Sets STACK_TABLE and STACK_COUNT to those of the struct task_struct in r9. Overwrites r0 to r5,
   r9. */
void program_find_table(struct bpf_assembler *a, const struct program_places *p);

/* Needs a descriptor in r8, and program_find_table before. Sets r9 to the descriptor's struct file,
   or NULL. Ends at LABEL_NO_FILE. Overwrites r0 to r5 and r8. */
void program_find_file(struct bpf_assembler *a);

/* Stores `value` at a place on the stack, with a `size` such as BPF_W. Overwrites r0. */
void program_store(struct bpf_assembler *a, int size, int place, int32_t value);

/* Sets the register `to` to the pointer at from + offset; to NULL if it cannot be read. Overwrites
   r0 to r5. */
void program_follow(struct bpf_assembler *a, unsigned to, unsigned from, long offset);

/* Copies members of the struct at `from` to the stack, in one read if they lie close together. Uses
   the path of the record as scratch. Overwrites r0 to r5. */
struct program_member {
    long offset; /* in the struct */
    int bytes;   /* 2, 4 or 8 */
    int place;   /* on the stack */
};
void program_read_members(struct bpf_assembler *a, unsigned from,
                          const struct program_member members[], size_t count);

/* Jumps to `otherwise` unless the process is followed. Overwrites r0 to r5. */
void program_keep_followed(struct bpf_assembler *a, const struct program_maps *maps,
                           unsigned otherwise);

/* Writes the beginning of a record of the kind `part`. Overwrites r0. */
void program_begin_record(struct bpf_assembler *a, int part);

/* Outputs the first `bytes` of the record. Overwrites r0 to r5. */
void program_write(struct bpf_assembler *a, int outputs, size_t bytes);

/* Needs the address of vectors (readv(2)) in the program's own memory in r8, and their number in
   the 8 bytes at `count`. Sets the 8 bytes at `total` to the sum of their lengths, or to
   IO_ASKED_UNKNOWN; more than `max` vectors are not read. Ends at LABEL_SIZED. Overwrites r0 to r5,
   r8 and r9. */
void program_sum_vectors(struct bpf_assembler *a, int count, int max, int total);

/* Needs a struct file, or NULL, in r9. Writes its description into the record. Overwrites r0 to r5
   and r8. */
void program_describe_file(struct bpf_assembler *a, const struct program_places *p);

/* Outputs the record, with the path if the file is new. Overwrites r0 to r5 and r8. */
void program_write_file(struct bpf_assembler *a, const struct program_places *p,
                        const struct program_maps *maps);

/* The users that may record, for messages. */
#define TRACEPOINT_PERMISSION "root may, or who has CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH"

/* ---- the state of a struct tracepoints ---- */

/* The members of a struct tracepoints, which tracepoint.c opens and tracepoint_read.c reads. */

struct processor_events {
    /* descriptors of the events; the ring is mapped from the first one */
    int fds[TRACEPOINT_REQUESTS_MAX + 1];
    size_t count;
    struct perf_ring ring;
};

struct tracepoints {
    struct {
        int number; /* the kernel's number of the tracepoint */
        char *text; /* text of the tracepoint's format file */
    } formats[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    bool outputs;
    bool knows_lost; /* the kernel counts the losses of each event (Linux 6.0) */
    size_t ring_bytes;
    uint64_t lost_recorded; /* number of lost events that records in the rings report */
    uint64_t shown_count;   /* number of events that were returned */
    uint64_t until_ns;      /* the rings are known to hold all events before this instant */
    /* the ring whose first record was returned last, and must be popped next */
    struct perf_ring *shown;
    size_t processor_count;
    struct processor_events processors[];
};

#endif
