/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel probe: shows what this machine is, what its links can do and what they do now, and the data
 * paths of targets.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/machine/permission.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/probe/internal.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "facts/inventory.h"
#include "facts/result.h"
#include "hw/capture/capture.h"
#include "hw/path/data_path.h"
#include "hw/pci/pci.h"
#include "hw/prober.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"
#include "report/inventory/inventory.h"
#include "report/path/path_view.h"

struct probe_paths {
    struct path_view *views;
    struct probe_path *paths;
    size_t count;
};

struct probe_path {
    struct data_path path;
    struct result_part parts[DATA_PATH_PARTS];
    struct result_edge edges[DATA_PATH_EDGES];
};

static int find_path(struct data_path *path, const struct sysroot *root, const char *captured,
                     struct inventory *v, const char *target, struct err *e)
{
    struct stat status;
    *path = (struct data_path){0};
    if (captured) {
        if (target[0] == '/' && strncmp(target, "/dev/", 5) != 0)
            data_path_find(path, root, v, 0, target);
    } else if (!stat(target, &status)) {
        bool device = S_ISBLK(status.st_mode);
        data_path_find(path, root, v, device ? status.st_rdev : status.st_dev,
                       device ? NULL : target);
    }
    if (path->part_count > 0)
        return 0;
    *path = (struct data_path){0};
    /* The target may be a name in the machine's inventory: "nvme0n1", "eth0", or /dev/nvme0n1. */
    const char *name = strncmp(target, "/dev/", 5) ? target : target + 5;
    if (data_path_of_name(path, root, v, name) && path->part_count > 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "%.200s: there is no such file, block device or network interface%s", target,
                   captured ? captured : "");
}

static void fill_view(struct path_view *view, struct probe_path *p, const struct inventory *v,
                      const char *target)
{
    for (size_t i = 0; i < p->path.part_count; i++) {
        const struct data_path_part *from = &p->path.parts[i];
        struct result_part *to = &p->parts[i];
        *to = (struct result_part){.kind = v->nodes[from->node].kind,
                                   .on_path = true,
                                   .under_test = from->is_target_device,
                                   .depth = from->depth,
                                   .limit_read = from->limit_read,
                                   .limit_write = from->limit_write,
                                   .used_read = NAN,
                                   .used_write = NAN,
                                   .utilisation = NAN,
                                   .peak = NAN};
        snprintf(to->name, sizeof to->name, "%s", v->nodes[from->node].name);
    }
    for (size_t i = 0; i < p->path.edge_count; i++)
        p->edges[i] =
            (struct result_edge){(unsigned)p->path.edges[i].from, (unsigned)p->path.edges[i].to};
    *view = (struct path_view){.target = target,
                               .inventory = v,
                               .parts = p->parts,
                               .part_count = p->path.part_count,
                               .edges = p->edges,
                               .edge_count = p->path.edge_count,
                               .limit_read = p->path.limit_read,
                               .limit_write = p->path.limit_write,
                               .limiting_read = p->path.limiting_read,
                               .limiting_write = p->path.limiting_write,
                               .complete = p->path.complete};
}

/*
 * Finds the path of each operand. Nodes of files and remote storage are added to the inventory. If
 * the root is another machine's, `captured` is a phrase about it for messages, and operands are
 * names or absolute paths on that machine; otherwise it is NULL. `remote` continues paths that
 * leave the machine; at least one must do so. Fails with ERR_USAGE if there is no such target, with
 * ERR_MACHINE when memory runs out. The caller frees *p with probe_paths_free, even if this fails.
 * A *p of zeros is empty.
 */
static int probe_paths_find(struct probe_paths *p, const struct sysroot *root, const char *captured,
                            const struct remote_end *remote, struct inventory *v,
                            const struct option_set *set, struct err *e)
{
    if (set->operand_count == 0)
        return 0;
    p->views = calloc(set->operand_count, sizeof *p->views);
    p->paths = calloc(set->operand_count, sizeof *p->paths);
    if (!p->views || !p->paths)
        return err_no_memory(e, "the data paths");
    for (; p->count < set->operand_count; p->count++) {
        const char *target = set->operands[p->count];
        struct probe_path *path = &p->paths[p->count];
        if (find_path(&path->path, root, captured, v, target, e) ||
            remote_end_join(remote, v, &path->path, e))
            return -1;
        fill_view(&p->views[p->count], path, v, target);
    }
    return v->failed ? err_no_memory(e, "the data paths") : 0;
}

static void probe_paths_free(struct probe_paths *p)
{
    free(p->views);
    free(p->paths);
    *p = (struct probe_paths){0};
}

/* ---- options ---- */

#define PROBE(member) OPTION_FIELD(struct probe_options, member)

/* clang-format off */
static const struct option_rule probe_rules[] = {
    ONE_OF("capture watch", "a capture is one look"),
    EXCLUDES("lspci", "capture remote", "the text has no more than PCI devices"),
    EXCLUDES("watch", "format=html", "a page is one look"),
    NEEDS("remote-target", "remote", "it names what holds the data there"),
    {0},
};
/* clang-format on */

const struct option_row probe_option_rows[] = {
    OUTPUT_PAGE_OPTION(struct probe_options),
    {.name = "all",
     .kind = OPTION_FLAG,
     PROBE(all),
     .help = "As text: every device and every fact, nothing put together."},
    {.name = "watch",
     .argument = "[TIME]",
     .kind = OPTION_TIME,
     PROBE(watch_seconds),
     .min = 0.1,
     .max = 86400,
     .alone = "2s",
     .value_words = "once; 2 s when given without a TIME",
     .help = "Look again and again, this long apart, until a signal ends it: on a terminal in "
             "place, elsewhere one after the other with an empty line between. After 120 looks, "
             "sensors "
             "that shift slowly are named."},

    {.section = "What to look at",
     .name = "sysroot",
     .argument = "DIR|FILE",
     .kind = OPTION_TEXT,
     PROBE(sysroot),
     .value_words = "this machine",
     .help =
         "Read /sys and /proc below DIR, or from a capture FILE of another machine; also what "
         "smartctl -j and nvme smart-log, id-ctrl and list -o json printed there: DIR/*.json, or "
         "beside FILE, with names that begin with its own."},
    {.name = "lspci",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(pci_dump),
     .value_words = "the machine's own",
     .help = "Take the PCI devices from FILE, the output of lspci -xxxx, or, with links alone, of "
             "lspci -vv. Without --sysroot nothing else is known of that machine."},
    {.name = "pci-ids",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(pci_ids),
     .value_words = "the machine's pci.ids, where it has one",
     .help = "Where the names of PCI devices are, a pci.ids; none for numbers only."},
    {.name = "no-commands",
     .kind = OPTION_FLAG,
     PROBE(no_commands),
     .help = "Send nothing to devices: the health that drives report when asked is left "
             "out."},
    {.name = "serials",
     .kind = OPTION_FLAG,
     PROBE(serials),
     .help =
         "Show serial numbers, MAC addresses and the kernel's whole command line, and keep them "
         "in a capture."},

    {.section = "Captures",
     .name = "remote",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(remote),
     .value_words = "none",
     .help = "Continue the data path of each TARGET, which lies on NFS, SMB, iSCSI or NVMe over "
             "Fabrics, with the parts of its server, out of a capture FILE of it."},
    {.name = "remote-target",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     PROBE(remote_target),
     .value_words = "the mount's",
     .help = "With --remote: the device, or the path, that holds the data on the server."},
    {.name = "capture",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(capture),
     .value_words = "nothing is kept",
     .help =
         "Also keep what was read of /sys and /proc in FILE, a tar archive that must not exist; "
         "--sysroot reads it on any machine. Without --serials it holds no serial numbers, and "
         "UUIDs, WWNs, MAC addresses (in names of interfaces too), the host's name and who built "
         "the kernel are replaced, on the kernel's command line also addresses, users and "
         "passwords. IP addresses elsewhere, mount points and the other names of interfaces stay: "
         "data paths are found by them."},
    OPTION_RULES(probe_rules),
    {0},
};

static int check_file(const char *option, const char *path, struct err *e)
{
    if (!path[0] || !access(path, R_OK))
        return 0;
    return err_set(e, ERR_USAGE, "--%s %.200s: %s", option, path, strerror(errno));
}

int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e)
{
    *o = (struct probe_options){0};
    if (options_store_defaults(probe_option_rows, o, e) || options_store(set, o, e))
        return -1;
    if (o->remote[0] && !set->operand_count)
        return err_set(e, ERR_USAGE, "--remote continues the data path of a TARGET: name one");
    bool names = o->pci_ids[0] && strcmp(o->pci_ids, "none") != 0;
    if (check_file("lspci", o->pci_dump, e))
        return -1;
    if (o->pci_dump[0] && pci_dump_check(o->pci_dump, e))
        return err_context(e, "--lspci");
    if (names && check_file("pci-ids", o->pci_ids, e))
        return -1;
    return names && pci_names_check(o->pci_ids, e) ? err_context(e, "--pci-ids") : 0;
}

/* ---- the command ---- */

/* What the inventory is read from. It is the same for each reading of probe --watch. */
struct looking {
    const struct probe_options *options;
    const struct option_set *set;
    const struct sysroot *root;
    bool captured;   /* the root is a capture of another machine */
    bool dump_alone; /* the only source is the text of --lspci */
    struct remote_end remote;
    struct sensor_history *history; /* readings during --watch; NULL: the state is read once */
};

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static int print_inventory(const struct looking *l, const struct inventory *v,
                           const struct probe_paths *paths, bool clear, struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    char remedy[PERMISSION_BYTES];
    const struct inventory_view view = {.inventory = v,
                                        .paths = paths->views,
                                        .path_count = paths->count,
                                        .all = l->options->all,
                                        .captured = l->captured,
                                        .dump = l->dump_alone ? l->options->pci_dump : NULL,
                                        .remedy = permission_remedy(NULL, remedy)};
    report_print(&inventory_report, &view, l->options->format, &style, &out);
    if (l->history) {
        bool text = !strcmp(l->options->format, "text");
        sensor_history_add(l->history, v);
        if (text)
            sensor_history_lines(l->history, &out);
        else
            sensor_history_notices(l->history);
    }
    return clear ? output_screen(&out, e) : output_text(&out, e);
}

/* Fails if a link could not be judged because the text of --lspci lacks data, so that the exit
   status is not 0. */
static int check_judged(const struct inventory *v, const char *file, struct err *e)
{
    for (int node = 0; node < v->node_count; node++) {
        const struct inventory_fact *degraded = inventory_fact(v, node, "degraded");
        if (degraded && !strcmp(degraded->value, "unknown") &&
            !strcmp(degraded->source, PCI_TEXT_SOURCE))
            return err_set(e, ERR_USAGE,
                           "%.200s: there is no configuration space in it, and the port above %s "
                           "is not, so that its link cannot be judged; as root, lspci -xxxx prints "
                           "all that is needed",
                           file, v->nodes[node].name);
    }
    return 0;
}

/* Reads the machine's state once and prints the report. */
static int look(const struct looking *l, bool clear, struct err *e)
{
    struct inventory v = {0};
    struct probe_paths paths = {0};
    struct probe probe = {.root = l->root,
                          .inventory = &v,
                          .pci_ids = text_or_null(l->options->pci_ids),
                          .pci_dump = text_or_null(l->options->pci_dump),
                          .dump_alone = l->dump_alone,
                          .commands = !l->options->no_commands && !l->captured,
                          .serials = l->options->serials};
    struct progress progress;
    struct text passed_over = {0};
    progress_begin(&progress, "looking at the machine");
    int status = probe_all(&probe, e);
    if (!status && l->captured && !l->dump_alone)
        capture_read_health(&v, l->options->sysroot, &passed_over);
    if (!status)
        status = probe_paths_find(&paths, l->root,
                                  l->dump_alone ? " in the text of --lspci"
                                  : l->captured ? " on the machine of --sysroot"
                                                : NULL,
                                  &l->remote, &v, l->set, e);
    progress_end(&progress);
    for (const char *p = passed_over.data; p && *p; p += strcspn(p, "\n") + 1)
        fprintf(stderr, "cupel: %.*s\n", (int)strcspn(p, "\n"), p);
    text_free(&passed_over);
    if (!status)
        status = print_inventory(l, &v, &paths, clear, e);
    if (!status && l->dump_alone)
        status = check_judged(&v, l->options->pci_dump, e);
    probe_paths_free(&paths);
    inventory_free(&v);
    return status;
}

static int watch(const struct looking *l, struct err *e)
{
    const volatile sig_atomic_t *stop = signals_install();
    bool in_place = isatty(STDOUT_FILENO) && !strcmp(l->options->format, "text");
    for (bool first = true; !*stop; first = false) {
        if (!first && !in_place)
            putchar('\n');
        if (look(l, in_place, e))
            return -1;
        if (fflush(stdout) || ferror(stdout))
            break;
        /* Sleeps in short steps: a signal that arrives between the test of *stop and the sleep is
           noticed only after the sleep. */
        const long step_ns = 50000000;
        long steps = (long)(l->options->watch_seconds * 1e9) / step_ns;
        for (long i = 0; i < steps && !*stop; i++)
            nanosleep(&(struct timespec){.tv_nsec = step_ns}, NULL);
    }
    return ERR_NONE;
}

static int look_or_watch(const struct looking *l, struct err *e)
{
    if (l->options->capture[0]) {
        const struct capture_request request = {.file = l->options->capture,
                                                .pci_ids = text_or_null(l->options->pci_ids),
                                                .serials = l->options->serials,
                                                .stop = signals_install()};
        if (capture_write(l->root, &request, e))
            return -1;
    }
    if (!(l->options->watch_seconds > 0))
        return look(l, false, e);
    struct looking again = *l;
    int status = sensor_history_make(&again.history, l->options->watch_seconds, e);
    if (!status)
        status = watch(&again, e);
    sensor_history_free(again.history);
    return status;
}

/* Returns true if the folder is "/", even if it has another name. */
static bool is_this_machine(const char *folder)
{
    struct stat named, top;
    return !stat(folder, &named) && !stat("/", &top) && named.st_dev == top.st_dev &&
           named.st_ino == top.st_ino;
}

static int run_probe(const struct option_set *set, struct err *e)
{
    struct probe_options o;
    struct sysroot root;
    if (probe_options_read(set, &o, e))
        return -1;
    struct looking l = {.options = &o, .set = set, .root = &root};
    l.captured = o.sysroot[0] && !is_this_machine(o.sysroot);
    if (o.pci_dump[0] && !l.captured) {
        /* Nothing of this machine may be shown as a part of the machine that the text of --lspci
           describes, so the root has no files. */
        root = (struct sysroot){.prefix = "/dev/null"};
        l.captured = l.dump_alone = true;
        return look_or_watch(&l, e);
    }
    if (!l.captured && !o.remote[0])
        return sysroot_open(&root, NULL, e) ? -1 : look_or_watch(&l, e);

    /* A signal must not end the process before the unpacked capture is removed. */
    const volatile sig_atomic_t *stop = signals_install();
    struct capture capture;
    if (capture_open(&capture, l.captured ? o.sysroot : NULL, e))
        return -1;
    l.root = &capture.root;
    int status = remote_end_open(&l.remote, o.remote, o.remote_target, e);
    if (!status && *stop)
        status = err_set(e, ERR_UNDECIDED, "stopped by a signal");
    if (!status)
        status = look_or_watch(&l, e);
    remote_end_close(&l.remote);
    capture_close(&capture);
    return status;
}

const struct command command_probe = {
    .name = "probe",
    .operands = "[TARGET...]",
    .summary = "show what this machine is, its links and their limits",
    .description =
        (const char *const[]){
            "Shows the machine as a tree of devices with the links between them: what both ends "
            "can do, what they do, and how many bytes per second of payload that lets through. "
            "What is wrong comes first: links that trained lower than both ends can, health, heat, "
            "errors, arrays that miss members.",
            "TARGET is a file, a folder, a block device, or the name of a disk, array or network "
            "interface. Its data path is shown from the target down to the processor, with the "
            "limit of each part for reads and for writes. With --sysroot it is a name, or an "
            "absolute path on that machine.",
            "Needs no privilege for what the kernel shows to everybody; what is not permitted is "
            "named at the end. Nothing is written to the machine; NVMe, SATA and "
            "SAS drives are asked for their identity and health, unless --no-commands; one in "
            "standby is not woken.",
            NULL},
    .options = probe_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel probe", "This machine at a glance."},
            {"cupel probe /srv/data --format csv", "Everything as CSV, with the path to a folder."},
            {"cupel probe --capture server.tar", "Keep what was read, to look at it elsewhere:"},
            {"cupel probe --sysroot server.tar nvme0n1", "A disk of that server."},
            {"cupel probe /mnt/nfs --remote server.tar",
             "The way to a disk of that server, from here."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Done; with --watch, ended by a signal."},
            {"2", "Wrong options, a TARGET that is not there, a capture or the file of --lspci or "
                  "--pci-ids that cannot be read, or a file of --capture that exists or cannot be "
                  "made."},
            {"4", "Standard output or the capture could not be written whole."},
            {"5", "A signal came before the capture was whole, so that none was written, or "
                  "before the capture of --sysroot was read."},
            {"6", "Not enough memory."},
            {0}},
    .files = (const struct help_item[]){{"/sys, /proc", "Read for what the machine is; with "
                                                        "--sysroot another machine's."},
                                        {0}},
    .max_operands = OPERANDS_MAX,
    .beginnings =
        (const struct help_item[]){{"cupel probe", "what this machine is and what is wrong"}, {0}},
    .run = run_probe,
    .foresee = command_only_reads,
};
