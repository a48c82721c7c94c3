/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of fio's job files that become words of a command line, or that make no difference.
 */
#ifndef CUPEL_TABLES_FIO_KEYS_H
#define CUPEL_TABLES_FIO_KEYS_H

/* Settings that become something, with their other names. */
enum fio_key {
    FIO_KEY_RW,
    FIO_KEY_MIX_READ,
    FIO_KEY_MIX_WRITE,
    FIO_KEY_BS,
    FIO_KEY_RANGE,
    FIO_KEY_ALIGN,
    FIO_KEY_BSSPLIT,
    FIO_KEY_DEPTH,
    FIO_KEY_JOBS,
    FIO_KEY_SIZE,
    FIO_KEY_FILESIZE,
    FIO_KEY_OFFSET,
    FIO_KEY_DIRECT,
    FIO_KEY_BUFFERED,
    FIO_KEY_ENGINE,
    FIO_KEY_RUNTIME,
    FIO_KEY_RATE,
    FIO_KEY_RATE_IOPS,
    FIO_KEY_RATE_PROCESS,
    FIO_KEY_THINK,
    FIO_KEY_DISTRIBUTION,
    FIO_KEY_RANDOM_SHARE,
    FIO_KEY_SEED,
    FIO_KEY_CPUS,
    FIO_KEY_SCHEDULER,
    FIO_KEY_IOPOLL,
    FIO_KEY_SQPOLL,
    FIO_KEY_FILENAME,
    FIO_KEY_DIRECTORY,
    FIO_KEY_NAME,
    FIO_KEY_STONEWALL,
    FIO_KEY_WAIT_FOR,
    FIO_KEY_BASE,
    FIO_KEY_ZONES,
    FIO_KEY_ZONE_SIZE,
    FIO_KEY_ZONE_SKIP,
    FIO_KEY_ZONE_RANGE,
    FIO_KEY_FLOW,
    FIO_KEY_LATENCY,
    FIO_KEY_LATENCY_SHARE,
    FIO_KEY_BLKIO_DRIVER,
    FIO_KEY_BLKIO_PATH,
    FIO_KEY_COMPRESS,
    FIO_KEY_COMPRESS_CHUNK,
    FIO_KEY_DEDUPE,
    FIO_KEY_DEDUPE_MODE,
    FIO_KEY_DEDUPE_SET,
    FIO_KEY_DEDUPE_GLOBAL,
    FIO_KEY_PATTERN,
    FIO_KEY_ZEROS,
    FIO_KEY_SEQUENCE_STRIDE,
    FIO_KEY_SQPOLL_CPU,
    FIO_KEY_COUNT
};

static const struct {
    const char *name;
    enum fio_key key;
} fio_keys[] = {{"rw", FIO_KEY_RW},
                {"readwrite", FIO_KEY_RW},
                {"rwmixread", FIO_KEY_MIX_READ},
                {"rwmixwrite", FIO_KEY_MIX_WRITE},
                {"bs", FIO_KEY_BS},
                {"blocksize", FIO_KEY_BS},
                {"bssplit", FIO_KEY_BSSPLIT},
                {"iodepth", FIO_KEY_DEPTH},
                {"numjobs", FIO_KEY_JOBS},
                {"size", FIO_KEY_SIZE},
                {"filesize", FIO_KEY_FILESIZE},
                {"file_size", FIO_KEY_FILESIZE},
                {"offset", FIO_KEY_OFFSET},
                {"direct", FIO_KEY_DIRECT},
                {"buffered", FIO_KEY_BUFFERED},
                {"ioengine", FIO_KEY_ENGINE},
                {"runtime", FIO_KEY_RUNTIME},
                {"timeout", FIO_KEY_RUNTIME},
                {"rate", FIO_KEY_RATE},
                {"rate_iops", FIO_KEY_RATE_IOPS},
                {"rate_process", FIO_KEY_RATE_PROCESS},
                {"thinktime", FIO_KEY_THINK},
                {"random_distribution", FIO_KEY_DISTRIBUTION},
                {"percentage_random", FIO_KEY_RANDOM_SHARE},
                {"randseed", FIO_KEY_SEED},
                {"cpus_allowed", FIO_KEY_CPUS},
                {"ioscheduler", FIO_KEY_SCHEDULER},
                {"hipri", FIO_KEY_IOPOLL},
                {"sqthread_poll", FIO_KEY_SQPOLL},
                {"filename", FIO_KEY_FILENAME},
                {"directory", FIO_KEY_DIRECTORY},
                {"name", FIO_KEY_NAME},
                {"stonewall", FIO_KEY_STONEWALL},
                {"wait_for_previous", FIO_KEY_STONEWALL},
                {"wait_for", FIO_KEY_WAIT_FOR},
                {"kb_base", FIO_KEY_BASE},
                {"bsrange", FIO_KEY_RANGE},
                {"blocksize_range", FIO_KEY_RANGE},
                {"ba", FIO_KEY_ALIGN},
                {"blockalign", FIO_KEY_ALIGN},
                {"zonemode", FIO_KEY_ZONES},
                {"zonesize", FIO_KEY_ZONE_SIZE},
                {"zoneskip", FIO_KEY_ZONE_SKIP},
                {"zonerange", FIO_KEY_ZONE_RANGE},
                {"flow", FIO_KEY_FLOW},
                {"latency_target", FIO_KEY_LATENCY},
                {"latency_percentile", FIO_KEY_LATENCY_SHARE},
                {"libblkio_driver", FIO_KEY_BLKIO_DRIVER},
                {"libblkio_path", FIO_KEY_BLKIO_PATH},
                {"buffer_compress_percentage", FIO_KEY_COMPRESS},
                {"buffer_compress_chunk", FIO_KEY_COMPRESS_CHUNK},
                {"dedupe_percentage", FIO_KEY_DEDUPE},
                {"dedupe_mode", FIO_KEY_DEDUPE_MODE},
                {"dedupe_working_set_percentage", FIO_KEY_DEDUPE_SET},
                {"dedupe_global", FIO_KEY_DEDUPE_GLOBAL},
                {"buffer_pattern", FIO_KEY_PATTERN},
                {"zero_buffers", FIO_KEY_ZEROS},
                {"random_sequence_stride", FIO_KEY_SEQUENCE_STRIDE},
                {"sqthread_poll_cpu", FIO_KEY_SQPOLL_CPU}};

/* Not taken on the command line, and in a file they change nothing of what is measured. */
static const struct {
    const char *name;
    const char *words; /* NULL: those of the option */
} fio_harmless[] = {{"loops", NULL},
                    {"startdelay", "what runs at the same time begins at the same time"},
                    {"ratemin", "what falls behind its rate is reported"},
                    {"rate_min", "what falls behind its rate is reported"},
                    {"rate_iops_min", "what falls behind its rate is reported"},
                    {"flow_sleep", NULL},
                    {"steadystate", NULL},
                    {"ss", NULL},
                    {"clocksource", NULL},
                    {"write_bw_log", NULL},
                    {"write_lat_log", NULL},
                    {"write_iops_log", NULL},
                    {"write_hist_log", NULL},
                    {"log_avg_msec", NULL},
                    {"log_hist_msec", NULL}};

/* Not off, and all the same what cupel does. */
static const struct {
    const char *name, *value;
} fio_as_here[] = {{"iodepth_batch", "1"},
                   {"iodepth_batch_submit", "1"},
                   {"iodepth_batch_complete", "1"},
                   {"iodepth_batch_complete_min", "1"},
                   {"nrfiles", "1"},
                   {"nr_files", "1"},
                   {"io_submit_mode", "inline"},
                   {"thinktime_blocks", "1"},
                   {"fadvise_hint", "1"},
                   {"startdelay", "0"},
                   {"io_submit_mode", "offload"},
                   {"cmd_type", "nvme"},
                   {"threads", "1"},
                   {"rw_sequencer", "sequential"}};

/* Options whose 0 is a value as any other. */
static const char *const fio_zero_is_a_value[] = {"uid", "gid", "numa_cpu_nodes", "cpumask"};

/* Values that switch an option off. */
static const char *const fio_off_words[] = {"0", "none", "off", "no", "false", "null"};

#endif
