/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/observe/tracepoint share. */
#ifndef CUPEL_OBSERVE_TRACEPOINT_INTERNAL_H
#define CUPEL_OBSERVE_TRACEPOINT_INTERNAL_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "observe/tracepoint/io_call.h"
#include "observe/tracepoint/tracepoint.h"

/* ---- programs for the kernel: bpf_assembler.c ---- */

/*
 * Writing programs for the kernel's virtual machine, instruction by instruction (RFC 9669).
 *
 * r1 to r5 are a call's arguments and are lost in it, r0 is its result, r6 to r9 stay, r10 is the
 * end of the stack of 512 bytes, of which places are negative. Jumps go to labels, which are
 * numbers of the caller's choice below BPF_LABELS_MAX. A program that grows too long is `failed`.
 */

#define BPF_INSTRUCTIONS_MAX 1024
#define BPF_LABELS_MAX       16

struct bpf_assembler {
    struct bpf_insn code[BPF_INSTRUCTIONS_MAX];
    size_t length;
    size_t label[BPF_LABELS_MAX];           /* the instruction it stands before */
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

/* to = the `size` bytes (BPF_H, BPF_W, BPF_DW) at from + offset, and the other way. */
void bpf_load(struct bpf_assembler *a, int size, unsigned to, unsigned from, int offset);
void bpf_store(struct bpf_assembler *a, int size, unsigned to, int offset, unsigned from);

/* Jump when `left` compares so (BPF_JEQ, BPF_JGE ...) with a number or a register. */
void bpf_jump_if(struct bpf_assembler *a, int compare, unsigned left, int32_t right,
                 unsigned label);
void bpf_jump_if_register(struct bpf_assembler *a, int compare, unsigned left, unsigned right,
                          unsigned label);
void bpf_jump(struct bpf_assembler *a, unsigned label);

/* Kernel memory at from + offset to the stack; what cannot be read becomes zeros. r0 to r5 are
   lost. */
void bpf_read(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* The same of the program's own memory; r0 is not 0 when it could not be read. */
void bpf_read_user(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* Resolve the jumps and hand the program to the kernel: its descriptor, or -1 with ERR_MACHINE. */
int bpf_load_program(struct bpf_assembler *a, const char *name, struct err *e);

/* Maps: descriptors, or -1 with ERR_MACHINE; and their elements: -1 with errno. */
int bpf_make_map(enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries,
                 struct err *e);
int bpf_update_map(int map, const void *key, const void *value);

/* Run the program at a tracepoint until the descriptor that is returned is closed. */
int bpf_attach_raw(const char *tracepoint, int program, struct err *e);

/* ---- types of the kernel: kernel_types.c ---- */

/*
 * Where the members of the running kernel's structs lie, from the type information that it carries
 * (BTF, Documentation/bpf/btf.rst).
 *
 * Owner: kernel_types_free. A file that is damaged finds nothing and breaks nothing.
 */

struct kernel_types {
    char *data;      /* the whole file */
    uint32_t *types; /* type i + 1 begins at data + types[i] */
    uint32_t type_count;
    const char *strings;
    uint32_t strings_length;
};

/* NULL: of the running kernel. ERR_MACHINE: it has none, or it cannot be read. */
int kernel_types_read(struct kernel_types *k, const char *path, struct err *e);
void kernel_types_free(struct kernel_types *k);

/*
 * Bytes from the struct's start to the member, which may lie in an unnamed struct or union of it;
 * -1: there is no such struct or member, or it is a bit field. "f_path.dentry" is followed into the
 * member's own struct.
 */
long kernel_types_offset(const struct kernel_types *k, const char *structure, const char *member);

/* ---- rings: tracepoint_read.c ---- */

/*
 * The memory that the kernel writes perf records of one processor to, read in the order they were
 * written.
 *
 * The reader looks at one record at a time, which stays in the ring until perf_ring_pop. Owner:
 * perf_ring_unmap. One thread reads.
 */

/* The largest record that is read: what is longer is passed over. */
#define PERF_RECORD_BYTES 1024

struct perf_ring {
    struct perf_event_mmap_page *page;
    const unsigned char *data;
    uint64_t mask;         /* size of data, less one */
    uint64_t head, tail;   /* [tail, head) was written and not popped */
    unsigned char *bounce; /* a record that goes over the ring's end, in one piece */
};

/* `bytes`: a power of two of pages. ERR_MACHINE: no memory. */
int perf_ring_map(struct perf_ring *r, int fd, size_t bytes, struct err *e);
void perf_ring_unmap(struct perf_ring *r);

/* Look how far the kernel has written. */
void perf_ring_look(struct perf_ring *r);

/* The oldest record, up to its own size readable; NULL: none that perf_ring_look saw. */
const struct perf_event_header *perf_ring_first(struct perf_ring *r);

/* Give its room back to the kernel. */
void perf_ring_pop(struct perf_ring *r);

/* ---- parts of programs: program_parts.c ---- */

/*
 * What the programs in the kernel have in common: the maps and their stack, whom they follow, and
 * how they describe a file.
 *
 * Memory that is not there reads as zeros, so that no step of the way to a file needs a check of
 * its own. In every program r6 is the context that it was called with; a part says which other
 * registers it takes, and which it needs.
 */

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
   member of struct task_struct that marks 32-bit programs. */
int program_find_places(struct program_places *p, const struct kernel_types *types,
                        const char *status, struct err *e);

/* Whom the programs follow, and descriptors of the maps that they share. */
struct program_maps {
    struct io_calls_scope scope;
    uint32_t own; /* process that is never followed, but with IO_CALLS_OF_PROCESSES */
    int followed; /* processes; of other scopes process 0 stands for all */
    int named;    /* files whose path was written: struct program_named */
    int outputs;  /* a descriptor to write to for each processor */
};
struct program_named {
    uint32_t device, generation;
    uint64_t inode;
};

typedef void program_writer(struct bpf_assembler *a, const struct program_places *p,
                            const struct program_maps *maps);
/* A call begins, it ends; a child of a followed process is followed as well. */
program_writer program_write_call_begin, program_write_call_end, program_write_fork;
/* io_submit is called with requests, io_getevents returned some. */
program_writer program_write_submit, program_write_reap;
/* io_uring takes a request, and reports its result. */
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
    STACK_LIST = STACK_NAMED - 8,  /* where the program's own list goes on ... */
    STACK_LENGTH = STACK_LIST - 8, /* ... and how long it is */
};
#define STACK_IN_RECORD(member) (STACK_RECORD + (int)offsetof(struct io_call_begin, member))

/* Labels below it are taken by the parts. */
enum {
    LABEL_END, /* where a program that has nothing to write ends */
    LABEL_NAMED,
    LABEL_WRITTEN,
    LABEL_NEXT_VECTOR,
    LABEL_LAST_VECTOR,
    LABEL_SIZED,
    LABEL_NO_FILE,
    LABEL_NATIVE,
    LABELS_OF_PARTS
};

/* In a struct pt_regs: where the kernel keeps the number of a system call, and its arguments. */
extern const int program_number_place, program_argument_places[IO_CALL_ARGUMENTS];

/* r9 is the struct task_struct that runs: `compat` of the record becomes 1 in a 32-bit program, and
   stays as it is in others. Ends at LABEL_NATIVE. Takes r0 to r5. */
void program_mark_compat(struct bpf_assembler *a, const struct program_places *p);

/* STACK_TABLE and STACK_COUNT become those of the struct task_struct in r9. Takes r0 to r5, r9. */
void program_find_table(struct bpf_assembler *a, const struct program_places *p);

/* r8 is a descriptor: r9 becomes its struct file, or NULL. After program_find_table; ends at
   LABEL_NO_FILE. Takes r0 to r5 and r8. */
void program_find_file(struct bpf_assembler *a);

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
void program_keep_followed(struct bpf_assembler *a, const struct program_maps *maps,
                           unsigned otherwise);

/* The beginning of a record of that part. Takes r0. */
void program_begin_record(struct bpf_assembler *a, int part);

/* Write the first `bytes` of the record out. Takes r0 to r5. */
void program_write(struct bpf_assembler *a, int outputs, size_t bytes);

/* r8 is the program's own address of vectors (readv(2)): the 8 bytes at `total` become the sum of
   their lengths, or IO_ASKED_UNKNOWN. The 8 bytes at `count` say how many there are; more than
   `max` are not looked at. Ends at LABEL_SIZED. Takes r0 to r5, r8 and r9. */
void program_sum_vectors(struct bpf_assembler *a, int count, int max, int total);

/* r9 is a struct file, or NULL: what it is goes into the record. Takes r0 to r5 and r8. */
void program_describe_file(struct bpf_assembler *a, const struct program_places *p);

/* Write the record out, with the path when the file is a new one. Takes r0 to r5 and r8. */
void program_write_file(struct bpf_assembler *a, const struct program_places *p,
                        const struct program_maps *maps);

/* ---- tracefs: tracefs.c ---- */

/*
 * The kernel's list of tracepoints, tracefs: where it is mounted, or an instance of our own that no
 * other process sees and that goes when its descriptor is closed.
 */

/* Who may record, for messages. */
#define TRACEPOINT_PERMISSION "root may, or who has CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH"

/* The folder's descriptor, which the caller closes, or -1. `folder` NULL: it is looked for.
   ERR_MACHINE: there is none, or it may not be read. */
int tracefs_open(const char *folder, struct err *e);

/* The text of events/SYSTEM/NAME/format, ended by '\0'. ERR_MACHINE: there is no such tracepoint,
   or it may not be read. */
int tracefs_read_format(int tracefs, const char *system, const char *name, char *text, size_t size,
                        struct err *e);

/* ---- the state of a struct tracepoints ---- */

/* What a struct tracepoints is made of: tracepoint.c opens it, tracepoint_read.c reads it. */

struct processor_events {
    int fds[TRACEPOINT_REQUESTS_MAX + 1]; /* the first one's is the ring */
    size_t count;
    struct perf_ring ring;
};

struct tracepoints {
    struct {
        int number; /* what the kernel calls the tracepoint */
        char *text; /* its format file */
    } formats[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    bool outputs;
    bool knows_lost; /* the events themselves count what was lost of them */
    size_t ring_bytes;
    uint64_t lost_recorded;  /* by records in the rings */
    uint64_t shown_count;    /* events of tracepoints given out */
    uint64_t until_ns;       /* events before this instant are all in the rings */
    struct perf_ring *shown; /* whose first record was given out last, to be popped */
    size_t processor_count;
    struct processor_events processors[];
};

#endif
