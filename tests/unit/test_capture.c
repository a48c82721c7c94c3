/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures of trees of the test's own: the files in them, the files left out, and that probing a
   capture gives the same result. Longer than 500 lines because each case makes a machine of its
   own. */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "hw/capture/capture.h"
#include "hw/capture/capture_mask.h"
#include "hw/capture/internal.h"
#include "hw/prober.h"
#include "tree.h"

#define NIC_FOLDER "/sys/devices/pci0000:00/0000:00:03.0"
#define NIC        NIC_FOLDER "/net/enx001b213c9df8"
#define DISK       "/sys/devices/virtual/block/dm-0"

static const char uuid[] = "4c4c4544-0042-3510-8052-b4c04f4a3132";

/* A network card whose name contains its address, and a volume on a host called db7. */
static void make_machine(struct tree *t)
{
    unsigned char config[4096] = {0x86, 0x80, 0x3b, 0x10};
    tree_begin(t);
    tree_file(t, "/proc/sys/kernel/hostname", "db7.example.org\n");
    tree_filef(t, "/proc/cmdline",
               "root=UUID=%s quiet mitigations=off BOOTIF=01-00-1b-21-3c-9d-f8 hostname=db7\n",
               uuid);
    tree_filef(t, "/proc/self/mountinfo",
               "20 1 252:0 / / rw - ext4 /dev/mapper/db7--vg-root rw\n"
               "30 20 0:30 / /mnt/%s rw - nfs4 store9.example.org:/x rw,addr=10.0.0.5\n",
               uuid);
    tree_file(t, "/proc/meminfo", "MemTotal:       16384000 kB\n");
    tree_file(t, "/proc/stat", "cpu  1 2 3 4\n");
    tree_file(t, "/proc/1/environ", "SECRET=1\n");
    tree_file(t, "/etc/passwd", "root:x\n");
    tree_file(t, "/sys/class/dmi/id/product_name", "PowerEdge R7625\n");
    tree_file(t, "/sys/class/dmi/id/product_serial", "J3SN7X3\n");
    tree_file(t, "/sys/class/dmi/id/product_uuid", uuid);
    tree_deny(t, "/sys/class/dmi/id/board_name");

    memcpy(config + 0x100, "\x01\x00\x01\x14", 4); /* AER, followed by a capability at 0x140 */
    memcpy(config + 0x140, "\x03\x00\x01\x00serialno", 12);
    tree_bytes(t, NIC_FOLDER "/config", config, sizeof config);
    tree_file(t, NIC_FOLDER "/vendor", "0x8086\n");
    tree_file(t, NIC_FOLDER "/device", "0x103b\n");
    tree_file(t, NIC_FOLDER "/class", "0x020000\n");
    tree_file(t, NIC_FOLDER "/resource",
              "0x00000000f7e00000 0x00000000f7e1ffff 0x0000000000040200\n");
    tree_file(t, NIC_FOLDER "/vpd", "\x82\x01serial");
    tree_link(t, NIC_FOLDER "/driver", "../../../bus/pci/drivers/e1000e");
    tree_folder(t, "/sys/bus/pci/drivers/e1000e");
    tree_link(t, "/sys/bus/pci/devices/0000:00:03.0", "../../../devices/pci0000:00/0000:00:03.0");
    tree_file(t, NIC "/address", "00:1b:21:3c:9d:f8\n");
    tree_file(t, NIC "/speed", "1000\n");
    tree_file(t, NIC "/mtu", "1500\n");
    tree_file(t, NIC "/operstate", "up\n");
    tree_link(t, NIC "/device", "../../../0000:00:03.0");
    tree_link(t, "/sys/class/net/enx001b213c9df8",
              "../../devices/pci0000:00/0000:00:03.0/net/enx001b213c9df8");

    tree_file(t, DISK "/dev", "252:0\n");
    tree_file(t, DISK "/size", "2097152\n");
    tree_file(t, DISK "/dm/name", "db7--vg-root\n");
    tree_file(t, DISK "/dm/uuid",
              "LVM-f00dbabef00dbabef00dbabef00dbabe0123456789abcdef0123456789abcdef\n");
    tree_file(t, DISK "/queue/scheduler", "[none] mq-deadline\n");
    tree_file(t, DISK "/queue/rotational", "0\n");
    tree_file(t, DISK "/stat", "1 2 3\n");
    tree_link(t, "/sys/class/block/dm-0", "../../devices/virtual/block/dm-0");
    tree_link(t, "/sys/block/dm-0", "../devices/virtual/block/dm-0");
    tree_link(t, "/sys/dev/block/252:0", "../../devices/virtual/block/dm-0");
    tree_link(t, "/sys/class/block/passwd", "/etc/passwd");
}

static void capture_path(const struct tree *t, char *to)
{
    tree_path(t, to, "/machine.tar");
}

static bool capture_of(const struct tree *t, bool serials, struct capture *c)
{
    char file[TREE_PATH];
    struct err e = {0};
    const struct capture_request request = {.file = file, .pci_ids = "none", .serials = serials};
    capture_path(t, file);
    unlink(file);
    if (capture_write(&t->root, &request, &e) || capture_open(c, file, &e)) {
        CHECK_STR(e.msg, "");
        return false;
    }
    return true;
}

static void line_is(const struct sysroot *root, const char *path, const char *expected)
{
    char line[512];
    enum fact_status status = sysroot_line(root, path, line, sizeof line);
    if (!expected) {
        CHECK_INT(status, FACT_ABSENT);
        CHECK_STR(line, "");
        return;
    }
    if (strcmp(line, expected) != 0)
        fprintf(stderr, "%s (status %d):\n", path, (int)status);
    CHECK_STR(line, expected);
}

/* ---- contents ---- */

static void what_is_kept(void)
{
    struct tree t = {0};
    struct capture c;
    char file[TREE_PATH], folder[128], target[256];
    struct stat s;
    make_machine(&t);
    if (!capture_of(&t, true, &c)) {
        tree_end(&t);
        return;
    }
    line_is(&c.root, "/sys/class/net/enx001b213c9df8/address", "00:1b:21:3c:9d:f8");
    line_is(&c.root, "/sys/class/net/enx001b213c9df8/device/vendor", "0x8086");
    line_is(&c.root, "/sys/bus/pci/devices/0000:00:03.0/class", "0x020000");
    line_is(&c.root, "/sys/dev/block/252:0/stat", "1 2 3");
    line_is(&c.root, "/proc/stat", "cpu  1 2 3 4");
    line_is(&c.root, "/sys/class/dmi/id/product_serial", "J3SN7X3");
    line_is(&c.root, "/proc/1/environ", NULL);
    line_is(&c.root, "/etc/passwd", NULL);
    line_is(&c.root, "/sys/class/block/passwd", NULL);
    CHECK_INT(sysroot_line(&c.root, "/sys/class/dmi/id/board_name", target, sizeof target),
              FACT_DENIED);
    CHECK_INT(
        sysroot_link(&c.root, "/sys/bus/pci/devices/0000:00:03.0/driver", target, sizeof target),
        FACT_OK);
    CHECK_STR(target, "e1000e");
    CHECK(sysroot_exists(&c.root, "/sys/bus/pci/devices/0000:00:03.0/driver"));
    capture_path(&t, file);
    CHECK(!stat(file, &s) && (s.st_mode & 0777) == 0600);
    CHECK(!stat(c.folder, &s) && S_ISDIR(s.st_mode) && (s.st_mode & 0777) == 0700);
    strcpy(folder, c.folder);
    capture_close(&c);
    CHECK(stat(folder, &s) && errno == ENOENT);
    capture_close(&c);
    tree_end(&t);
}

static bool contains(const char *data, size_t length, const char *text)
{
    return memmem(data, length, text, strlen(text)) != NULL;
}

static void what_is_private(void)
{
    static const char *const secrets[] = {"J3SN7X3",  "4c4c4544", "00:1b:21", "001b213c9df8",
                                          "00-1b-21", "f00dbabe", "db7",      "store9",
                                          "serialno", "SECRET"};
    struct tree t = {0};
    struct capture c;
    struct err e = {0};
    char file[TREE_PATH], *data;
    unsigned char config[4096];
    size_t length;
    make_machine(&t);
    if (!capture_of(&t, false, &c)) {
        tree_end(&t);
        return;
    }
    capture_path(&t, file);
    CHECK_INT(file_read_all(file, 1 << 24, &data, &length, &e), 0);
    for (size_t i = 0; data && i < sizeof secrets / sizeof *secrets; i++)
        if (contains(data, length, secrets[i]))
            CHECK_STR(secrets[i], "not in the capture");
    free(data);
    struct sysroot_names names;
    CHECK_INT(sysroot_list(&c.root, "/sys/class/net", &names), FACT_OK);
    CHECK_INT(names.count, 1);
    if (names.count == 1) {
        char path[128];
        CHECK(!strncmp(names.names[0], "enx0000000000", 13));
        snprintf(path, sizeof path, "/sys/class/net/%s/device/vendor", names.names[0]);
        line_is(&c.root, path, "0x8086");
    }
    sysroot_names_free(&names);
    line_is(&c.root, "/sys/class/dmi/id/product_serial", NULL);
    line_is(&c.root, "/sys/class/dmi/id/product_name", "PowerEdge R7625");
    line_is(&c.root, "/sys/bus/pci/devices/0000:00:03.0/resource",
            "0x00000000f7e00000 0x00000000f7e1ffff 0x0000000000040200");
    line_is(&c.root, "/sys/bus/pci/devices/0000:00:03.0/vpd", NULL);
    CHECK_INT(sysroot_bytes(&c.root, "/sys/bus/pci/devices/0000:00:03.0/config", config,
                            sizeof config, &length),
              FACT_OK);
    CHECK_INT(length, 4096);
    CHECK(!memcmp(config + 0x140, "\x03\x00\x01\x00\0\0\0\0\0\0\0\0", 12));
    capture_close(&c);
    tree_end(&t);
}

static void change_is(const char *path, const char *before, const char *after)
{
    struct capture_mask m = {.host = "db7"};
    struct text to = {0};
    bool kept = capture_private_contents(&m, path, span_of(before), &to);
    CHECK_INT(kept, after != NULL);
    if (after)
        CHECK_STR(to.data ? to.data : "", after);
    else
        CHECK_INT(to.length, 0);
    text_free(&to);
    capture_mask_free(&m);
}

/* Memory modules are kept from the firmware's table, without their serial numbers and asset tags;
   the board and its serial number are left out. */
static void memory_modules(void)
{
    enum { FIELDS = 0x1b };
    static const char board[] = "\x02\x08\x01\0\x01\x02\x03\x04Maker\0BOARD-SERIAL\0";
    static const char names[] = "DIMM_A1\0SN-12345\0TAG-9\0PART-7\0",
                      masked[] = "DIMM_A1\0XXXXXXXX\0XXXXX\0PART-7\0";
    char table[256] = {0};
    memcpy(table, board, sizeof board);
    char *module = table + sizeof board;
    module[0] = 17;
    module[1] = FIELDS;
    module[0x10] = 1;
    module[0x18] = 2;
    module[0x19] = 3;
    module[0x1a] = 4;
    memcpy(module + FIELDS, names, sizeof names);
    struct capture_mask m = {.host = "db7"};
    struct text to = {0};
    const size_t length = FIELDS + sizeof names;
    CHECK(capture_private_contents(&m, "/sys/firmware/dmi/tables/DMI",
                                   (struct span){table, sizeof board + length}, &to));
    CHECK_INT(to.length, length);
    CHECK(to.length == length && !memcmp(to.data + FIELDS, masked, sizeof masked));
    text_free(&to);
    capture_mask_free(&m);
}

static void changes(void)
{
    change_is("/sys/block/sda/device/vpd_pg80", "x", NULL);
    change_is("/sys/bus/usb/devices/1-1/serial", "x", NULL);
    change_is("/sys/firmware/dmi/tables/DMI", "x", "");
    change_is("/sys/firmware/acpi/tables/MSDM", "x", NULL);
    change_is("/sys/class/nvme/nvme0/dhchap_secret", "x", NULL);
    change_is("/sys/x/wwid", "eui.0025385b21412e1f\n", "000.0000000000000001\n");
    change_is("/sys/x/sas_address", "0x5000c500a1b2c3d4\n", "0x0000000000000001\n");
    change_is("/sys/x/subsysnqn", "nqn.2014.08.org.nvmexpress:S4YPNE0R3\n",
              "nqn.2014.08.org.nvmexpress:000000001\n");
    change_is("/sys/block/dm-1/dm/uuid", "CRYPT-LUKS2-0123456789abcdef0123456789abcdef-disk\n",
              "CRYPT-LUKS2-00000000000000000000000000000001-disk\n");
    change_is("/sys/block/dm-1/dm/uuid", "part1-mpath-35000c500\n", "part1-mpath-000000001\n");
    change_is("/sys/block/dm-1/dm/uuid", "LVM-aaaabbbbccccddddeeee-pool\n",
              "LVM-00000000000000000001-pool\n");
    change_is("/sys/block/dm-1/dm/name", "db7--vg-root\n", "001--vg-root\n");
    change_is("/sys/block/dm-1/dm/name", "35000c500a1b2c3d4\n", "00000000000000001\n");
    change_is("/sys/x/address", "00:00:00:00:00:00\n", "00:00:00:00:00:00\n");
    change_is("/sys/x/address", "ff:ff:ff:ff:ff:ff\n", "ff:ff:ff:ff:ff:ff\n");
    change_is("/sys/x/any", "a 1A:2b:3c:4d:5e:6f, 1a:2b:3c:4d:5e:6f: 2a:2b:3c:4d:5e:6f\n",
              "a 00:00:00:00:00:01, 00:00:00:00:00:01: 00:00:00:00:00:02\n");
    change_is("/sys/x/any", "wlx0a2b3c4d5e6f enx001b213c9df8.7 00:1b:21:3c:9d:f8\n",
              "wlx000000000001 enx000000000002.7 00:00:00:00:00:02\n");
    change_is("/sys/x/any", "0000:41:00.0 12:34:56\n", "0000:41:00.0 12:34:56\n");
    change_is("/proc/net/ipv6_route", "fe80000000000000021b21fffe3c9df8 80 eth0\n",
              "fe800000000000000000000000000001 80 eth0\n");
    change_is("/proc/net/ipv6_route", "20010db8000000000000000000000001 80 eth0\n",
              "20010db8000000000000000000000001 80 eth0\n");
    change_is("/proc/cpuinfo", "model\t: x\nSerial\t\t: 10000000abc\nBogoMIPS : 1\n",
              "model\t: x\nBogoMIPS : 1\n");
    change_is("/sys/x/uevent", "MAJOR=8\nPARTUUID=abc\nHID_UNIQ=1\n", "MAJOR=8\n");
    change_is("/proc/cmdline",
              "root=PARTUUID=1234abcd-02 rd.luks.uuid=luks-77 ip=10.0.0.9::10.0.0.1 isolcpus=2-3 "
              "rd.lvm.lv=db7-vg/root nvme_core.default_ps_max_latency_us=0",
              "root=PARTUUID=hidden rd.luks.uuid=hidden ip=hidden isolcpus=2-3 "
              "rd.lvm.lv=hidden-vg/root nvme_core.default_ps_max_latency_us=0");
    change_is("/proc/version",
              "Linux version 6.1.0 (root@db7) (gcc (Debian 12) 12.2, GNU ld) #1 SMP\n",
              "Linux version 6.1.0 (hidden) (gcc (Debian 12) 12.2, GNU ld) #1 SMP\n");
    change_is("/proc/version", "Linux version 6.1.0 (gcc 12) #1\n",
              "Linux version 6.1.0 (gcc 12) #1\n");
    change_is("/proc/version", "(a@b", "(a@b");
    change_is("/proc/self/mountinfo",
              "1 0 0:3 / /m rw - cifs //filer/share rw,username=joe,addr=10.0.0.5\n",
              "1 0 0:3 / /m rw - cifs //00001/share rw,username=002,addr=10.0.0.5\n");
    change_is("/proc/self/mountinfo", "1 0 0:3 / / rw shared:1 - tmpfs tmpfs rw\n",
              "1 0 0:3 / / rw shared:1 - tmpfs tmpfs rw\n");
    change_is("/sys/x/unknown", "\x01\x02", CAPTURE_UNREADABLE);
    change_is("/sys/x/empty", "", "");
}

/* Words 10 to 19 and 108 to 111 of IDENTIFY DEVICE are removed, the others stay. */
static void identify(void)
{
    char text[256 * 5 + 1], expected[256 * 5 + 1];
    for (int i = 0; i < 256; i++) {
        bool private = (i >= 10 && i < 20) || (i >= 108 && i < 112) || (i >= 176 && i < 206);
        snprintf(text + 5 * i, 6, "%04x%c", 0x1111, i % 8 == 7 ? '\n' : ' ');
        snprintf(expected + 5 * i, 6, "%04x%c", private ? 0 : 0x1111, i % 8 == 7 ? '\n' : ' ');
    }
    change_is("/sys/class/ata_device/dev1.0/id", text, expected);
}

/* ---- the same machine ---- */

static void add_facts(struct text *to, const struct inventory *v)
{
    for (int i = 0; i < v->node_count; i++) {
        const struct inventory_node *n = &v->nodes[i];
        text_addf(to, "%s %d %d %s\n", n->name, (int)n->kind, n->parent, n->path);
        for (int f = n->first_fact; f != INVENTORY_NONE; f = v->facts[f].next)
            text_addf(to, "  %s=%s %s %d %s\n", v->facts[f].key, v->facts[f].value,
                      v->facts[f].unit, (int)v->facts[f].status, v->facts[f].source);
    }
}

static void probe(const struct sysroot *root, struct text *to)
{
    struct inventory v = {0};
    struct err e = {0};
    struct probe p = {.root = root, .inventory = &v, .pci_ids = "none", .serials = true};
    CHECK_INT(probe_all(&p, &e), 0);
    add_facts(to, &v);
    inventory_free(&v);
}

static void probes_alike(void)
{
    struct tree t = {0};
    struct capture c;
    struct text original = {0}, captured = {0};
    make_machine(&t);
    if (capture_of(&t, true, &c)) {
        tree_remove(&t, "/sys/class/block/passwd"); /* leads out of the tree: not captured */
        probe(&t.root, &original);
        probe(&c.root, &captured);
        CHECK(original.length > 500);
        CHECK_STR(captured.data, original.data);
        capture_close(&c);
    }
    text_free(&original);
    text_free(&captured);
    tree_end(&t);
}

/* A capture of a capture equals the first one. */
static void captured_again(void)
{
    struct tree t = {0};
    struct capture first, second;
    struct text a = {0}, b = {0};
    char file[TREE_PATH];
    struct err e = {0};
    make_machine(&t);
    if (capture_of(&t, false, &first)) {
        const struct capture_request request = {tree_path(&t, file, "/again.tar"), "none", true,
                                                NULL};
        CHECK_INT(capture_write(&first.root, &request, &e), 0);
        if (!capture_open(&second, file, &e)) {
            probe(&first.root, &a);
            probe(&second.root, &b);
            CHECK_STR(b.data, a.data);
            capture_close(&second);
        }
        capture_close(&first);
    }
    text_free(&a);
    text_free(&b);
    tree_end(&t);
}

/* ---- files that are no capture ---- */

static void write_refused(const struct tree *t, const char *file, enum err_code code,
                          const char *text)
{
    struct err e = {0};
    const struct capture_request request = {.file = file, .pci_ids = "none"};
    CHECK_INT(capture_write(&t->root, &request, &e), -1);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
}

static void open_refused(const char *file, const char *text)
{
    struct capture c;
    struct err e = {0};
    CHECK_INT(capture_open(&c, file, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
    CHECK_STR(c.folder, "");
    capture_close(&c);
}

/* A valid tar without a machine. */
static void nothing_in_it(const struct tree *t)
{
    char path[TREE_PATH];
    struct tar_writer w = {0};
    tar_add_file(&w, "home/me/notes", 0644, "x\n", 2);
    tar_end(&w);
    tree_bytes(t, "/notes.tar", w.bytes.data, w.bytes.length);
    text_free(&w.bytes);
    open_refused(tree_path(t, path, "/notes.tar"), "holds neither sys nor proc");
}

/* Refused because of its size, before memory is allocated. */
static void too_large(const struct tree *t)
{
    char path[TREE_PATH];
    struct rusage before, after;
    tree_file(t, "/large.tar", "");
    CHECK_INT(truncate(tree_path(t, path, "/large.tar"), (off_t)600 << 20), 0);
    getrusage(RUSAGE_SELF, &before);
    open_refused(path, "larger than 512 MiB");
    CHECK_INT(truncate(path, (off_t)500 << 20), 0); /* zeros: an end mark */
    open_refused(path, "holds neither sys nor proc");
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 4096);
}

static void refusals(void)
{
    struct tree t = {0};
    char path[TREE_PATH], text[32], name[300] = "";
    struct sysroot_names names;
    make_machine(&t);
    tree_file(&t, "/there.tar", "mine\n");
    write_refused(&t, tree_path(&t, path, "/there.tar"), ERR_USAGE, "exists already");
    CHECK_INT(sysroot_line(&t.root, "/there.tar", text, sizeof text), FACT_OK);
    CHECK_STR(text, "mine");
    tree_link(&t, "/link.tar", "nowhere");
    write_refused(&t, tree_path(&t, path, "/link.tar"), ERR_USAGE, "exists already");
    write_refused(&t, tree_path(&t, path, "/no/folder.tar"), ERR_USAGE, "cannot make");
    memset(name, 'n', sizeof name - 1);
    name[0] = '/';
    write_refused(&t, tree_path(&t, path, name), ERR_USAGE, "cannot make");

    open_refused(tree_path(&t, path, "/missing.tar"), "cannot read");
    open_refused(tree_path(&t, path, "/there.tar"), "no usable capture");
    tree_bytes(&t, "/small.tar", "", 0);
    open_refused(tree_path(&t, path, "/small.tar"), "no usable capture");
    tree_bytes(&t, "/pressed.tar.gz", "\x1f\x8b\x08\0", 4);
    open_refused(tree_path(&t, path, "/pressed.tar.gz"), "decompress it first");
    CHECK_INT(mkfifo(tree_path(&t, path, "/pipe"), 0600), 0);
    open_refused(path, "neither a folder nor a capture");
    tree_folder(&t, "/empty");
    open_refused(tree_path(&t, path, "/empty"), "holds neither sys nor proc");
    tree_file(&t, "/odd/sys", "a file\n");
    tree_link(&t, "/odd/proc", "sys");
    open_refused(tree_path(&t, path, "/odd"), "holds neither sys nor proc");
    nothing_in_it(&t);
    too_large(&t);

    /* No temporary file is left in TMPDIR, which is inside the tree now. */
    tree_folder(&t, "/tmp");
    CHECK_INT(setenv("TMPDIR", tree_path(&t, path, "/tmp"), 1), 0);
    open_refused(tree_path(&t, path, "/there.tar"), "no usable capture");
    CHECK_INT(sysroot_list(&t.root, "/tmp", &names), FACT_OK);
    CHECK_INT(names.count, 0);
    sysroot_names_free(&names);
    unsetenv("TMPDIR");
    tree_end(&t);
}

static size_t names_in(const struct tree *t, const char *folder)
{
    struct sysroot_names names;
    CHECK_INT(sysroot_list(&t->root, folder, &names), FACT_OK);
    size_t count = names.count;
    sysroot_names_free(&names);
    return count;
}

/* After a signal there is no capture and no part of one; files that a killed run left do not
   disturb it. */
static void stopped(void)
{
    struct tree t = {0};
    char file[TREE_PATH];
    struct err e = {0};
    volatile sig_atomic_t stop = SIGTERM;
    struct capture_request request = {.file = file, .pci_ids = "none", .stop = &stop};
    make_machine(&t);
    tree_file(&t, "/kept/machine.tar.part", "theirs\n");
    tree_path(&t, file, "/kept/machine.tar");
    CHECK_INT(capture_write(&t.root, &request, &e), -1);
    CHECK_INT(e.code, ERR_UNDECIDED);
    CHECK(strstr(e.msg, "stopped by a signal") != NULL);
    CHECK_INT(names_in(&t, "/kept"), 1);
    stop = 0;
    CHECK_INT(capture_write(&t.root, &request, &e), 0);
    CHECK_INT(names_in(&t, "/kept"), 2);
    tree_end(&t);
}

/* The names of the machine's devices are captured, and no others. */
static void names_of_devices(void)
{
    static const char list[] = "# all\n8086  Intel Corporation\n\t103a  Another\n"
                               "\t103b  The one\n\t\t8086 0001  A card\n8087  Nobody\n"
                               "C 02  Network controller\n\t00  Ethernet\n";
    struct tree t = {0};
    struct capture c;
    struct err e = {0};
    char file[TREE_PATH], ids[TREE_PATH], text[256];
    make_machine(&t);
    tree_file(&t, "/list", list);
    const struct capture_request request = {.file = tree_path(&t, file, "/machine.tar"),
                                            .pci_ids = tree_path(&t, ids, "/list")};
    CHECK_INT(capture_write(&t.root, &request, &e), 0);
    if (!capture_open(&c, file, &e)) {
        CHECK_INT(sysroot_all(&c.root, "/usr/share/misc/pci.ids", text, sizeof text), FACT_OK);
        CHECK_STR(text, "8086  Intel Corporation\n\t103b  The one\n");
        capture_close(&c);
    } else {
        CHECK_STR(e.msg, "");
    }
    tree_end(&t);
}

/* A limit on file size simulates a full disk: no part of a file is left. */
static void no_room(void)
{
    struct tree t = {0};
    char file[TREE_PATH];
    struct rlimit before, small;
    make_machine(&t);
    tree_folder(&t, "/kept");
    tree_path(&t, file, "/kept/machine.tar");
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    write_refused(&t, file, ERR_TARGET, "cannot write");
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(names_in(&t, "/kept"), 0);
    tree_end(&t);
}

static void folders(void)
{
    struct capture c;
    struct err e = {0};
    CHECK_INT(capture_open(&c, NULL, &e), 0);
    CHECK_STR(c.root.prefix, "");
    capture_close(&c);
    CHECK_INT(capture_open(&c, "/", &e), 0);
    CHECK_STR(c.root.prefix, "");
    capture_close(&c);
    struct tree t = {0};
    tree_begin(&t);
    tree_folder(&t, "/proc");
    CHECK_INT(capture_open(&c, t.folder, &e), 0);
    CHECK_STR(c.root.prefix, t.folder);
    CHECK_STR(c.folder, "");
    capture_close(&c);
    CHECK(!access(t.folder, F_OK));
    tree_end(&t);
}

int main(void)
{
    what_is_kept();
    what_is_private();
    changes();
    memory_modules();
    identify();
    probes_alike();
    captured_again();
    refusals();
    stopped();
    names_of_devices();
    no_room();
    folders();
    return check_result();
}
