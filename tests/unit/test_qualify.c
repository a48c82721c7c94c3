/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole qualifications on loop devices (as root), with real sessions; names of reports.

   Timed: sessions with limits of seconds measure something only where they get a processor. */
#include "check.h"
#include "loop_device.h"
#include "qualification_fixture.h"
#include "tree.h"

#include "io/target/target.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "machine/qualify/qualify.h"

enum { MIB = 1 << 20 };

static struct qualified f;

/* ---- names ---- */

static void check_names(void)
{
    struct tree t;
    char name[96], path[TREE_PATH];
    qualify_folder_name(NULL, "2026-11-20 17:02:11 UTC", "ABC1234", name, sizeof name);
    CHECK_STR(name, "2026-11-20-ABC1234");
    qualify_folder_name(NULL, "2026-11-20", "/A:B *?\"<>|\\.x", name, sizeof name);
    CHECK_STR(name, "2026-11-20--A-B---------x");
    tree_begin(&t);
    qualify_folder_name(t.folder, "2026-11-20", "", name, sizeof name);
    CHECK_STR(name, "2026-11-20-unknown");
    tree_folder(&t, "/2026-11-20-unknown");
    tree_folder(&t, "/2026-11-20-unknown-2");
    qualify_folder_name(t.folder, "2026-11-20", "", name, sizeof name);
    CHECK_STR(name, "2026-11-20-unknown-3");

    CHECK_STR(qualify_machine_serial(&t.root, name, sizeof name), "unknown");
    tree_folder(&t, "/sys/class/net/eth0/device");
    tree_file(&t, "/sys/class/net/eth0/address", "52:54:00:12:34:56\n");
    tree_folder(&t, "/sys/class/net/br0");
    tree_file(&t, "/sys/class/net/br0/address", "02:00:00:00:00:01\n");
    tree_file(&t, "/sys/class/dmi/id/product_serial", "To Be Filled By O.E.M.\n");
    CHECK_STR(qualify_machine_serial(&t.root, name, sizeof name), "52:54:00:12:34:56");
    CHECK(!qualify_board_serial(&t.root, name, sizeof name));
    tree_file(&t, "/sys/class/dmi/id/board_serial", "  CN7016X \n");
    CHECK_STR(qualify_machine_serial(&t.root, name, sizeof name), "CN7016X");
    CHECK_STR(tree_path(&t, path, ""), t.folder);
    qualify_report_name(&t.root, t.folder, 1795194131, false, name, sizeof name);
    CHECK_STR(name, "2026-11-20-CN7016X");
    qualify_report_name(&t.root, NULL, 1795194131, true, name, sizeof name);
    CHECK_STR(name, "2026-11-20-CN7016X-170211");
    tree_end(&t);

    /* Two indistinguishable machines on one day at one collector. */
    tree_begin(&t);
    tree_file(&t, "/proc/sys/kernel/random/boot_id", "9a2c41d7-0b1e-4b61-9a55-e8e2a9d30d11\n");
    qualify_report_name(&t.root, NULL, 1795194131, true, name, sizeof name);
    CHECK_STR(name, "2026-11-20-unknown-9a2c41d7-170211");
    tree_end(&t);
}

/* ---- whole qualifications ---- */

static struct sysroot machine;
static volatile sig_atomic_t stop, never;
static unsigned kept, stages, told;
static char last_stage[160];

static int keep(void *context, const char *folder, const struct result *result, struct err *e)
{
    (void)e;
    CHECK(context == &kept);
    CHECK(folder != NULL && result->round_count > 0);
    kept++;
    return 0;
}

static void hear_stage(void *context, const char *text)
{
    CHECK(context == &kept);
    snprintf(last_stage, sizeof last_stage, "%s", text);
    stages++;
}

static void hear_so_far(void *context, const struct qualification *q)
{
    CHECK(context == &kept);
    size_t measured = 0;
    for (size_t i = 0; i < q->device_count; i++)
        measured += q->devices[i].test_count > 0;
    CHECK_INT(measured, told);
    told++;
}

static int backing_file(unsigned mib, bool noise)
{
    static unsigned char data[MIB];
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)mib * MIB))
        return fd;
    for (unsigned i = 0; noise && i < mib; i++) {
        write_data_fill(data, sizeof data, i, 1);
        CHECK_INT(pwrite(fd, data, sizeof data, (off_t)i * MIB), MIB);
    }
    return fd;
}

static struct qualify_request request_of(const char *const *names, size_t count)
{
    told = 0;
    return (struct qualify_request){.root = &machine,
                                    .names = names,
                                    .name_count = count,
                                    .preset = "quick",
                                    .limit_seconds = 4,
                                    .keep = keep,
                                    .context = &kept,
                                    .stop = &never,
                                    .stage = hear_stage,
                                    .so_far = hear_so_far};
}

static bool there_is(const char *folder, const char *disk, const char *file)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s-%s", folder, disk, file);
    return access(path, F_OK) == 0;
}

/* A disk with random data and one that was never written: the second is refused, which is a
   warning. */
static void check_two_disks(const char *folder, const char *noise, const char *zeros)
{
    static const char text[] = "[disk loop]\nread bandwidth >= 1 kB/s\nsize = 16777216 B\n"
                               "write iops >= 1\n[disk virtio]\ncount = 0\n";
    const char *names[] = {noise, zeros + 5, noise};
    struct qualify_request request = request_of(names, 3);
    struct qualifier *qualifier = NULL;
    struct expectation *x = NULL;
    struct err e = {0};
    CHECK_INT(expectation_parse(&x, text, strlen(text), "x", &e), 0);
    request.expectation = x;
    request.folder = folder;
    kept = stages = 0;
    CHECK_INT(qualify(&qualifier, &request, &e), 0);
    CHECK_STR(e.msg, "");
    if (qualifier) {
        const struct qualification *q = qualifier_result(qualifier);
        CHECK_INT(q->device_count, 2);
        CHECK_INT(kept, 2);
        CHECK_INT(stages, 2);
        CHECK_INT(told, 3); /* before the first one, and after each of two */
        CHECK(strstr(last_stage, "random read, 2 of 4") != NULL);
        CHECK(!q->interrupted && q->seconds > 1);
        CHECK(q->devices[0].tests[0].measured && q->devices[0].tests[1].measured);
        CHECK(q->devices[0].tests[0].bandwidth.value > 1e6);
        CHECK(q->devices[0].tests[0].engine[0] != '\0');
        CHECK_INT(q->devices[0].size, 16 * MIB);
        CHECK_STR(q->devices[0].kind, "loop");
        CHECK(qualified_find(q, 0, "read bandwidth") != NULL);
        qualified_expect(q, 0, "size", GRADE_PASS, "16.78 MB", "");
        /* Any other disk of this machine is left out. */
        qualified_expect(q, -1, "count of disks", q->chosen ? GRADE_NONE : GRADE_PASS,
                         q->chosen ? "not known" : "0", q->chosen ? "were named" : "virtio");
        qualified_expect(q, 0, "write iops", GRADE_NONE, "not known", "not asked");
        qualified_expect(q, 1, "contents", GRADE_WARN, "100 %", "need not reach");
        qualified_expect(q, 1, "read bandwidth", GRADE_UNDECIDED, "not known", "never written");
        CHECK(!q->devices[1].tests[0].measured);
        CHECK(q->devices[0].grade >= GRADE_PASS && q->devices[0].grade <= GRADE_UNDECIDED);
        CHECK_STR(grade_name(q->devices[1].grade), "undecided");
        CHECK_INT(qualification_status(q), ERR_UNDECIDED);
        CHECK(there_is(folder, noise + 5, "read/record.cupel"));
        CHECK(there_is(folder, noise + 5, "randread/record.cupel"));
        CHECK(!there_is(folder, zeros + 5, "read"));
    }
    qualifier_free(qualifier);
    expectation_free(x);
}

static void check_stopped(const char *noise)
{
    struct qualify_request request = request_of(&noise, 1);
    struct qualifier *qualifier = NULL;
    struct err e = {0};
    stop = 1;
    request.stop = &stop;
    CHECK_INT(qualify(&qualifier, &request, &e), 0);
    if (qualifier) {
        const struct qualification *q = qualifier_result(qualifier);
        CHECK(q->interrupted);
        CHECK_INT(qualification_status(q), ERR_UNDECIDED);
        qualified_expect(q, -1, "interrupted", GRADE_UNDECIDED, "0 of 2 measurements ended",
                         "0 broken off, 2 not made");
        qualified_expect(q, 0, "read", GRADE_UNDECIDED, "", "not measured: interrupted before it");
        qualified_expect(q, 0, "randread", GRADE_UNDECIDED, "",
                         "not measured: interrupted before it");
        qualified_expect(q, 0, "temperature", GRADE_NONE, "", "");
    }
    qualifier_free(qualifier);
}

/* With permission a disk that was never written is measured, still with a warning. */
static void check_allowed(const char *zeros)
{
    struct qualify_request request = request_of(&zeros, 1);
    struct qualifier *qualifier = NULL;
    request.allow_unwritten = true;
    request.keep = NULL;
    request.limit_seconds = 1;
    CHECK_INT(qualify(&qualifier, &request, NULL), 0);
    if (qualifier) {
        const struct qualification *q = qualifier_result(qualifier);
        qualified_expect(q, 0, "contents", GRADE_WARN, "100 %", "need not have reached");
        CHECK(strstr(q->devices[0].tests[0].failure, "never written") == NULL);
        CHECK(q->devices[0].tests[0].workload[0] != '\0');
    }
    qualifier_free(qualifier);
}

/* A share of zeros too small to refuse the disk is reported, for the disk or for the part that was
   read. */
static void check_contents(const char *path)
{
    qualified_begin(&f);
    qualified_device(&f, qualified_add_disk(&f, path + 5, NODE_LOOP, "16777216", ""));
    CHECK(!contents_unwritten(&f.q, 0, path, false));
    qualified_expect(&f.q, 0, "contents", GRADE_WARN, "25 % read as zeros", "may look faster");
    contents_judge_covered(&f.q, 0, path, 8 * MIB);
    CHECK_INT(f.q.check_count, 1);
    f.q.check_count = 0;
    contents_judge_covered(&f.q, 0, path, 16 * MIB);
    contents_judge_covered(&f.q, 0, path, (double)NAN);
    CHECK_INT(f.q.check_count, 0);
    contents_judge_covered(&f.q, 0, path, 8 * MIB);
    qualified_expect(&f.q, 0, "contents", GRADE_WARN, "50 % of the first 8 MiB", "");
    qualified_end(&f);
}

static int refuse(void *context, const char *folder, const struct result *result, struct err *e)
{
    (void)context;
    (void)folder;
    (void)result;
    return err_set(e, ERR_TARGET, "the stick is full");
}

/* Files that cannot be kept end nothing; they are a warning and are reported. */
static void check_unkept(const char *noise, const char *folder, const char *words,
                         int (*keep_it)(void *, const char *, const struct result *, struct err *))
{
    struct qualify_request request = request_of(&noise, 1);
    struct qualifier *qualifier = NULL;
    struct err e = {0};
    request.folder = folder;
    request.keep = keep_it;
    request.limit_seconds = 6; /* a busy machine measures nothing in 3 s */
    CHECK_INT(qualify(&qualifier, &request, &e), 0);
    if (qualifier) {
        const struct qualification *q = qualifier_result(qualifier);
        CHECK(q->devices[0].tests[0].measured && q->devices[0].tests[1].measured);
        CHECK(q->devices[0].grade != GRADE_FAIL);
        qualified_expect(q, -1, "report", GRADE_WARN, "2 of 2 measurements not kept", words);
        CHECK_INT(qualifier_kept(qualifier, &e), -1);
        CHECK_INT(e.code, ERR_TARGET);
        CHECK(strstr(e.msg, words) != NULL);
    }
    qualifier_free(qualifier);
}

static void check_error(const struct qualify_request *request, enum err_code code,
                        const char *words)
{
    struct qualifier *qualifier = NULL;
    struct err e = {0};
    CHECK_INT(qualify(&qualifier, request, &e), -1);
    CHECK(qualifier == NULL);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void check_errors(const char *noise)
{
    const char *missing = "no-such-disk", *serials[] = {"NOBODY", NULL};
    struct qualify_request request = request_of(&missing, 1);
    struct qualifier *qualifier = NULL;
    check_error(&request, ERR_USAGE, "no-such-disk");
    request.missing_fails = true;
    CHECK_INT(qualify(&qualifier, &request, NULL), 0);
    if (qualifier)
        qualified_expect(qualifier_result(qualifier), -1, "disk", GRADE_FAIL, "", "no-such-disk");
    qualifier_free(qualifier);
    request = request_of(&noise, 1);
    request.destroy_serials = serials;
    check_error(&request, ERR_USAGE, "NOBODY");
    serials[0] = ""; /* what a disk without a serial number has */
    check_error(&request, ERR_USAGE, "serial number");
    request = request_of(&noise, 1);
    request.preset = "hasty";
    check_error(&request, ERR_USAGE, "hasty");
    request = request_of(&noise, 1);
}

/* The kernel releases files of an io_uring a moment after the ring is closed. */
static int open_alone(const char *path)
{
    int fd = -1;
    for (int i = 0; i < 40 && fd < 0; i++) {
        fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
        if (fd < 0)
            usleep(50000);
    }
    return fd;
}

static void check_refused(struct measuring *m, const struct disk_identity *disk, const char *why)
{
    struct err e = {0};
    f.devices[0].test_count = f.q.check_count = 0;
    CHECK_INT(measure_disk(m, 0, disk, true, &e), 0);
    CHECK(f.devices[0].tests[0].workload[0] != '\0');
    CHECK(!f.devices[0].tests[2].measured && !f.devices[0].tests[3].measured);
    CHECK_STR(f.devices[0].tests[2].workload, "");
    qualified_expect(&f.q, 0, "write", GRADE_FAIL, "", why);
    qualified_expect(&f.q, 0, "randwrite", GRADE_FAIL, "", "an earlier test of this disk failed");
}

/* Another disk has the name by now: nothing is written. */
static void check_not_written(struct measuring *m, const struct disk_identity *disk)
{
    struct disk_identity before = *disk;
    snprintf(before.sequence, sizeof before.sequence, "1x");
    check_refused(m, &before, "not the disk any more");
    snprintf(f.devices[0].serial, sizeof f.devices[0].serial, "S1");
    check_refused(m, disk, "another disk now");
}

/* The writing tests, which qualify() makes only for a serial number, which a loop device does not
   have. */
static void check_writes(const char *path)
{
    struct qualify_request request = request_of(NULL, 0);
    static struct result result;
    struct measuring m = {.request = &request, .q = &f.q, .result = &result, .count = 4};
    struct err e = {0};
    request.keep = NULL;
    request.limit_seconds = 5;
    struct disk_identity disk;
    qualified_begin(&f);
    qualified_device(&f, qualified_add_disk(&f, path + 5, NODE_LOOP, "16777216", ""));
    disk_identity_take(&disk, &machine, path);
    CHECK_INT(measure_count(false), 2);
    CHECK_INT(measure_count(true), 4);
    CHECK_INT(measure_disk(&m, 0, &disk, true, &e), 0);
    CHECK_STR(e.msg, "");
    CHECK_INT(f.devices[0].test_count, 4);
    CHECK_STR(f.devices[0].tests[2].name, "write");
    CHECK_STR(f.devices[0].tests[3].name, "randwrite");
    CHECK(f.devices[0].tests[2].measured && f.devices[0].tests[3].measured);
    CHECK_STR(f.devices[0].tests[3].iops.op, "write");

    /* Another program has it open: it is read, but not written. */
    int fd = open_alone(path);
    CHECK(fd >= 0);
    f.devices[0].test_count = f.q.check_count = 0;
    request.limit_seconds = 0.5;
    CHECK_INT(measure_disk(&m, 0, &disk, true, &e), 0);
    CHECK(f.devices[0].tests[0].workload[0] != '\0');
    CHECK(strstr(f.devices[0].tests[0].failure, "in use") == NULL);
    CHECK(!f.devices[0].tests[2].measured);
    qualified_expect(&f.q, 0, "write", GRADE_UNDECIDED, "", "in use");
    close(fd);
    check_not_written(&m, &disk);
    qualified_end(&f);
}

/* A device that is gone fails; the qualification continues. */
static void check_gone(void)
{
    struct qualify_request request = request_of(NULL, 0);
    static struct result result;
    struct measuring m = {.request = &request, .q = &f.q, .result = &result, .count = 2};
    struct disk_identity disk;
    struct err e = {0};
    qualified_begin(&f);
    qualified_device(&f, qualified_add_disk(&f, "gone", NODE_DISK, "16777216", ""));
    disk_identity_take(&disk, &machine, "/dev/gone");
    CHECK_INT(measure_disk(&m, 0, &disk, true, &e), 0);
    qualified_expect(&f.q, 0, "read", GRADE_FAIL, "", "not measured: /dev/gone");
    qualified_expect(&f.q, 0, "write", GRADE_FAIL, "", "an earlier test of this disk failed");
    CHECK_STR(grade_name(f.devices[0].grade), "fail");
    f.devices[0] = (struct qualification_device){0};
    f.q.check_count = 0;
    CHECK_INT(measure_disk(&m, 0, &disk, false, &e), 0); /* no bytes */
    CHECK(strstr(f.devices[0].tests[0].failure, "no bytes") != NULL);
    qualified_end(&f);
}

static void check_loop_devices(void)
{
    struct loop_device noise, zeros, mixed;
    struct tree t;
    if (getuid() != 0 || !loop_attach(&noise, backing_file(16, true))) {
        check_part_skipped("loop devices need root");
        return;
    }
    CHECK_INT(sysroot_open(&machine, NULL, NULL), 0);
    CHECK(loop_attach(&zeros, backing_file(16, false)));
    tree_begin(&t);
    check_two_disks(t.folder, noise.path, zeros.path);
    check_stopped(noise.path);
    check_allowed(zeros.path);
    int quarter = backing_file(16, true);
    CHECK_INT(fallocate(quarter, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4 * MIB), 0);
    CHECK(loop_attach(&mixed, quarter));
    check_contents(mixed.path);
    loop_detach(&mixed);
    check_unkept(noise.path, NULL, "the stick is full", refuse);
    check_unkept(noise.path, "/no/such/folder", "/no/such/folder", NULL);
    check_errors(noise.path);
    check_writes(noise.path);
    check_gone();
    tree_end(&t);
    loop_detach(&noise);
    loop_detach(&zeros);
}

int main(void)
{
    check_names();
    check_loop_devices();
    return check_result();
}
