/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the files that the monitor of a data path watches, and reads all of them. */
#include "hw/monitor/monitor.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "hw/monitor/internal.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/attribute.h"

#define EVERY_SECONDS 1
#define WAIT_SECONDS  1 /* time to wait for the thread of temperatures */

/* A second thread, which reads only temperatures, because reading them may block. */
struct monitor_slow {
    pthread_t thread;
    bool started;
    atomic_bool stop;
    sem_t wake, done; /* `wake` wakes the thread; the thread posts `done` after every round */
    size_t count;
    int files[MONITOR_SLOW_FILES];
    _Atomic float values[MONITOR_SLOW_FILES];
};

static float read_degrees(int fd)
{
    char text[32], *end;
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    double value = strtod(text, &end);
    return end != text && isfinite(value) ? (float)(value * 1e-3) : NAN;
}

static struct timespec seconds_from_now(time_t seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += seconds;
    return t;
}

static void *read_temperatures(void *argument)
{
    struct monitor_slow *slow = argument;
    while (!atomic_load(&slow->stop)) {
        for (size_t i = 0; i < slow->count && !atomic_load(&slow->stop); i++)
            atomic_store(&slow->values[i], read_degrees(slow->files[i]));
        sem_post(&slow->done);
        struct timespec next = seconds_from_now(EVERY_SECONDS);
        sem_timedwait(&slow->wake, &next);
    }
    return NULL;
}

/* Returns NULL when there is no memory. */
static struct monitor_slow *monitor_slow_new(void)
{
    struct monitor_slow *slow = calloc(1, sizeof *slow);
    if (!slow)
        return NULL;
    sem_init(&slow->wake, 0, 0);
    sem_init(&slow->done, 0, 0);
    return slow;
}

/* Adds a file with thousandths of a degree, and takes over `fd`. Returns its number, or -1. */
static int monitor_slow_add(struct monitor_slow *slow, int fd)
{
    if (!slow || slow->count == MONITOR_SLOW_FILES) {
        close(fd);
        return -1;
    }
    slow->files[slow->count] = fd;
    atomic_store(&slow->values[slow->count], NAN);
    return (int)slow->count++;
}

/* Starts the thread and waits up to WAIT_SECONDS for the first values: a device may block it. */
static void monitor_slow_start(struct monitor_slow *slow)
{
    if (!slow || !slow->count)
        return;
    slow->started = !thread_start(&slow->thread, 0, read_temperatures, slow);
    struct timespec limit = seconds_from_now(WAIT_SECONDS);
    if (slow->started)
        sem_timedwait(&slow->done, &limit);
}

/* Returns the last value in degrees; NaN: none so far, or it could not be read. */
static float monitor_slow_value(const struct monitor_slow *slow, int number)
{
    return atomic_load(&slow->values[number]);
}

static void monitor_slow_stop(struct monitor_slow *slow)
{
    struct timespec limit = seconds_from_now(WAIT_SECONDS);
    if (!slow)
        return;
    atomic_store(&slow->stop, true);
    sem_post(&slow->wake);
    if (slow->started && pthread_timedjoin_np(slow->thread, NULL, &limit)) {
        pthread_detach(slow->thread);
        return;
    }
    for (size_t i = 0; i < slow->count; i++)
        close(slow->files[i]);
    sem_destroy(&slow->wake);
    sem_destroy(&slow->done);
    free(slow);
}

#define CORES_OF_WORKERS    16
#define CORES_OF_INTERRUPTS 8
#define PROCESSOR_FOLDER    "/sys/devices/system/cpu/cpu"

struct setup {
    struct monitor *monitor;
    const struct monitor_request *request;
};

size_t monitor_bytes(void)
{
    return arena_bytes(MONITOR_SOURCES, sizeof(struct monitor_source)) +
           arena_bytes(COMPONENTS_MAX, sizeof(struct monitor_component)) +
           arena_bytes(1, sizeof(struct monitor_cores)) + arena_bytes(MONITOR_TEXT, 1);
}

/* ---- setting up ---- */

/* Adds a gauge. Returns NULL when all are in use; add_source counts the file that is left out. */
static struct gauge *add_gauge(struct setup *s, int node, const char *name, const char *key,
                               const char *unit)
{
    struct monitor *m = s->monitor;
    if (m->gauge_count == MONITOR_GAUGES)
        return NULL;
    struct gauge *g = &m->gauges[m->gauge_count++];
    *g = (struct gauge){.node = node, .limit = NAN, .low = NAN, .value = NAN, .high = NAN};
    snprintf(g->name, sizeof g->name, "%s", name);
    snprintf(g->key, sizeof g->key, "%s", key);
    snprintf(g->unit, sizeof g->unit, "%s", unit);
    return g;
}

/* Opens a file whose text sets the gauge with the number `gauge`; MONITOR_GAUGES means that no
   gauge was free. Returns false if the file does not exist. Also returns false, and counts the file
   in left_out, if there is no gauge or no free place for the file. */
static bool add_source(struct setup *s, enum monitor_source_kind kind, size_t gauge,
                       const char *path)
{
    struct monitor *m = s->monitor;
    char full[PATH_MAX];
    int fd = open(sysroot_path(s->request->root, full, sizeof full, path),
                  O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (m->source_count == MONITOR_SOURCES || gauge == MONITOR_GAUGES) {
        m->left_out++;
        close(fd);
        return false;
    }
    m->sources[m->source_count++] = (struct monitor_source){
        .kind = kind, .fd = fd, .gauge = gauge, .taken_seconds = NAN, .value = NAN};
    return true;
}

static void watch_core(struct monitor_cores *cores, int core, size_t max)
{
    for (size_t i = 0; i < cores->watched_count; i++)
        if (cores->watched[i] == core)
            return;
    if (core >= 0 && core < MONITOR_CORES && cores->watched_count < max)
        cores->watched[cores->watched_count++] = core;
}

/* Prepares the gauges of the workers' share of their cores' time, from their threads' clocks. */
static void watch_workers(struct monitor_cores *cores, const struct monitor_request *r)
{
    cores->gauges_each = r->worker_clocks ? CORE_WORKERS + 1 : CORE_INTERRUPTS + 1;
    for (size_t i = 0; r->worker_clocks && i < r->worker_count; i++)
        for (size_t place = 0; place < cores->watched_count; place++)
            if (cores->watched[place] == r->worker_cpus[i] && cores->worker_count < MONITOR_WORKERS)
                cores->workers[cores->worker_count++] = (struct monitor_worker){
                    .place = place, .clock = r->worker_clocks[i], .seconds = NAN};
}

static void watch_processors(struct setup *s)
{
    const struct monitor_cores *cores = s->monitor->cores;
    size_t first = s->monitor->gauge_count;
    if (!add_source(s, SOURCE_PROCESSORS, first, "/proc/stat"))
        return;
    for (size_t i = 0; i < cores->watched_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "cpu%d", cores->watched[i]);
        int node = inventory_find(s->request->inventory, name);
        add_gauge(s, node, name, "busy", "share");
        add_gauge(s, node, name, "interrupts", "share");
        if (cores->gauges_each > CORE_WORKERS)
            add_gauge(s, node, name, "workers", "share");
    }
    add_gauge(s, inventory_find(s->request->inventory, "cpu"), "cpu", "kernel", "share");
}

/* Adds one gauge that combines a file of each worker's core. */
static void watch_each_core(struct setup *s, enum monitor_source_kind kind, const char *file,
                            const char *key, const char *unit)
{
    const struct monitor_request *r = s->request;
    size_t gauge = s->monitor->gauge_count;
    bool any = false;
    for (size_t i = 0; i < r->worker_count && i < CORES_OF_WORKERS; i++) {
        char path[128];
        snprintf(path, sizeof path, PROCESSOR_FOLDER "%d/%s", r->worker_cpus[i], file);
        any |= add_source(s, kind, gauge, path);
    }
    if (any)
        add_gauge(s, inventory_find(r->inventory, "cpu"), "cpu", key, unit);
}

static void watch_disk(struct setup *s, int node, const char *name)
{
    char path[128];
    size_t first = s->monitor->gauge_count;
    snprintf(path, sizeof path, "/sys/class/block/%s/stat", name);
    if (!add_source(s, SOURCE_BLOCK, first + 4 > MONITOR_GAUGES ? MONITOR_GAUGES : first, path))
        return;
    add_gauge(s, node, name, "busy", "share");
    add_gauge(s, node, name, "queue", "1");
    add_gauge(s, node, name, "read", "bytes/s");
    add_gauge(s, node, name, "write", "bytes/s");
}

/* Returns true if the part is the target's disk and its statistics do not include the run's I/O. */
static bool is_unseen(const struct setup *s, const struct data_path_part *part)
{
    const struct monitor_request *r = s->request;
    const struct inventory_node *n = &r->inventory->nodes[part->node];
    char folder[96];
    uint64_t counted = 0;
    if (!r->past_block_layer || !part->is_target_device || n->kind != NODE_DISK)
        return false;
    snprintf(folder, sizeof folder, "/sys/class/block/%.48s/queue", n->name);
    return !attribute_number(r->root, folder, "iostats_passthrough", &counted) || !counted;
}

static void watch_reported_disk(struct setup *s, int node, const char *name)
{
    struct monitor *m = s->monitor;
    if (m->gauge_count + 2 > MONITOR_GAUGES) {
        m->left_out++;
        return;
    }
    m->has_reported_disk = true;
    m->reported_gauge = m->gauge_count;
    add_gauge(s, node, name, "read", "bytes/s");
    add_gauge(s, node, name, "write", "bytes/s");
}

/* Adds the gauges of an interface. Received bytes count as reads. */
static void watch_interface(struct setup *s, int node, const char *name)
{
    static const char *const files[][2] = {{"rx_bytes", "read"}, {"tx_bytes", "write"}};
    for (int i = 0; i < 2; i++) {
        char path[160];
        snprintf(path, sizeof path, "/sys/class/net/%s/statistics/%s", name, files[i][0]);
        if (add_source(s, SOURCE_BYTES, s->monitor->gauge_count, path))
            add_gauge(s, node, name, files[i][1], "bytes/s");
    }
}

/* ---- temperatures: of sensors below a part of the path, and of processors ---- */

bool monitor_senses_processor(const char *chip)
{
    static const char *const chips[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (!strncmp(chip, chips[i], strlen(chips[i])))
            return true;
    return false;
}

static void watch_temperatures(struct setup *s)
{
    const struct inventory *v = s->request->inventory;
    struct monitor *m = s->monitor;
    for (int node = 0; node < v->node_count; node++) {
        const struct inventory_node *n = &v->nodes[node];
        if (n->kind != NODE_SENSOR ||
            (data_path_part(s->request->path, n->parent) < 0 && !monitor_senses_processor(n->name)))
            continue;
        const struct inventory_fact *fact = inventory_fact(v, node, "temperature");
        if (!fact || !strstr(fact->source, "_input") ||
            !add_source(s, SOURCE_TEMPERATURE, m->gauge_count, fact->source))
            continue;
        struct monitor_source *source = &m->sources[m->source_count - 1];
        source->fd = monitor_slow_add(m->slow, source->fd);
        if (source->fd < 0) {
            m->source_count--;
            continue;
        }
        struct gauge *g = add_gauge(s, node, n->name, "temperature", "C");
        g->limit = inventory_number(v, node, "temperature_max");
        if (isnan(g->limit))
            g->limit = inventory_number(v, node, "temperature_critical");
    }
}

/* ---- components of the user's ---- */

static void watch_components(struct setup *s)
{
    struct monitor *m = s->monitor;
    const struct components *all = m->component_sources->components;
    for (size_t i = 0; i < all->count; i++) {
        const struct component *c = &all->list[i];
        const bool has_room =
            m->gauge_count + 2 <= MONITOR_GAUGES && m->source_count < MONITOR_SOURCES;
        m->left_out += c->source[0] && !has_room;
        if (!c->source[0] || !has_room)
            continue;
        int node = inventory_find(s->request->inventory, c->name);
        char unit[16];
        snprintf(unit, sizeof unit, "%s%s", c->unit[0] ? c->unit : "1", c->grows ? "/s" : "");
        m->sources[m->source_count++] = (struct monitor_source){.kind = SOURCE_COMPONENT,
                                                                .fd = (int)i,
                                                                .gauge = m->gauge_count,
                                                                .taken_seconds = NAN,
                                                                .value = NAN};
        add_gauge(s, node, c->name, c->grows ? "rate" : "level", unit);
        if (c->limit > 0)
            add_gauge(s, node, c->name, "use", "share");
    }
}

int monitor_open(struct monitor *m, const struct monitor_request *request, struct arena *arena,
                 struct err *e)
{
    struct setup s = {m, request};
    *m = (struct monitor){.sources = arena_alloc(arena, MONITOR_SOURCES, sizeof *m->sources),
                          .cores = arena_alloc(arena, 1, sizeof *m->cores),
                          .text = arena_alloc(arena, MONITOR_TEXT, 1),
                          .component_sources = request->components,
                          .components = arena_alloc(arena, COMPONENTS_MAX, sizeof *m->components),
                          .slow = monitor_slow_new()};
    if (!m->sources || !m->cores || !m->text || !m->components || !m->slow) {
        monitor_slow_stop(m->slow);
        m->slow = NULL;
        return err_no_memory(e, "the monitor");
    }
    const struct monitor_request *r = s.request;
    struct monitor_cores *cores = s.monitor->cores;
    for (size_t i = 0; i < r->worker_count; i++) {
        watch_core(cores, r->worker_cpus[i], CORES_OF_WORKERS);
        if (r->worker_cpus[i] >= 0 && r->worker_cpus[i] < MONITOR_CORES)
            cores->of_worker[r->worker_cpus[i]] = true;
    }
    int serving[CORES_OF_INTERRUPTS];
    size_t count = interrupts_cores(r->root, r->inventory, r->path, serving, CORES_OF_INTERRUPTS);
    for (size_t i = 0; i < count; i++)
        watch_core(cores, serving[i], CORES_OF_WORKERS + CORES_OF_INTERRUPTS);
    watch_workers(cores, r);
    watch_processors(&s);
    watch_each_core(&s, SOURCE_FREQUENCY, "cpufreq/scaling_cur_freq", "frequency", "Hz");
    watch_each_core(&s, SOURCE_EVENTS, "thermal_throttle/core_throttle_count", "throttled", "1/s");
    if (add_source(&s, SOURCE_PRESSURE, m->gauge_count, "/proc/pressure/memory"))
        add_gauge(&s, inventory_find(request->inventory, "memory"), "memory", "stalled", "share");
    const struct inventory *v = s.request->inventory;
    const struct data_path *path = s.request->path;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct inventory_node *n = &v->nodes[path->parts[i].node];
        if (is_unseen(&s, &path->parts[i]))
            watch_reported_disk(&s, path->parts[i].node, n->name);
        else if (n->kind == NODE_DISK || n->kind == NODE_MEMORY_DISK || n->kind == NODE_LOOP ||
                 n->kind == NODE_RAID || n->kind == NODE_MAPPER)
            watch_disk(&s, path->parts[i].node, n->name);
        else if (n->kind == NODE_NETWORK)
            watch_interface(&s, path->parts[i].node, n->name);
    }
    watch_temperatures(&s);
    if (m->component_sources)
        watch_components(&s);
    monitor_slow_start(m->slow);
    return 0;
}

void monitor_close(struct monitor *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].kind != SOURCE_TEMPERATURE && m->sources[i].kind != SOURCE_COMPONENT)
            close(m->sources[i].fd);
    m->source_count = 0;
    monitor_slow_stop(m->slow);
    m->slow = NULL;
}

/* ---- one sample ---- */

/* Sets the lowest, mean and highest value of the sources that share a gauge. */
static void sum_up(struct monitor *m, size_t gauge)
{
    struct gauge *g = &m->gauges[gauge];
    double sum = 0;
    size_t count = 0;
    g->low = g->high = NAN;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct monitor_source *s = &m->sources[i];
        if (s->gauge != gauge || isnan(s->value))
            continue;
        g->low = fmin(g->low, s->value);
        g->high = fmax(g->high, s->value);
        sum += s->value;
        count++;
    }
    g->value = count ? sum / (double)count : (double)NAN;
}

static void forget(struct monitor *m, const struct monitor_source *s)
{
    struct gauge *g = &m->gauges[s->gauge];
    size_t count = s->kind == SOURCE_BLOCK ? 4
                   : s->kind == SOURCE_PROCESSORS
                       ? m->cores->gauges_each * m->cores->watched_count + 1
                       : 1;
    for (size_t i = 0; i < count; i++)
        g[i].low = g[i].value = g[i].high = NAN;
}

void monitor_report(struct monitor *m, double read, double write)
{
    if (!m->has_reported_disk)
        return;
    struct gauge *g = &m->gauges[m->reported_gauge];
    g[0].low = g[0].value = g[0].high = read;
    g[1].low = g[1].value = g[1].high = write;
}

void monitor_restart(struct monitor *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        m->sources[i].taken_seconds = m->sources[i].value = NAN;
    for (size_t i = 0; i < m->gauge_count; i++)
        m->gauges[i].low = m->gauges[i].value = m->gauges[i].high = NAN;
    for (size_t i = 0; i < COMPONENTS_MAX; i++)
        m->components[i].seconds = 0;
    memset(m->cores->time, 0, sizeof m->cores->time);
    for (size_t i = 0; i < m->cores->worker_count; i++)
        m->cores->workers[i].seconds = NAN;
}

void monitor_sample(struct monitor *m, double seconds)
{
    for (size_t i = 0; i < m->source_count; i++) {
        struct monitor_source *s = &m->sources[i];
        if (seconds - s->taken_seconds < monitor_source_rows[s->kind].min_seconds)
            continue;
        if (s->kind == SOURCE_COMPONENT) {
            monitor_component_take(&m->components[s->fd], m->component_sources, (size_t)s->fd,
                                   &m->gauges[s->gauge], seconds);
            continue;
        }
        if (s->kind == SOURCE_TEMPERATURE) {
            struct gauge *g = &m->gauges[s->gauge];
            g->low = g->value = g->high = (double)monitor_slow_value(m->slow, s->fd);
            continue;
        }
        ssize_t got = pread(s->fd, m->text, MONITOR_TEXT - 1, 0);
        if (got >= 0) {
            m->text[got] = '\0';
            monitor_source_take(s, &m->gauges[s->gauge], m->text, seconds, m->cores);
        } else if (monitor_source_rows[s->kind].shares) {
            s->value = NAN;
        } else {
            forget(m, s); /* the device is gone */
        }
        if (monitor_source_rows[s->kind].shares)
            sum_up(m, s->gauge);
    }
}

bool monitor_sees(const struct monitor *m)
{
    for (size_t i = 0; i < m->gauge_count; i++)
        if (!isnan(m->gauges[i].value) && strcmp(m->gauges[i].key, "workers") != 0)
            return true;
    return false;
}
