/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of structs found by BTF: written here, damaged in every byte, and the kernel's own. */
#include <linux/btf.h>
#include <unistd.h>

#include "base/random.h"
#include "program/observe/tracepoint/internal.h"
#include "tests/unit/check.h"

/*
 * struct inner { int a; int *b; };                          type 3, 16 bytes
 * typedef struct inner inner_t;                             type 4
 * struct outer {                                            type 7
 *     int first;                                            at 0
 *     union { long x; struct { int y; inner_t deep; }; };   at 8: types 5 and 6
 *     unsigned bits : 3;                                    a bit field
 *     const inner_t last;                                   at 40
 * };
 */
static const char strings[] = "\0int\0inner\0a\0b\0inner_t\0outer\0first\0x\0y\0deep\0bits\0last";

static uint32_t name_at(const char *name)
{
    for (size_t i = 1; i < sizeof strings; i += strlen(strings + i) + 1)
        if (!strcmp(strings + i, name))
            return (uint32_t)i;
    return 0;
}

static unsigned char file[1024];
static size_t file_size;

static void put(uint32_t value)
{
    memcpy(file + file_size, &value, sizeof value);
    file_size += sizeof value;
}

static void put_type(const char *name, unsigned kind, unsigned count, bool flag, uint32_t size)
{
    put(*name ? name_at(name) : 0);
    put((flag ? 1u << 31 : 0) | kind << 24 | count);
    put(size);
}

static void put_member(const char *name, uint32_t type, uint32_t bits)
{
    put(*name ? name_at(name) : 0);
    put(type);
    put(bits);
}

static void write_types(void)
{
    struct btf_header h = {.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof h};
    file_size = sizeof h;
    put_type("int", BTF_KIND_INT, 0, false, 4); /* 1 */
    put(32);
    put_type("", BTF_KIND_PTR, 0, false, 1); /* 2 */
    put_type("inner", BTF_KIND_STRUCT, 2, false, 16);
    put_member("a", 1, 0);
    put_member("b", 2, 64);
    put_type("inner_t", BTF_KIND_TYPEDEF, 0, false, 3);
    put_type("", BTF_KIND_STRUCT, 2, false, 24); /* 5 */
    put_member("y", 1, 0);
    put_member("deep", 4, 64);
    put_type("", BTF_KIND_UNION, 2, false, 24); /* 6 */
    put_member("x", 1, 0);
    put_member("", 5, 0);
    put_type("outer", BTF_KIND_STRUCT, 4, true, 56); /* 7 */
    put_member("first", 1, 0);
    put_member("", 6, 64);
    put_member("bits", 1, 3u << 24 | 256);
    put_member("last", 8, 320);
    put_type("", BTF_KIND_CONST, 0, false, 4); /* 8 */
    h.type_len = (uint32_t)(file_size - sizeof h);
    h.str_off = h.type_len;
    h.str_len = sizeof strings;
    memcpy(file + file_size, strings, sizeof strings);
    file_size += sizeof strings;
    memcpy(file, &h, sizeof h);
}

static int read_types(struct kernel_types *k, struct err *e)
{
    char path[] = "/tmp/cupel-types.XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, file, file_size) == (ssize_t)file_size);
    close(fd);
    int status = kernel_types_read(k, path, e);
    unlink(path);
    return status;
}

static void test_members(void)
{
    struct kernel_types k;
    struct err e = {0};
    write_types();
    CHECK_INT(read_types(&k, &e), 0);
    CHECK_INT(k.type_count, 8);
    CHECK_INT(kernel_types_offset(&k, "inner", "b"), 8);
    CHECK_INT(kernel_types_offset(&k, "outer", "first"), 0);
    CHECK_INT(kernel_types_offset(&k, "outer", "x"), 8);
    CHECK_INT(kernel_types_offset(&k, "outer", "deep"), 16);
    CHECK_INT(kernel_types_offset(&k, "outer", "deep.b"), 24); /* through a typedef */
    CHECK_INT(kernel_types_offset(&k, "outer", "last.a"), 40); /* through const and typedef */
    CHECK_INT(kernel_types_offset(&k, "outer", "bits"), -1);
    CHECK_INT(kernel_types_offset(&k, "outer", "none"), -1);
    CHECK_INT(kernel_types_offset(&k, "outer", "first.a"), -1);
    CHECK_INT(kernel_types_offset(&k, "outer", "deep."), -1);
    CHECK_INT(kernel_types_offset(&k, "inner_t", "a"), -1); /* the typedef is no struct */
    CHECK_INT(kernel_types_offset(&k, "none", "a"), -1);
    kernel_types_free(&k);
}

/* Damaged BTF is refused, or gives a result within the file, or none. */
static void test_damage(void)
{
    struct kernel_types k;
    struct err e;
    struct random random;
    random_seed(&random, 5, 0);
    for (int round = 0; round < 3000; round++) {
        write_types();
        for (int i = 0; i <= round % 4; i++)
            file[random_below(&random, (uint32_t)file_size)] = (unsigned char)random_u64(&random);
        if (round % 7 == 0)
            file_size = random_below(&random, (uint32_t)file_size);
        if (read_types(&k, &e)) {
            CHECK_INT(e.code, ERR_MACHINE);
            continue;
        }
        kernel_types_offset(&k, "outer", "deep.b");
        kernel_types_offset(&k, "outer", "none");
        kernel_types_free(&k);
    }
}

static void test_of_this_kernel(void)
{
    struct kernel_types k;
    struct err e;
    if (kernel_types_read(&k, NULL, &e)) {
        check_part_skipped(e.msg);
        return;
    }
    CHECK(kernel_types_offset(&k, "file", "f_inode") > 0);
    CHECK(kernel_types_offset(&k, "file", "f_path.dentry") > 0);
    CHECK(kernel_types_offset(&k, "dentry", "d_name.name") > 0);
    CHECK_INT(kernel_types_offset(&k, "list_head", "prev"), (long)sizeof(void *));
    kernel_types_free(&k);
}

int main(void)
{
    test_members();
    test_damage();
    test_of_this_kernel();
    return check_result();
}
