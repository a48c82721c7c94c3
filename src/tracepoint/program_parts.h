/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the programs in the kernel have in common: the maps and their stack, whom they follow, and
 * how they tell a file.
 *
 * Memory that is not there reads as zeros, so that no step of the way to a file needs a check of
 * its own. In every program r6 is the context that it was called with; a part says which other
 * registers it takes, and which it needs.
 */
#ifndef CUPEL_TRACEPOINT_PROGRAM_PARTS_H
#define CUPEL_TRACEPOINT_PROGRAM_PARTS_H

#include "tracepoint/bpf_assembler.h"
#include "tracepoint/io_call.h"
#include "tracepoint/kernel_types.h"

/* What is read: PLACE(member, struct, its name in the struct). */
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

/* The same of io_uring, which a kernel may lack: then all are -1. */
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
    long task_status; /* -1: this kernel runs no 32-bit programs that would be mistaken */
};

/* ERR_MACHINE names the member that is not there; the optional ones become -1. `status` is the
   member of struct task_struct that tells 32-bit programs. */
int program_find_places(struct program_places *p, const struct kernel_types *types,
                        const char *status, struct err *e);

/* Descriptors of the maps that the programs share. */
struct program_maps {
    int followed; /* processes */
    int named;    /* files whose path was told: struct program_named */
    int outputs;  /* a descriptor to write to for each processor */
};
struct program_named {
    uint32_t device, generation;
    uint64_t inode;
};

typedef void program_writer(struct bpf_assembler *a, const struct program_places *p,
                            const struct program_maps *maps);
/* io_call_program.c: a call begins, it ends; a child of a followed process is followed as well. */
program_writer program_write_call_begin, program_write_call_end, program_write_fork;
/* io_ring_program.c: io_uring takes a request, and tells its result. */
program_writer program_write_ring_begin, program_write_ring_end;

/* The stack: the record first, so that it is aligned, then what is in passing. */
enum {
    STACK_RECORD = -(int)sizeof(struct io_call_begin),
    STACK_POINTER = STACK_RECORD - 8,
    STACK_ENTRY = STACK_POINTER - 8, /* the struct dentry of the file */
    STACK_TABLE = STACK_ENTRY - 8,   /* the process's files ... */
    STACK_COUNT = STACK_TABLE - 8,   /* ... and how many there is room for */
    STACK_KEY = STACK_COUNT - 8,     /* the process */
    STACK_VALUE = STACK_KEY - 8,
    STACK_PASS = STACK_VALUE - 8,
    STACK_NAMED = STACK_PASS - (int)sizeof(struct program_named),
};
#define STACK_IN_RECORD(member) (STACK_RECORD + (int)offsetof(struct io_call_begin, member))

/* Labels below it are taken by the parts. */
enum {
    LABEL_END, /* where a program that has nothing to tell ends */
    LABEL_NAMED,
    LABEL_WRITTEN,
    LABEL_NEXT_VECTOR,
    LABEL_LAST_VECTOR,
    LABEL_SIZED,
    LABELS_OF_PARTS
};

/* place = value, `size` as BPF_W. Takes r0. */
void program_store(struct bpf_assembler *a, int size, int place, int32_t value);

/* to = the pointer at from + offset; NULL when it cannot be read. Takes r0 to r5. */
void program_follow(struct bpf_assembler *a, unsigned to, unsigned from, long offset);

/* Members of the struct at `from` to the stack, in one reading when they lie close together. Uses
   the record's path. Takes r0 to r5. */
struct program_member {
    long offset; /* in the struct */
    int bytes;   /* 2, 4 or 8 */
    int place;   /* on the stack */
};
void program_read_members(struct bpf_assembler *a, unsigned from,
                          const struct program_member members[], size_t count);

/* Go on only in a process that is followed. Takes r0 to r5. */
void program_keep_followed(struct bpf_assembler *a, int followed, unsigned otherwise);

/* The beginning of a record of that part. Takes r0. */
void program_begin_record(struct bpf_assembler *a, int part);

/* Write the first `bytes` of the record out. Takes r0 to r5. */
void program_write(struct bpf_assembler *a, int outputs, size_t bytes);

/* r8 is the program's own address of vectors (readv(2)): the 8 bytes at `total` become the sum of
   their lengths, or IO_ASKED_UNKNOWN. The 8 bytes at `count` say how many there are. Ends at
   LABEL_SIZED. Takes r0 to r5, r8 and r9. */
void program_sum_vectors(struct bpf_assembler *a, int count, int total);

/* r9 is a struct file, or NULL: what it is goes into the record. Takes r0 to r5 and r8. */
void program_describe_file(struct bpf_assembler *a, const struct program_places *p);

/* Write the record out, with the path when the file is a new one. Takes r0 to r5 and r8. */
void program_write_file(struct bpf_assembler *a, const struct program_places *p,
                        const struct program_maps *maps);

#endif
