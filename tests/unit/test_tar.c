/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tar archives: cupel's read by cupel and by tar, tar's read by cupel, and archives that nobody
   should unpack. Longer than 500 lines because each way to damage an archive is a case of its own.
   */
#include "check.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file/file.h"
#include "base/random.h"
#include "hw/capture/internal.h"
#include "tree.h"

extern char **environ;

static char long_name[200], long_target[300], deep_name[220];

static void make_names(void)
{
    memset(long_name, 'n', 150); /* in one part: only pax records can hold it */
    memset(long_target, 't', 40);
    for (size_t i = 40; i < 240; i += 20) {
        long_target[i] = '/';
        memset(long_target + i + 1, 't', 19);
    }
    snprintf(deep_name, sizeof deep_name, "sys/devices/%090d/%090d/file", 1, 2);
}

static void add_all(struct tar_writer *w)
{
    static const char zeros[3000];
    make_names();
    w->time = 1700000000;
    tar_add_folder(w, "sys");
    tar_add_file(w, "sys/empty", 0444, "", 0);
    tar_add_file(w, "sys/denied", 0, "", 0);
    tar_add_file(w, "sys/text", 0444, "hello\n", 6);
    tar_add_file(w, "sys/block", 0444, zeros, 512);
    tar_add_file(w, "sys/large", 0444, zeros, sizeof zeros);
    tar_add_link(w, "sys/link", "text");
    tar_add_link(w, "sys/class/up", "../../sys");
    tar_add_file(w, long_name, 0444, "long\n", 5);
    tar_add_link(w, "sys/far", long_target);
    tar_add_file(w, deep_name, 0444, "deep\n", 5);
    tar_end(w);
}

/* Writes the archive to a file and returns its descriptor. */
static int file_of(const char *data, size_t length)
{
    int fd = memfd_create("test_tar", MFD_CLOEXEC);
    CHECK(fd >= 0 && (!length || write(fd, data, length) == (ssize_t)length));
    return fd;
}

/* Returns true if the member has these bytes. */
static bool contents_are(struct tar_reader *r, const struct tar_member *m, const char *contents)
{
    struct err e = {0};
    size_t length;
    for (uint64_t from = 0; from < m->length; from += length) {
        const char *piece = tar_contents(r, m, from, &length, &e);
        if (!piece || memcmp(piece, contents + from, length) != 0)
            return false;
    }
    return true;
}

static void check_member(struct tar_reader *r, enum tar_kind kind, const char *name,
                         const char *contents, size_t length)
{
    static struct tar_member m;
    struct err e = {0};
    if (tar_next(r, &m, &e) != 1) {
        CHECK_STR(e.msg, name);
        return;
    }
    CHECK_INT(m.kind, kind);
    CHECK_STR(m.name, name);
    if (kind == TAR_LINK) {
        CHECK_STR(m.target, contents);
    } else {
        CHECK_INT(m.length, length);
        CHECK(m.length == length && contents_are(r, &m, contents));
    }
}

static void written_and_read(void)
{
    static const char zeros[3000];
    static struct tar_member m;
    struct tar_writer w = {0};
    struct err e = {0};
    add_all(&w);
    CHECK(!w.bytes.failed && w.bytes.length % TAR_BLOCK == 0);
    struct tar_reader r = {
        .fd = file_of(w.bytes.data, w.bytes.length), .length = w.bytes.length, .file = "x.tar"};
    check_member(&r, TAR_FOLDER, "sys", "", 0);
    check_member(&r, TAR_FILE, "sys/empty", "", 0);
    check_member(&r, TAR_FILE, "sys/denied", "", 0);
    check_member(&r, TAR_FILE, "sys/text", "hello\n", 6);
    check_member(&r, TAR_FILE, "sys/block", zeros, 512);
    check_member(&r, TAR_FILE, "sys/large", zeros, sizeof zeros);
    check_member(&r, TAR_LINK, "sys/link", "text", 0);
    check_member(&r, TAR_LINK, "sys/class/up", "../../sys", 0);
    check_member(&r, TAR_FILE, long_name, "long\n", 5);
    check_member(&r, TAR_LINK, "sys/far", long_target, 0);
    check_member(&r, TAR_FILE, deep_name, "deep\n", 5);
    CHECK_INT(tar_next(&r, &m, &e), 0);
    close(r.fd);
    text_free(&w.bytes);
}

/* Content larger than several windows, followed by another member. */
static void larger_than_the_window(void)
{
    enum { LARGE = 3 * TAR_WINDOW + 1000 };
    static char large[LARGE];
    struct tar_writer w = {0};
    for (size_t i = 0; i < sizeof large; i++)
        large[i] = (char)(i * 7 + i / 251);
    tar_add_file(&w, "large", 0444, large, sizeof large);
    tar_add_file(&w, "small", 0444, "s", 1);
    tar_end(&w);
    struct tar_reader r = {
        .fd = file_of(w.bytes.data, w.bytes.length), .length = w.bytes.length, .file = "x.tar"};
    check_member(&r, TAR_FILE, "large", large, sizeof large);
    check_member(&r, TAR_FILE, "small", "s", 1);
    close(r.fd);

    struct tree t = {0};
    struct err e = {0};
    char path[TREE_PATH], *back;
    size_t length = 0;
    int fd = file_of(w.bytes.data, w.bytes.length);
    tree_begin(&t);
    CHECK_INT(tar_unpack("x.tar", fd, t.folder, &e), 0);
    CHECK_INT(file_read_all(tree_path(&t, path, "/large"), LARGE, &back, &length, &e), 0);
    CHECK(length == LARGE && !memcmp(back, large, LARGE));
    free(back);
    close(fd);
    tree_end(&t);
    text_free(&w.bytes);
}

/* Truncated by another program after its size was read. */
static void cut_while_read(void)
{
    static struct tar_member m;
    struct tar_writer w = {0};
    struct err e = {0};
    add_all(&w);
    struct tar_reader r = {
        .fd = file_of(w.bytes.data, TAR_BLOCK), .length = w.bytes.length, .file = "x.tar"};
    CHECK_INT(tar_next(&r, &m, &e), 1);
    CHECK_INT(tar_next(&r, &m, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "became shorter") != NULL);
    close(r.fd);
    text_free(&w.bytes);
}

/* ---- other programs ---- */

static bool has_program(const char *name)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
    pid_t child;
    int status = -1;
    return !posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) &&
           waitpid(child, &status, 0) == child && status == 0;
}

static bool run(const char *format, const char *folder)
{
    char command[1024];
    snprintf(command, sizeof command, format, folder);
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-ec"}, command, NULL};
    pid_t child;
    int status = -1;
    return !posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) &&
           waitpid(child, &status, 0) == child && status == 0;
}

static void check_unpacked(const struct tree *t, const char *below)
{
    char path[TREE_PATH], name[TREE_PATH], text[16], target[400];
    struct stat s;
    snprintf(path, sizeof path, "%s/sys/text", below);
    CHECK_INT(sysroot_line(&t->root, path, text, sizeof text), FACT_OK);
    CHECK_STR(text, "hello");
    snprintf(path, sizeof path, "%s/sys/class/up/link", below);
    CHECK_INT(sysroot_line(&t->root, path, text, sizeof text), FACT_OK);
    CHECK_STR(text, "hello");
    snprintf(path, sizeof path, "%s/sys/denied", below);
    CHECK_INT(sysroot_line(&t->root, path, text, sizeof text), FACT_DENIED);
    snprintf(path, sizeof path, "%s/sys/large", below);
    CHECK(!stat(tree_path(t, name, path), &s) && s.st_size == 3000);
    snprintf(path, sizeof path, "%s/%s", below, long_name);
    CHECK_INT(sysroot_line(&t->root, path, text, sizeof text), FACT_OK);
    CHECK_STR(text, "long");
    snprintf(path, sizeof path, "%s/%s", below, deep_name);
    CHECK_INT(sysroot_line(&t->root, path, text, sizeof text), FACT_OK);
    CHECK_STR(text, "deep");
    snprintf(path, sizeof path, "%s/sys/far", below);
    ssize_t length = readlink(tree_path(t, name, path), target, sizeof target - 1);
    CHECK_INT(length, (long long)strlen(long_target));
    target[length > 0 ? length : 0] = '\0';
    CHECK_STR(target, long_target);
}

/* `program` unpacks cupel's archive, and cupel unpacks the program's. */
static void exchange(const char *program, const char *pack, const char *below)
{
    struct tree t = {0};
    struct tar_writer w = {0};
    struct err e = {0};
    char command[512], path[TREE_PATH];
    if (!has_program(program)) {
        char why[64];
        snprintf(why, sizeof why, "there is no %s", program);
        check_part_skipped(why);
        return;
    }
    tree_begin(&t);
    add_all(&w);
    tree_bytes(&t, "/ours.tar", w.bytes.data, w.bytes.length);
    text_free(&w.bytes);
    snprintf(
        command, sizeof command,
        "cd %%s; mkdir theirs again; %s -xf ours.tar -C theirs 2>&1 | tee said; test ! -s said",
        program);
    CHECK(run(command, t.folder));
    check_unpacked(&t, "/theirs");
    if (geteuid() != 0) {
        check_part_skipped("only root can pack a file that nobody may read");
        tree_end(&t);
        return;
    }
    snprintf(command, sizeof command, "cd %%s; %s %s", program, pack);
    CHECK(run(command, t.folder));
    int fd = open(tree_path(&t, path, "/theirs.tar"), O_RDONLY);
    if (tar_unpack("theirs.tar", fd, tree_path(&t, path, "/again"), &e))
        CHECK_STR(e.msg, "");
    check_unpacked(&t, below);
    close(fd);
    tree_end(&t);
}

/* ---- refused archives ---- */

/* Corrects the checksum of a header that was changed by hand. */
static void put_checksum(struct tar_header *h)
{
    unsigned sum = 0;
    memset(h->checksum, ' ', sizeof h->checksum);
    for (size_t i = 0; i < sizeof *h; i++)
        sum += ((const unsigned char *)h)[i];
    snprintf(h->checksum, sizeof h->checksum, "%06o", sum);
}

static void check_refused(const char *data, size_t length, const char *text)
{
    struct tree t = {0};
    struct err e = {0};
    tree_begin(&t);
    int fd = file_of(data, length);
    CHECK_INT(tar_unpack("x.tar", fd, t.folder, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
    close(fd);
    tree_end(&t);
}

static void refuse_header(const struct tar_header *h, const char *text)
{
    struct tar_writer w = {0};
    struct tar_header checked = *h;
    put_checksum(&checked);
    text_add_bytes(&w.bytes, (const char *)&checked, sizeof checked);
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, text);
    text_free(&w.bytes);
}

static struct tar_header header(char type, const char *name, const char *target)
{
    struct tar_header h = {.type = type, .mode = "0000644", .size = "00000000000"};
    memcpy(h.magic, "ustar\00000", 8);
    memcpy(h.name, name, strlen(name));
    memcpy(h.target, target, strlen(target));
    return h;
}

static void refuse_name(const char *name, const char *text)
{
    struct tar_header h = header(TAR_TYPE_FILE, name, "");
    refuse_header(&h, text);
}

static void refuse_link(const char *name, const char *target, const char *text)
{
    struct tar_header h = header(TAR_TYPE_LINK, name, target);
    refuse_header(&h, text);
}

/* Pax records larger than a window, and invalid names. */
static void long_records(void)
{
    static char zeros[TAR_WINDOW + TAR_BLOCK];
    static const char types[] = {TAR_TYPE_PAX, TAR_TYPE_GNU_NAME, TAR_TYPE_GNU_TARGET};
    for (size_t i = 0; i < sizeof types; i++) {
        struct tar_writer w = {0};
        struct tar_header h = header(types[i], "records", "");
        snprintf(h.size, sizeof h.size, "%011o", (unsigned)sizeof zeros);
        put_checksum(&h);
        text_add_bytes(&w.bytes, (const char *)&h, sizeof h);
        text_add_bytes(&w.bytes, zeros, sizeof zeros);
        tar_end(&w);
        check_refused(w.bytes.data, w.bytes.length, "too long");
        text_free(&w.bytes);
    }
}

static void refused_members(void)
{
    refuse_name("/etc/passwd", "absolute");
    refuse_name("../x", "leads out");
    refuse_name("a/../../x", "leads out");
    refuse_name("a/..", "leads out");
    refuse_name("", "no name");
    refuse_name("./", "no name");
    refuse_link("a", "/etc", "absolute");
    refuse_link("a", "..", "outside");
    refuse_link("a/b", "../../x", "outside");
    refuse_link("a/b", "x/../../../y", "outside");
    refuse_link("a/b", "x/../y", "outside"); /* its target depends on what x is */
    refuse_link("a/b", "", "links to nothing");
    static const struct {
        char type;
        const char *text;
    } types[] = {{TAR_TYPE_HARD_LINK, "hard link"}, {TAR_TYPE_CHARACTERS, "device"},
                 {TAR_TYPE_BLOCKS, "device"},       {TAR_TYPE_PIPE, "pipe"},
                 {'S', "neither a file"},           {'V', "neither a file"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct tar_header h = header(types[i].type, "a", "b");
        refuse_header(&h, types[i].text);
    }
    struct tar_header h = header(TAR_TYPE_FILE, "a", "");
    memcpy(h.prefix, "..", 2);
    refuse_header(&h, "leads out");
    h = header(TAR_TYPE_FILE, "a", "");
    memcpy(h.size, "77777777777", 12);
    refuse_header(&h, "longer than the file");
    memcpy(h.size, "\x80\0\0\0\0\0\0\0\0\0\1\0", 12);
    refuse_header(&h, "cannot be read");
    memcpy(h.size, "12x", 4);
    refuse_header(&h, "cannot be read");
    h = header(TAR_TYPE_FILE, "a", "");
    memcpy(h.magic, "nothing", 8);
    refuse_header(&h, "no tar archive");
    h = header(TAR_TYPE_PAX, "records", "");
    memcpy(h.size, "00000001000", 12); /* the end mark is read as the records */
    refuse_header(&h, "pax records are damaged");
    long_records();
}

static void refuse_records(const char *records, const char *text)
{
    struct tar_writer w = {0};
    struct tar_header h = header(TAR_TYPE_PAX, "records", "");
    char block[TAR_BLOCK] = "";
    snprintf(h.size, sizeof h.size, "%011o", (unsigned)strlen(records));
    put_checksum(&h);
    memcpy(block, records, strlen(records));
    text_add_bytes(&w.bytes, (const char *)&h, sizeof h);
    text_add_bytes(&w.bytes, block, sizeof block);
    tar_add_link(&w, "a", "b");
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, text);
    text_free(&w.bytes);
}

static void refused_records(void)
{
    refuse_records("13 path=../x\n", "leads out");
    refuse_records("13 path=/etc\n", "absolute");
    refuse_records("18 linkpath=/etc1\n", "absolute");
    refuse_records("99 path=x\n", "damaged");
    refuse_records("x\n", "damaged");
    refuse_records("2 \n", "damaged");
    refuse_records("9 path=x", "damaged");
    refuse_records("99999999999999999999999 path=x\n", "damaged");
    refuse_records("10 size=x\n", "damaged");
    refuse_records("22 GNU.sparse.major=1\n", "sparse");
}

static void refused_archives(void)
{
    static char name[TAR_NAME + 400];
    struct tar_writer w = {0};
    add_all(&w);
    check_refused("", 0, "ends before");
    check_refused("no tar at all", 13, "ends before");
    for (size_t cut = 0; cut <= w.bytes.length - 2 * TAR_BLOCK; cut += 256)
        check_refused(w.bytes.data, cut, "x.tar: no usable capture");
    w.bytes.data[3 * TAR_BLOCK] ^= 1;
    check_refused(w.bytes.data, w.bytes.length, "checksum");
    text_free(&w.bytes);

    w = (struct tar_writer){0};
    tar_add_file(&w, "a", 0444, "", 0);
    tar_add_file(&w, "a", 0444, "", 0);
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, "a is there twice");
    text_free(&w.bytes);

    w = (struct tar_writer){0}; /* would be written to the link's target */
    tar_add_link(&w, "a/l", "..");
    tar_add_file(&w, "a/l/x", 0444, "", 0);
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, "a/l is there twice");
    text_free(&w.bytes);

    w = (struct tar_writer){0};
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 10 == 9 ? '/' : 'n';
    tar_add_file(&w, name, 0444, "", 0);
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, "name is too long");
    text_free(&w.bytes);

    w = (struct tar_writer){0};
    memset(name, 'n', 256);
    name[256] = '\0';
    tar_add_file(&w, name, 0444, "", 0);
    tar_end(&w);
    check_refused(w.bytes.data, w.bytes.length, "name is too long");
    text_free(&w.bytes);
}

/* ---- random damage ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void change_some(char *data, size_t length, struct random *random)
{
    uint64_t changes = 1 + random_below(random, 8);
    for (uint64_t i = 0; i < changes; i++) {
        char *at = data + random_below(random, length);
        uint64_t any = random_below(random, 256);
        *at = (char)(random_below(random, 2) ? any : '0' + any % 10);
    }
    /* Half of them get a correct checksum, or hardly any would get past the check. */
    if (random_below(random, 2))
        return;
    for (size_t at = 0; at + TAR_BLOCK <= length; at += TAR_BLOCK) {
        struct tar_header *h = (struct tar_header *)(void *)(data + at);
        if (!memcmp(h->magic, "ustar", 5))
            put_checksum(h);
    }
}

struct damage {
    struct tar_writer whole;
    struct random random;
    char *data;
    size_t length;
};

static void damage_begin(struct damage *d)
{
    *d = (struct damage){0};
    add_all(&d->whole);
    d->data = malloc(d->whole.bytes.length);
    CHECK(d->data);
    random_seed(&d->random, 7, 0);
}

static void damage_again(struct damage *d)
{
    d->length = d->whole.bytes.length;
    memcpy(d->data, d->whole.bytes.data, d->length);
    change_some(d->data, d->length, &d->random);
    if (!random_below(&d->random, 8))
        d->length = random_below(&d->random, d->length);
}

static void damage_end(struct damage *d)
{
    free(d->data);
    text_free(&d->whole.bytes);
}

/* Members read from a damaged archive are within the reader's promises. */
static void damaged_and_read(void)
{
    const double limit = 1;
    static struct tar_member m;
    struct damage d;
    long archives = 0;
    damage_begin(&d);
    for (double begin = seconds(); d.data && seconds() - begin < limit; archives++) {
        damage_again(&d);
        struct tar_reader r = {
            .fd = file_of(d.data, d.length), .length = d.length, .file = "x.tar"};
        struct err e = {0};
        while (tar_next(&r, &m, &e) > 0) {
            bool inside = m.at <= d.length && m.length <= d.length - m.at;
            if (!inside || m.name[0] == '/' || !strncmp(m.name, "..", 3) ||
                strstr(m.name, "/../") || m.target[0] == '/')
                CHECK_STR(m.name, "a name that stays inside");
        }
        close(r.fd);
    }
    printf("%ld damaged archives read\n", archives);
    CHECK(archives > 0);
    damage_end(&d);
}

/* No content of a damaged archive gets outside of the tree, as the folder around it shows. */
static void damaged_and_unpacked(void)
{
    const double limit = 2;
    struct tree t = {0};
    struct damage d;
    struct sysroot_names names;
    char inside[TREE_PATH];
    long refused = 0, taken = 0;
    damage_begin(&d);
    tree_begin(&t);
    for (double begin = seconds(); d.data && seconds() - begin < limit;) {
        struct err e = {0};
        damage_again(&d);
        tree_folder(&t, "/inside");
        int fd = file_of(d.data, d.length);
        if (tar_unpack("x.tar", fd, tree_path(&t, inside, "/inside"), &e)) {
            refused++;
            CHECK(e.code == ERR_USAGE || e.code == ERR_MACHINE);
        } else {
            taken++;
        }
        close(fd);
        tree_remove(&t, "/inside");
    }
    CHECK_INT(sysroot_list(&t.root, "/", &names), FACT_OK);
    CHECK_INT(names.count, 0);
    sysroot_names_free(&names);
    printf("%ld damaged archives refused, %ld unpacked\n", refused, taken);
    CHECK(refused > 0 && taken > 0);
    damage_end(&d);
    tree_end(&t);
}

int main(void)
{
    written_and_read();
    larger_than_the_window();
    cut_while_read();
    exchange("tar", "--format=gnu -cf theirs.tar -C theirs .", "/again");
    exchange("tar", "--format=posix -cf theirs.tar -C theirs .", "/again");
    exchange("tar", "--format=posix -cf theirs.tar theirs", "/again/theirs");
    exchange("bsdtar", "-cf theirs.tar -C theirs .", "/again");
    exchange("bsdtar", "--format=gnutar -cf theirs.tar theirs", "/again/theirs");
    refused_members();
    refused_records();
    refused_archives();
    damaged_and_read();
    damaged_and_unpacked();
    return check_result();
}
