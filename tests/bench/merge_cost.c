/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `cupel merge` costs for many hosts with 3,600 intervals of 1 s each: bytes of records per
 * second of processor time and of wall time, peak memory, and how time grows with the hosts. Beside
 * it stand a bare loop that decodes the same histograms and adds them into arrays, without files,
 * checksums and limits, and a bare read of the same files.
 *
 *   merge_cost CUPEL FOLDER     records are made in FOLDER and removed
 *
 * CUPEL_BENCH_HOSTS: at most so many hosts, 10,000 without it (2.5 MB each). Where FOLDER's disk
 * has no room for them there are fewer, and a line says so.
 */
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

#include "child.h"
#include "figure.h"
#include "simulated_hosts.h"

#define SECONDS          3600u
#define HOSTS_MAX        10000u
#define FREE_BYTES       (4e9) /* that stay free on the disk */
#define RSS_MEGABYTES    500.0
#define GIGABYTES_TARGET 1.0
#define READ_BYTES       (1 << 20)

/* ---- the bare loop ---- */

static uint64_t bare_sums[SECONDS][OPERATIONS][HISTOGRAM_BUCKETS];

static inline uint64_t bare_number(const unsigned char **at)
{
    uint64_t v = 0;
    unsigned shift = 0;
    unsigned char byte;
    do {
        byte = *(*at)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return v;
}

static uint64_t bare_batch(const unsigned char *at, uint64_t to[OPERATIONS][HISTOGRAM_BUCKETS])
{
    uint64_t used = 0;
    for (uint64_t numbers = bare_number(&at) * OPERATIONS * 4 + 1; numbers > 0; numbers--)
        bare_number(&at); /* slices; lost ones */
    for (int op = 0; op < OPERATIONS; op++) {
        size_t bucket = 0;
        bare_number(&at); /* min, max, over */
        bare_number(&at);
        bare_number(&at);
        for (uint64_t step; (step = bare_number(&at)) > 0; used++) {
            bucket += step;
            to[op][bucket - 1] += bare_number(&at);
        }
    }
    return used;
}

/* Buckets of a record. */
static uint64_t bare_record(const struct simulated_record *record)
{
    const unsigned char *at = record->bytes + SIMULATED_HEAD, *end = record->bytes + record->length;
    uint64_t used = 0;
    size_t second = 0;
    while (at < end) {
        if (!memcmp(at, "BTCH", 4))
            used += bare_batch(at + SIMULATED_CHUNK_HEAD, bare_sums[second++ % SECONDS]);
        at += SIMULATED_CHUNK_HEAD + load_le32(at + 4) + 4;
    }
    return used;
}

/* ---- the files ---- */

static unsigned wanted_hosts(const char *folder, double bytes_each)
{
    const char *asked = getenv("CUPEL_BENCH_HOSTS");
    unsigned long hosts = asked ? strtoul(asked, NULL, 10) : HOSTS_MAX;
    struct statvfs disk;
    struct sysinfo memory;
    if (hosts < 1 || hosts > HOSTS_MAX)
        hosts = HOSTS_MAX;
    double room = statvfs(folder, &disk) ? 0 : (double)disk.f_bavail * (double)disk.f_frsize;
    double cache = sysinfo(&memory) ? 0 : (double)memory.totalram * memory.mem_unit;
    double fit = floor((room - FREE_BYTES) / bytes_each);
    if (fit < (double)hosts) {
        printf("merge: the disk has %.1f GB free: %.0f hosts instead of %lu\n", room * 1e-9,
               fmax(fit, 0), hosts);
        hosts = fit > 0 ? (unsigned long)fit : 0;
    }
    printf("merge: %lu hosts have %.1f GB of records; memory for all of the page cache: %.1f GB\n",
           hosts, (double)hosts * bytes_each * 1e-9, cache * 1e-9);
    return (unsigned)hosts;
}

/* Wall time of reading every record once. */
static double bare_read(const char *folder, unsigned hosts)
{
    static char buffer[READ_BYTES];
    double begin = child_now();
    for (unsigned i = 0; i < hosts; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/h%05u/record.cupel", folder, i);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        while (fd >= 0 && read(fd, buffer, sizeof buffer) > 0)
            ;
        if (fd >= 0)
            close(fd);
    }
    return child_now() - begin;
}

/* ---- the figures ---- */

struct figures {
    const char *cupel, *folder;
    double bare_bucket_ns;
    double last_cpu, last_hosts;
};

static void print_figures(struct figures *f, unsigned hosts, double bytes, double buckets,
                          const struct child_cost *cost, double read_seconds)
{
    char title[64];
    snprintf(title, sizeof title, "merge %ux%u, per core", hosts, SECONDS);
    struct figure rate = {title, "GB/s", 2, "limit", FIGURE_AT_LEAST, 1};
    double per_core = bytes * 1e-9 / cost->cpu_seconds;
    figure_print(&rate, per_core, GIGABYTES_TARGET, per_core / GIGABYTES_TARGET, "");
    snprintf(title, sizeof title, "merge %ux%u, wall", hosts, SECONDS);
    struct figure wall = {title, "GB/s", 2, "a bare read", FIGURE_NO_TARGET, 0};
    figure_print(&wall, bytes * 1e-9 / cost->seconds, bytes * 1e-9 / read_seconds,
                 read_seconds / cost->seconds, "");
    snprintf(title, sizeof title, "merge %ux%u, a bucket", hosts, SECONDS);
    struct figure bucket = {title, "ns", 2, "a bare loop", FIGURE_NO_TARGET, 0};
    double bucket_ns = cost->cpu_seconds * 1e9 / buckets;
    figure_print(&bucket, bucket_ns, f->bare_bucket_ns, bucket_ns / f->bare_bucket_ns, "");
    snprintf(title, sizeof title, "merge %ux%u, RSS", hosts, SECONDS);
    figure_limit(title, "MB", 1, (double)cost->peak_rss_kib * 1024e-6, RSS_MEGABYTES);
    if (f->last_hosts > 0) {
        double exponent = log(cost->cpu_seconds / f->last_cpu) / log((double)hosts / f->last_hosts);
        snprintf(title, sizeof title, "merge, %.0f to %u hosts", f->last_hosts, hosts);
        struct figure growth = {title, "power", 2, "linear", FIGURE_AT_MOST, 1.1};
        figure_print(&growth, exponent, 1, exponent, "");
    }
    f->last_cpu = cost->cpu_seconds;
    f->last_hosts = hosts;
}

static int measure(struct figures *f, unsigned hosts, double bytes, double buckets)
{
    char text[16384], records[1100], output[1200];
    struct child_cost cost;
    snprintf(records, sizeof records, "%s", f->folder);
    snprintf(output, sizeof output, "%s.merged", f->folder);
    char *argv[] = {(char *)f->cupel, "merge", records, "-o", output, "--format", "csv", NULL};
    char *remove[] = {"rm", "-rf", output, NULL};
    double read_seconds = bare_read(f->folder, hosts);
    int status = child_run(argv, text, sizeof text, 0, &cost);
    if (!status)
        print_figures(f, hosts, bytes, buckets, &cost, read_seconds);
    return child_run(remove, text, sizeof text, 0, &cost) || status ? -1 : 0;
}

static int run(const char *cupel, const char *folder, struct simulated_hosts *s)
{
    struct figures f = {.cupel = cupel, .folder = folder};
    double each = 0, bytes = 0, buckets = 0, of_template[SIMULATED_TEMPLATES];
    for (unsigned i = 0; i < SIMULATED_TEMPLATES; i++) { /* also for the pages of the sums */
        each += (double)s->templates[i].length / SIMULATED_TEMPLATES;
        of_template[i] = (double)bare_record(&s->templates[i]);
        buckets += of_template[i];
    }
    const clock_t bare = clock();
    for (unsigned i = 0; i < SIMULATED_TEMPLATES; i++)
        bare_record(&s->templates[i]);
    f.bare_bucket_ns = (double)(clock() - bare) / CLOCKS_PER_SEC * 1e9 / buckets;
    double begin;
    unsigned most = wanted_hosts(folder, each), written = 0;
    int status = 0;
    double writing = 0;
    buckets = 0;
    for (unsigned hosts = most > 100 ? 100 : most; hosts && !status; hosts = hosts == most ? 0
                                                                             : hosts * 10 < most
                                                                                 ? hosts * 10
                                                                                 : most) {
        begin = child_now();
        for (; written < hosts && !status; written++) {
            size_t length = simulated_hosts_write(s, folder, written);
            bytes += (double)length;
            buckets += of_template[written % SIMULATED_TEMPLATES];
            status = length ? 0 : -1;
        }
        writing += child_now() - begin;
        if (status)
            perror(folder);
        else
            status = measure(&f, hosts, bytes, buckets);
    }
    if (bytes > 0)
        printf("merge: the records were written with %.2f GB/s\n", bytes * 1e-9 / writing);
    simulated_hosts_remove(folder, 0, written);
    return status;
}

int main(int argc, char **argv)
{
    struct simulated_hosts s;
    char folder[1024];
    if (argc != 3) {
        fprintf(stderr, "usage: merge_cost CUPEL FOLDER\n");
        return 1;
    }
    snprintf(folder, sizeof folder, "%s/hosts", argv[2]);
    if (mkdir(folder, 0777)) {
        perror(folder);
        return 1;
    }
    int status = simulated_hosts_init(&s, folder, SECONDS) || run(argv[1], folder, &s);
    simulated_hosts_free(&s);
    rmdir(folder);
    return status ? 1 : 0;
}
