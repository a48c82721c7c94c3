/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Needed memory compared with available memory: of the machine, of control groups, of the address
   space. */
#include "check.h"

#include "run/session/memory_need.h"
#include "run/session/running.h"
#include "tree.h"
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#define GIB ((uint64_t)1 << 30)

static struct tree t;

static void check_room(uint64_t bytes, const char *limit)
{
    struct memory_room room = memory_room_find(t.root.prefix);
    CHECK_INT(room.bytes, bytes);
    CHECK(strcmp(room.limit, limit) == 0);
}

static void test_machine(void)
{
    tree_begin(&t);
    check_room(UINT64_MAX, "");
    tree_file(&t, "/proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n");
    check_room(8 * GIB, "MemAvailable");
    tree_file(&t, "/proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable: many\n");
    check_room(UINT64_MAX, "");
    tree_end(&t);
}

/* The group's own limit, then that of the group above; unused page cache does not count. */
static void test_control_groups(void)
{
    static const char limit[] = "memory.max of its control group";
    tree_begin(&t);
    tree_file(&t, "/proc/meminfo", "MemAvailable:    8388608 kB\n");
    tree_file(&t, "/proc/self/cgroup", "0::/a/b\n");
    tree_file(&t, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    check_room(8 * GIB, "MemAvailable");
    tree_file(&t, "/sys/fs/cgroup/a/b/memory.max", "4294967296\n");
    tree_file(&t, "/sys/fs/cgroup/a/b/memory.current", "2147483648\n");
    check_room(2 * GIB, limit);
    tree_file(&t, "/sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 1073741824\n");
    check_room(3 * GIB, limit);
    tree_file(&t, "/sys/fs/cgroup/a/memory.max", "1073741824\n");
    tree_file(&t, "/sys/fs/cgroup/a/memory.current", "2147483648\n");
    check_room(0, limit);
    tree_end(&t);
}

static void test_first_version(void)
{
    tree_begin(&t);
    tree_file(&t, "/proc/self/cgroup", "5:cpu:/\n4:memory:/x\n0::/\n");
    tree_file(&t, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "3221225472\n");
    tree_file(&t, "/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "1073741824\n");
    check_room(2 * GIB, "memory.max of its control group");
    tree_end(&t);
}

#ifndef __SANITIZE_ADDRESS__
static void test_address_space(void)
{
    struct rlimit before, lower;
    if (check_is_emulated()) {
        check_part_skipped("an emulator does not set the limit of the address space");
        return;
    }
    tree_begin(&t);
    tree_file(&t, "/proc/self/statm", "1024 7 7 7 0 7 0\n");
    getrlimit(RLIMIT_AS, &before);
    lower = before;
    lower.rlim_cur = 64 * GIB;
    CHECK_INT(setrlimit(RLIMIT_AS, &lower), 0);
    check_room(64 * GIB - 1024 * (uint64_t)sysconf(_SC_PAGESIZE), "ulimit -v");
    setrlimit(RLIMIT_AS, &before);
    tree_end(&t);
}
#endif

static void test_judgement(void)
{
    struct plan plan;
    char words[240];
    struct err e = {0};
    const struct memory_room room = {8 * GIB, "MemAvailable"}, none = {UINT64_MAX, ""};
    plan_init(&plan);
    plan.jobs = 3;
    plan.iodepth = 1024;
    plan.block_size = 1 << 20;
    CHECK_INT(memory_need_check(2 * GIB, &plan, &room, words, sizeof words, &e), 0);
    CHECK(strcmp(words, "") == 0);
    CHECK_INT(memory_need_check(3 * GIB, &plan, &room, words, sizeof words, &e), 0);
    CHECK(strcmp(words, "3 jobs x iodepth 1024 x 1 MiB take 3 GiB of memory; 8 GiB are there "
                        "(MemAvailable)") == 0);
    CHECK_INT(memory_need_check(9 * GIB, &plan, &room, words, sizeof words, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK(strcmp(e.msg, "3 jobs x iodepth 1024 x 1 MiB take 9 GiB of memory, and 8 GiB are there "
                        "(MemAvailable): lower --numjobs, --iodepth or --bs") == 0);
    CHECK_INT(memory_need_check(9 * GIB, &plan, &none, words, sizeof words, &e), 0);

    /* Only those options are named whose values can be lowered. */
    const struct memory_room space = {8 * GIB, "ulimit -v"};
    plan.jobs = 1;
    CHECK_INT(memory_need_check(9 * GIB, &plan, &space, words, sizeof words, &e), -1);
    CHECK(strstr(e.msg, ": lower --iodepth or --bs, or raise the limit (ulimit -v unlimited)") !=
          NULL);
    plan.iodepth = 1;
    plan.block_size = 4096;
    CHECK_INT(memory_need_check(9 * GIB, &plan, &space, words, sizeof words, &e), -1);
    CHECK(strstr(e.msg, "(ulimit -v): raise the limit (ulimit -v unlimited)") != NULL);
    CHECK_INT(memory_need_check(9 * GIB, &plan, &room, words, sizeof words, &e), -1);
    CHECK(strstr(e.msg, "(MemAvailable): end other programs") != NULL);
}

int main(void)
{
    test_machine();
    test_control_groups();
    test_first_version();
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer's shadow memory needs more addresses than any limit  \
                                allows */
    test_address_space();
#endif
    test_judgement();
    return check_result();
}
