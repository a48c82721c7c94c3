/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio job files: values, sections, the translation of each setting, and the place of each refusal.
   Longer than 500 lines because one reader of a table of texts and words stands beside that table.
   */
#include "check.h"

#include "fio/job/fio_job.h"
#include "fio/job/fio_value.h"

static struct fio_job_file file;
static struct fio_sessions sessions;

static int read_text(const char *text, struct err *e)
{
    struct span span = span_of(text);
    *e = (struct err){0};
    if (fio_job_read(&file, "j", &span, false, e))
        return -1;
    int status = fio_sessions_make(&file, &sessions, e);
    if (status)
        fio_sessions_free(&sessions);
    fio_job_free(&file);
    return status;
}

/* Returns the words of a session, separated by blanks, and its target. */
static const char *words_of(size_t index)
{
    static char line[2048];
    const struct fio_session *s = &sessions.list[index];
    const char *word = s->words.data;
    line[0] = '\0';
    for (size_t i = 0; i < s->word_count; i++, word += strlen(word) + 1) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s ", word);
    }
    size_t used = strlen(line);
    snprintf(line + used, sizeof line - used, "%s", s->target);
    return line;
}

#define ONE(text, words)                                                                           \
    do {                                                                                           \
        struct err why;                                                                            \
        CHECK_INT(read_text("[a]\n" text, &why), 0);                                               \
        CHECK_INT(sessions.fault_count, 0);                                                        \
        CHECK_INT(sessions.count, 1);                                                              \
        CHECK_STR(words_of(0), words);                                                             \
        fio_sessions_free(&sessions);                                                              \
    } while (0)

#define REFUSED(text, message)                                                                     \
    do {                                                                                           \
        struct err why;                                                                            \
        CHECK_INT(read_text(text, &why), -1);                                                      \
        CHECK_INT(why.code, ERR_USAGE);                                                            \
        if (!check_that(strstr(why.msg, message) != NULL, __FILE__, __LINE__, message))            \
            fprintf(stderr, "    %s\n", why.msg);                                                  \
    } while (0)

/* Checks that there are that many sessions, all at the same time. */
#define AT_ONCE(text, number)                                                                      \
    do {                                                                                           \
        struct err why;                                                                            \
        CHECK_INT(read_text(text, &why), 0);                                                       \
        CHECK_INT(sessions.fault_count, 0);                                                        \
        CHECK_INT(sessions.count, number);                                                         \
        for (size_t i = 0; i < sessions.count; i++)                                                \
            CHECK_INT(sessions.list[i].at_once, i > 0);                                            \
        fio_sessions_free(&sessions);                                                              \
    } while (0)

/* Checks that the file can be read, and that this option cannot be honoured. */
#define FAULT(text, message)                                                                       \
    do {                                                                                           \
        struct err why;                                                                            \
        CHECK_INT(read_text(text, &why), 0);                                                       \
        CHECK(sessions.fault_count > 0);                                                           \
        if (!check_that(sessions.faults.data && strstr(sessions.faults.data, message), __FILE__,   \
                        __LINE__, message))                                                        \
            fprintf(stderr, "    %s\n", sessions.faults.data);                                     \
        fio_sessions_free(&sessions);                                                              \
    } while (0)

static void test_values(void)
{
    static const struct {
        const char *text;
        unsigned base;
        uint64_t bytes;
    } sizes[] = {{"4096", 1024, 4096},        {"4k", 1024, 4096},       {"4kB", 1024, 4096},
                 {"4K", 1000, 4000},          {"4ki", 1024, 4000},      {"4KiB", 1000, 4096},
                 {"2m", 1024, 2 << 20},       {"1g", 1024, 1 << 30},    {"0x200", 1024, 512},
                 {"3t", 1000, 3000000000000}, {"1p", 1024, 1ull << 50}, {"7b", 1024, 7}};
    uint64_t value;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CHECK_INT(fio_bytes(sizes[i].text, sizes[i].base, &value), 0);
        CHECK_INT(value, sizes[i].bytes);
    }
    static const char *const bad[] = {"",          "k",  "4x",  "4kk", "-1", "99999999999999999999",
                                      "99999999p", " 4", "4k ", "1.5g"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(fio_bytes(bad[i], 1024, &value), -1);

    CHECK_INT(fio_time("30", 1000000, &value), 0);
    CHECK_INT(value, 30000000);
    CHECK_INT(fio_time("2h", 1, &value), 0);
    CHECK_INT(value, 7200000000);
    CHECK_INT(fio_time("500ms", 1, &value), 0);
    CHECK_INT(value, 500000);
    CHECK_INT(fio_time("1w", 1, &value), -1);
    CHECK_INT(fio_time("9999999999999999d", 1, &value), -1);
}

static void test_settings(void)
{
    ONE("", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=randwrite\nbs=8k\nioengine=libaio\niodepth=32\ndirect=1\nfilename=/dev/x\nsize=1g\n",
        "--rw=randwrite --bs=8192 --iodepth=32 --size=1073741824 --ioengine=uring --direct=1 "
        "/dev/x");
    ONE("readwrite=readwrite\nrwmixwrite=30\nbuffered=0\nruntime=2m\ntime_based\n",
        "--rw=rw --rwmixread=70 --bs=4096 --ioengine=sync --direct=1 --runtime=120s .");
    ONE("rw=randrw:1\nrw=randread\nbs=4k,16k\nnumjobs=4\nsize=1m\niodepth=9",
        "--rw=randread --bs=4096 --size=4194304 --numjobs=4 --ioengine=sync --direct=0 .");
    ONE("rw=write\nbs=4k,16k\ndirectory=/d\nfilename=f\\:g\noffset=1m\n",
        "--rw=write --bs=16384 --offset=1048576 --ioengine=sync --direct=0 /d/f:g");
    ONE("bssplit=4k/60:64k/40:1k/0\nrw=randread\nrandom_distribution=zipf:1.2\nrandseed=7\n",
        "--rw=randread --bssplit=4096/60:65536/40 --random_distribution=zipf:1.2 --ioengine=sync "
        "--direct=0 --seed=7 .");
    ONE("ioengine=io_uring\nhipri=1\nsqthread_poll=1\nrate_iops=100\nnumjobs=2\n"
        "rate_process=poisson\n",
        "--rw=read --bs=4096 --iodepth=1 --rate_iops=200.000000 --arrival=poisson --numjobs=2 "
        "--ioengine=uring --direct=0 --iopoll=on --sqpoll=on .");
    ONE("ioengine=io_uring\nsqthread_poll=1\nsqthread_poll_cpu=0\n",
        "--rw=read --bs=4096 --iodepth=1 --ioengine=uring --direct=0 --sqpoll=on "
        "--sqthread_poll_cpu=0 .");
    ONE("ioengine=io_uring\nsqthread_poll_cpu=2\n",
        "--rw=read --bs=4096 --iodepth=1 --ioengine=uring --direct=0 .");
    ONE("numa_cpu_nodes=0\nnuma_mem_policy=interleave:0-1\n",
        "--rw=read --bs=4096 --ioengine=sync --direct=0 --numa_cpu_nodes=0 "
        "--numa_mem_policy=interleave:0-1 .");
    ONE("numa_cpu_nodes=all\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=randrw\nrwmixread=70\nrate_iops=300,100,7\n",
        "--rw=randrw --rwmixread=75 --bs=4096 --rate_iops=400.000000 --arrival=uniform "
        "--ioengine=sync --direct=0 .");
    ONE("rw=rw\nrate=1m\n", "--rw=rw --bs=4096 --rate_iops=512.000000 --arrival=uniform "
                            "--ioengine=sync --direct=0 .");
    ONE("rw=rw\nrate=0\n", "--rw=rw --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=write\nrate_iops=5,9\n", "--rw=write --bs=4096 --rate_iops=9.000000 --arrival=uniform "
                                     "--ioengine=sync --direct=0 .");
    ONE("rate=1m\nthinktime=0\n", "--rw=read --bs=4096 --rate_iops=256.000000 "
                                  "--arrival=uniform --ioengine=sync --direct=0 .");
    ONE("ioengine=null\nsize=1g ; a comment\n#another\n   \n",
        "--rw=read --bs=4096 --iodepth=1 --size=1073741824 --ioengine=null ");
    ONE("kb_base=1000\nbs=4k\nverify=0\nfsync=0\ngroup_reporting\nthread=1\nloops=5\n",
        "--rw=read --bs=4000 --ioengine=sync --direct=0 .");
    ONE("ioengine=filedelete\nnrfiles=200\nfilesize=4k\nunlink=0\nnumjobs=2\ndirectory=/d\n",
        "--ioengine=filedelete --files=200 --size=4096 --numjobs=2 /d");
    ONE("ioengine=dircreate\nfilesize=4k\nbs=8k\n", "--ioengine=dircreate --files=1 .");
    FAULT("[a]\nioengine=filestat\nrate_iops=5\n", "rate_iops: not with ioengine=filestat");
    ONE("ioengine=filestat\nfilename=x\n", "--ioengine=filestat --files=1 .");
    AT_ONCE("[a]\nioengine=filestat\n[b]\nioengine=filestat\nnrfiles=7\n", 2);
    REFUSED("[a]\nioengine=filestat\nnrfiles=0\n", "nrfiles is a number above 0");
    ONE("rw=write\nbs=2300\nfdatasync=1\nend_fsync=1\nfsync_on_close=1\n",
        "--rw=write --bs=2300 --fdatasync=1 --ioengine=sync --direct=0 .");
    ONE("rw=randrw\nfsync=32\nsync=1\n",
        "--rw=randrw --bs=4096 --fsync=32 --ioengine=sync --direct=0 --sync=sync .");
    ONE("rw=write\nsync=dsync\nfsync=0\n",
        "--rw=write --bs=4096 --ioengine=sync --direct=0 --sync=dsync .");
    ONE("fsync=1\nsync=1\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("filename=--destroy\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 --destroy");
}

static void test_sections(void)
{
    struct err e;
    CHECK_INT(read_text("[global]\nbs=8k\n[a]\nrw=read\n[global]\nsize=1m\nbs=16k\n[b]\nstonewall\n"
                        "name=other\n[c]\nwait_for=b\nbs=512\n",
                        &e),
              0);
    CHECK_INT(sessions.count, 3);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_STR(words_of(0), "--rw=read --bs=8192 --ioengine=sync --direct=0 .");
    CHECK_STR(words_of(1), "--rw=read --bs=16384 --size=1048576 --ioengine=sync --direct=0 .");
    CHECK_STR(words_of(2), "--rw=read --bs=512 --size=1048576 --ioengine=sync --direct=0 .");
    CHECK_STR(sessions.list[0].name, "a");
    CHECK_STR(sessions.list[1].name, "other");
    fio_sessions_free(&sessions);

    /* equal sections at the same time are one session with more jobs */
    CHECK_INT(
        read_text("[global]\nfilename=f\n[a]\n[b]\nnumjobs=2\n[c]\nstonewall\nrw=write\n", &e), 0);
    CHECK_INT(sessions.count, 2);
    CHECK_STR(words_of(0), "--rw=read --bs=4096 --numjobs=3 --ioengine=sync --direct=0 f");
    fio_sessions_free(&sessions);

    /* a section with another engine or target is a separate session at the same time ... */
    AT_ONCE("[a]\nsize=1m\n[b]\nsize=1m\nioengine=libaio\n", 2);
    AT_ONCE("[a]\nfilename=x\n[b]\nfilename=y\nrw=write\n", 2);
    AT_ONCE("[global]\nfilename=x\nioengine=ftruncate\nrw=write\n[a]\n[b]\nbs=8k\n", 2);
    AT_ONCE("[a]\n[b]\nrw=write\n", 2);
    AT_ONCE("[global]\nfilename=x\n[a]\n[b]\nioengine=libaio\n[c]\n[d]\nioengine=libaio\n", 2);
    CHECK_INT(read_text("[a]\nfilename=x\n[b]\nfilename=y\n[c]\nfilename=x\nstonewall\n[d]\n"
                        "filename=y\n[e]\nfilename=x\n",
                        &e),
              0);
    CHECK_INT(sessions.count, 4);
    CHECK_STR(sessions.list[2].name, "c");
    CHECK(!sessions.list[0].at_once && sessions.list[1].at_once && !sessions.list[2].at_once &&
          sessions.list[3].at_once);
    CHECK_STR(words_of(2), "--rw=read --bs=4096 --numjobs=2 --ioengine=sync --direct=0 x");
    fio_sessions_free(&sessions);

    /* ... unless one of them writes what the other one uses and that is not a file; then it follows
       later, if permitted */
    FAULT("[global]\nfilename=/dev/null\n[a]\nsize=1m\n[b]\nrw=write\nsize=2m\nioengine=libaio\n",
          "j:5:1: [b] it runs at the same time as [a], on one target, which is written, in another "
          "way; stonewall");
    FAULT("[a]\n[b]\nrw=write\nstonewall\n[c]\n[d]\nstonewall=0\nwait_for=b\n",
          "j:8:1: [d] wait_for=b: it would run beside the other sections of that time");
    FAULT("[global]\nfilename=x\nrate=1m\n[a]\nflow=1\n[b]\nrw=write\nflow=2\n",
          "flows are of one target and engine, without rates");
    FAULT("[global]\nfilename=/dev/null\n[a]\nflow=1\n[b]\nrw=write\n",
          "on one target, which is written");
}

/* Sections at the same time become streams of one profile. */
static void test_concurrent(void)
{
    struct err e;
    CHECK_INT(
        read_text("[global]\nioengine=libaio\ndirect=1\nsize=1m\n[a]\nrw=randread\niodepth=4\n"
                  "[b/c]\nrw=write\nbs=64k\nnumjobs=3\n[d]\nrw=write\nbs=64k\n[e]\nstonewall\n",
                  &e),
        0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_INT(sessions.count, 2);
    CHECK_STR(
        words_of(0),
        "--profile=[stream a];kind closed;concurrency 4;jobs 1;size 4096;address random;region "
        "0%-20%;[stream b_c];kind closed;concurrency 4;jobs 4;write 100%;size 65536;address "
        "sequential;region 20%-100% --iodepth=4 --size=5242880 --numjobs=5 --ioengine=uring "
        "--direct=1 .");
    CHECK_STR(sessions.list[0].name, "a, b/c");
    CHECK_STR(sessions.list[1].name, "e");
    fio_sessions_free(&sessions);

    /* a merged section leaves no empty session for later sections */
    CHECK_INT(read_text("[global]\nfilename=/f\n[a]\n[b]\n[c]\nstonewall\nrw=write\n[d]\nrw=write\n"
                        "[e]\nstonewall\n[f]\nstonewall\nbs=8k\n",
                        &e),
              0);
    CHECK_INT(sessions.count, 4);
    CHECK_STR(words_of(0), "--rw=read --bs=4096 --numjobs=2 --ioengine=sync --direct=0 /f");
    CHECK_STR(words_of(1), "--rw=write --bs=4096 --numjobs=2 --ioengine=sync --direct=0 /f");
    CHECK_STR(words_of(2), "--rw=read --bs=4096 --ioengine=sync --direct=0 /f");
    CHECK_STR(words_of(3), "--rw=read --bs=8192 --ioengine=sync --direct=0 /f");
    fio_sessions_free(&sessions);

    /* regions of one file */
    CHECK_INT(read_text("[global]\nfilename=/f\nrw=randrw\nrwmixread=90\n[a]\noffset=1m\nsize=1m\n"
                        "rate_iops=50\n[a]\noffset=2m\nsize=3m\nthinktime=5ms\n",
                        &e),
              0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_STR(
        words_of(0),
        "--profile=[stream a];kind open;weight 100;arrival uniform;jobs 1;write 50%;size 4096;"
        "address random;region 0%-25%;[stream a_2];kind closed;concurrency 1;think 5000us;jobs "
        "1;write 10%;size 4096;address random;region 25%-100% --rate_iops=100.000000 "
        "--offset=1048576 --size=4194304 --numjobs=2 --ioengine=sync --direct=0 /f");
    fio_sessions_free(&sessions);

    /* with one request each: two streams of one loop */
    CHECK_INT(read_text("[global]\nfilename=/f\n[a]\nflow=2\n[b]\nrw=read:-8k\nflow=2\n", &e), 0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_STR(words_of(0),
              "--profile=[stream a];kind closed;concurrency 1;flow 2;size 4096;address sequential;"
              "[stream b];kind closed;concurrency 1;flow 2;size 4096;address stride:-4096 "
              "--iodepth=2 --ioengine=uring --direct=0 /f");
    CHECK(strstr(sessions.list[0].notes.data, "2 jobs with one request each") != NULL);
    fio_sessions_free(&sessions);

    CHECK_INT(read_text("[global]\nfilename=/f\nioengine=io_uring\n[a]\nflow=1\n[b]\nrw=randread\n"
                        "flow=8\niodepth=3\n",
                        &e),
              0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_STR(words_of(0),
              "--profile=[stream a];kind closed;concurrency 1;flow 1;size 4096;address sequential;"
              "[stream b];kind closed;concurrency 3;flow 8;size 4096;address random --iodepth=4 "
              "--ioengine=uring --direct=0 /f");
    fio_sessions_free(&sessions);
}

/* Addresses, and regions of a target. */
static void test_addresses(void)
{
    ONE("rw=read:-8k\n",
        "--rw=randread --bs=4096 --random_distribution=stride:-4096 --ioengine=sync "
        "--direct=0 .");
    ONE("rw=write:112k\nbs=16k\n", "--rw=randwrite --bs=16384 --random_distribution=stride:131072 "
                                   "--ioengine=sync --direct=0 .");
    ONE("zonemode=strided\nzonesize=256m\nzoneskip=2g\n",
        "--rw=randread --bs=4096 --random_distribution=strips:268435456/2147483648 "
        "--ioengine=sync --direct=0 .");
    ONE("rw=randwrite\nzonemode=zbd\nzonesize=256M\nbs=32M\ndirect=1\nfilename=/dev/sdb\nsize=8z\n"
        "offset=524z\nmax_open_zones=4\nzone_reset_threshold=0.7\nzone_reset_frequency=0.125\n",
        "--rw=randwrite --bs=33554432 --offset=140660178944 --size=2147483648 --ioengine=sync "
        "--direct=1 --zonemode=zbd --zonesize=268435456 --max_open_zones=4 "
        "--zone_reset_threshold=0.7 --zone_reset_frequency=0.125 /dev/sdb");
    ONE("zonemode=zbd\nmax_open_zones=4\nread_beyond_wp=1\n",
        "--rw=read --bs=4096 --ioengine=sync --direct=0 --zonemode=zbd --read_beyond_wp=1 .");
    ONE("rw=randread\nrandom_distribution=zoned:50/5:30/15:20/\n",
        "--rw=randread --bs=4096 --random_distribution=zoned:50/5:30/15:20/ --ioengine=sync "
        "--direct=0 .");
    ONE("rw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=0\n",
        "--rw=randread --bs=4096 --random_distribution=sequence:2,0,1 --ioengine=sync --direct=0 "
        ".");
    ONE("rw=randread\nrandom_distribution=sequence:2,0,1\nrandom_sequence_stride=1\n",
        "--rw=randread --bs=4096 --random_distribution=sequence:2,0,1/3 --ioengine=sync "
        "--direct=0 .");
    ONE("rw=randread\nbssplit=1k/50:4k/50\nblockalign=4k\n",
        "--profile=[stream a];kind closed;concurrency 1;jobs 1;size 1024/50:4096/50;align 4096;"
        "address random --ioengine=sync --direct=0 .");
    ONE("rw=randread\nbs=8k\nblockalign=8k\n",
        "--rw=randread --bs=8192 --ioengine=sync --direct=0 .");
    ONE("filename=/f\noffset=25%\nsize=50%\n",
        "--profile=[stream a];kind closed;concurrency 1;jobs 1;size 4096;address sequential;region "
        "25%-75% --ioengine=sync --direct=0 /f");
    ONE("bsrange=4k-12k\n",
        "--rw=read --bssplit=4096/1:8192/1:12288/1 --ioengine=sync --direct=0 .");
    ONE("rw=randrw\nbs=4k,64k\n", "--rw=randrw --bssplit=4096,65536 --ioengine=sync --direct=0 .");
    ONE("rw=rw\nbs=4k,4k\n", "--rw=rw --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=rw\nbssplit=64k/40:1m/60,1m/100\n",
        "--rw=rw --bssplit=65536/40:1048576/60,1048576/100 --ioengine=sync --direct=0 .");
    ONE("rw=rw\nbsrange=4k-8k,64k-64k\n",
        "--rw=rw --bssplit=4096/1:8192/1,65536/1 --ioengine=sync --direct=0 .");
    ONE("rw=write\nbssplit=64k/100,1m/100\n",
        "--rw=write --bssplit=1048576/100 --ioengine=sync --direct=0 .");
#define RING "ioengine=io_uring\ndirect=1\n"
#define HEAD "--rw=read --bs=4096 --iodepth=1 "
#define TAIL "--ioengine=uring --direct=1 ."
    ONE(RING "prioclass=3\ncmdprio_percentage=20\ncmdprio_class=1\n", HEAD
        "--prioclass=idle --prio=0 --cmdprio_percentage=20 --cmdprio_class=rt --cmdprio=0 " TAIL);
    ONE(RING "prio=5\npriohint=2\n", HEAD "--prioclass=be --prio=5 --priohint=2 " TAIL);
    ONE(RING "cmdprio_percentage=20\ncmdprio_class=2\ncmdprio=3\ncmdprio_hint=1\n",
        HEAD "--cmdprio_bssplit=any/20/be/3/1 " TAIL);
    ONE(RING "cmdprio_percentage=0\nprioclass=0\n", HEAD "--prioclass=be --prio=0 " TAIL);
    ONE(RING "rw=rw\ncmdprio_percentage=10,20\ncmdprio=1\n",
        "--rw=rw --bs=4096 --iodepth=1 --cmdprio_bssplit=any/10/rt/1,any/20/rt/1 " TAIL);
    ONE(RING "rw=rw\ncmdprio_percentage=10\ncmdprio_class=1,3\n",
        "--rw=rw --bs=4096 --iodepth=1 --cmdprio_bssplit=any/10/rt/0,any/10/idle " TAIL);
    ONE(RING "bssplit=64k/40:1m/60\ncmdprio_bssplit=64k/25/1/1:64k/75/3/2:1m/0\n",
        "--rw=read --bssplit=65536/40:1048576/60 --iodepth=1 "
        "--cmdprio_bssplit=65536/25/rt/1:65536/75/idle " TAIL);
    ONE("prioclass=2\nprio=7\n",
        "--rw=read --bs=4096 --prioclass=be --prio=7 --ioengine=sync --direct=0 .");
    ONE("bsrange=4k-4k\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("latency_target=2ms\nlatency_percentile=99.9\nrw=rw\n",
        "--rw=rw --bs=4096 --ioengine=sync --direct=0 "
        "--find-rate=read.p99.9<2000us,write.p99.9<2000us .");
    ONE("ioengine=libblkio\nlibblkio_driver=io_uring\nlibblkio_path=/dev/x\nstartdelay=5\n",
        "--rw=read --bs=4096 --iodepth=1 --ioengine=uring --direct=0 /dev/x");
}

/* The data of writes: a share that compresses or repeats takes precedence over other options. */
static void test_data(void)
{
    ONE("rw=write\nbuffer_compress_percentage=50\nbuffer_compress_chunk=4k\nrefill_buffers\n",
        "--rw=write --bs=4096 --buffer_compress_percentage=50 --buffer_compress_chunk=4096 "
        "--ioengine=sync --direct=0 .");
    ONE("rw=randwrite\ndedupe_percentage=30\ndedupe_mode=working_set\ndedupe_global=1\n"
        "dedupe_working_set_percentage=20\nzero_buffers\nbuffer_pattern=0xff\n",
        "--rw=randwrite --bs=4096 --dedupe_percentage=30 --dedupe_mode=working_set "
        "--dedupe_working_set_percentage=20 --ioengine=sync --direct=0 .");
    ONE("rw=write\nzero_buffers\n", "--rw=write --bs=4096 --zero_buffers --ioengine=sync "
                                    "--direct=0 .");
    ONE("rw=write\nzero_buffers\nbuffer_pattern=\"ab\"0x12\"c\"\n",
        "--rw=write --bs=4096 --buffer_pattern=\"ab\"0x12\"c\" --ioengine=sync --direct=0 .");
    ONE("rw=read\nbuffer_compress_percentage=50\nzero_buffers=1\n",
        "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    FAULT("[global]\nfilename=/dev/"
          "null\nsize=1m\n[r]\n[a]\nrw=write\nzero_buffers\n[b]\nrw=write\nbs=8k\n",
          "j:8:1: [b] it runs at the same time as [r], on one target, which is written");
    ONE("rw=write\nioengine=io_uring_cmd\nwrite_mode=write/60:zeroes/40\n",
        "--rw=write --bs=4096 --iodepth=1 --ioengine=nvme-uring --write_mode=write/60:zeroes/40 .");
    FAULT("[a]\nrw=write\nwrite_mode=zeroes\n", "write_mode: of io_uring_cmd alone");
    FAULT("[a]\nioengine=io_uring_cmd\nwrite_mode=zone_append\n",
          "written at their write pointers");
    REFUSED("[a]\nrw=write\nwrite_mode=fast\n", "j:3:12: write_mode: column 1: write, zeroes");
    REFUSED("[a]\nrw=write\nbuffer_compress_percentage=101\n", "up to 100");
    REFUSED("[a]\nrw=write\ndedupe_mode=twice\n", "j:3:13: dedupe_mode is repeat or working_set");

    /* of sections at the same time, those that write have it */
    struct err e;
    CHECK_INT(read_text("[global]\nfilename=x\nsize=1m\nzero_buffers\n[a]\n[b]\nrw=write\n", &e),
              0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK(strstr(words_of(0), "address sequential --zero_buffers --size=1048576") != NULL);
    fio_sessions_free(&sessions);
}

/* Written data is verified by its own section or by a later one; regions, and whole files. */
static void test_verify(void)
{
    ONE("rw=write\nverify=crc32c-intel\nverify_backlog=8\n",
        "--rw=write --bs=4096 --verify --ioengine=sync --direct=0 .");
    ONE("rw=write\nverify=meta\ndo_verify=0\nverify_pattern=0xff\n",
        "--rw=write --bs=4096 --verify --do_verify=0 --ioengine=sync --direct=0 .");
    ONE("rw=read\nverify=meta\ndo_verify=1\n",
        "--rw=read --bs=4096 --ioengine=sync --direct=0 --verify .");
    ONE("rw=read\nverify=meta\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=write\nverify=null\n", "--rw=write --bs=4096 --ioengine=sync --direct=0 .");
    ONE("rw=write\nverify=md5\nzero_buffers\n",
        "--rw=write --bs=4096 --verify --ioengine=sync --direct=0 .");
    REFUSED("[a]\nrw=write\nverify=crc\n", "j:3:8: verify is crc32c, xxhash, sha256, meta");
    REFUSED("[a]\nrw=write\nverify=md5\ndo_verify=2\n", "do_verify is 0 or 1");
    ONE("rw=write\natomic=1\ndirect=1\n",
        "--rw=write --bs=4096 --ioengine=sync --direct=1 --atomic=1 .");
    ONE("filename=x\nrw=write\nnumjobs=3\noffset_increment=8m\nsize=1m\n",
        "--rw=write --bs=4096 --size=1048576 --offset_increment=8388608 --numjobs=3 "
        "--ioengine=sync --direct=0 x");
    ONE("filename=x\nrw=write\noffset_increment=8m\n",
        "--rw=write --bs=4096 --ioengine=sync --direct=0 x");
    FAULT("[a]\nnumjobs=2\nsize=1m\noffset_increment=1m\n",
          "[a] offset_increment: bytes are needed");
    FAULT("[global]\nfilename=x\nsize=1m\nnumjobs=2\noffset_increment=1m\n[a]\n[b]\nbs=8k\n",
          "only where one section runs at a time");
}

static void test_faults(void)
{
    FAULT("[a]\n  verify_only\n", "j:2:3: [a] verify_only: what is read back was written by");
    FAULT("[a]\ncmdprio_percentage=5\n", "through the page cache requests have no priority");
    FAULT("[a]\ndirect=1\ncmdprio_percentage=5\n", "io_uring and libaio alone");
    FAULT("[a]\nrw=write\nprioclass=3\n", "writes back from the page cache");
    FAULT("[a]\nioengine=io_uring_cmd\nfilename=/d\nprio=3\n", "past the block layer");
    FAULT("[a]\nrw=write\nrate_iops=5\nfsync=1\n", "j:4:1: [a] fsync");
    FAULT("[a]\nrw=write\nfsync=4\nfdatasync=4\n", "j:4:1: [a] fdatasync");
    FAULT("[a]\nrw=write\nsize=1m\nfdatasync=4\n[b]\nrw=write\nsize=1m\nbs=8k\n",
          "j:4:1: [a] fdatasync");
    FAULT("[a]\nwrite_barrier=1\n", "j:2:1: [a] write_barrier");
    FAULT("[a]\nuid=0\n", "j:2:1: [a] uid");
    FAULT("[a]\nrw=randread:8\n", "j:2:1");
    FAULT("[a]\nrw=read:-4k\n", "begins where the one before does");
    FAULT("[a]\nzonemode=zones\n", "j:2:1: [a] zonemode=zones: zbd is known, and strided");
    FAULT("[a]\nrw=write\nzonemode=zbd\njob_max_open_zones=2\n",
          "job_max_open_zones: all jobs share the open zones");
    FAULT("[a]\nrw=randread\nzonemode=strided\nzonesize=1m\n", "in sequence");
    FAULT("[a]\nbsrange=4k-1m\n", "more than 24 sizes");
    FAULT("[a]\nfilename=x\noffset=10%\nsize=1m\n", "both bytes or both shares");
    FAULT("[a]\nioengine=rbd\npool=x\n", "j:2:1: [a] ioengine=rbd");
    FAULT("[a]\nioengine=mmap\n", "takes sync");
    FAULT("[a]\nfilename=a:b\n", "j:2:1: [a] filename: of 2 files each needs a request");
    FAULT("[a]\nfilename=a:b\nnumjobs=2\nfile_service_type=sequential\n[b]\n", "at the same time");
    FAULT("[a]\nnrfiles=2\nfile_service_type=zipf:1.2\n", "the same number of requests");
    FAULT("[a]\nrw=randread\nnrfiles=2\nfile_service_type=sequential\n", "go to all files");
    FAULT("[a]\nreadonly\nrw=randwrite\n", "j:2:1: [a] readonly");
    FAULT("[a]\nioengine=libaio\niodepth=4\nrate_iops=9\niodepth_batch_complete=2\n",
          "j:5:1: [a] iodepth_batch_complete: batches");
    FAULT("[a]\nsize=50%\n", "a file that is not there yet");
    REFUSED("[a]\nsize=4z\n", "j:2:6: size=4z: zones need zonemode=zbd and zonesize");
    FAULT("[a]\nno_such_thing=1\n", "j:2:1: [a] no_such_thing: neither fio nor cupel");
    FAULT("[a]\nrandom_distribution=normal:1\nrw=randread\n", "zipf:THETA");
    FAULT("[a]\nlatency_target=1ms\n", "latency_percentile makes it a limit");

    /* a section that cannot be measured gives no session */
    struct err e;
    CHECK_INT(read_text("[a]\nioengine=net\nport=1\n[b]\n", &e), 0);
    CHECK_INT(sessions.count, 1);
    CHECK_INT(sessions.fault_count, 1);
    CHECK_STR(sessions.list[0].name, "b");
    fio_sessions_free(&sessions);
}

/* Several files: each is a session with its share of jobs, iodepth, rate and size. */
static void test_files(void)
{
    struct err e;
    CHECK_INT(read_text("[global]\nioengine=libaio\nfilename=a\n[x]\niodepth=5\nnumjobs=3\n"
                        "filename=/d/b\nrate_iops=10\nsize=10000\nbs=1k\nfilename=a:a\n",
                        &e),
              0);
    CHECK_INT(sessions.fault_count, 0);
    CHECK_INT(sessions.count, 2);
    CHECK_STR(words_of(0),
              "--rw=read --bs=1024 --iodepth=3 --rate_iops=15.000000 --arrival=uniform "
              "--size=4096 --numjobs=3 --ioengine=uring --direct=0 a");
    CHECK_STR(words_of(1),
              "--rw=read --bs=1024 --iodepth=2 --rate_iops=15.000000 --arrival=uniform "
              "--size=4096 --numjobs=3 --ioengine=uring --direct=0 /d/b");
    CHECK_STR(sessions.list[1].name, "x b");
    CHECK(!sessions.list[0].at_once && sessions.list[1].at_once);
    fio_sessions_free(&sessions);
    AT_ONCE("[x]\nioengine=psync\nnumjobs=3\nfilename=a:b\n", 2);
    AT_ONCE("[x]\nioengine=libaio\niodepth=2\nnumjobs=2\nfilename=a:b:c\n", 3);
    /* folders are distributed over the jobs */
    CHECK_INT(read_text("[x]\nnumjobs=3\nsize=8k\ndirectory=/a:/b\n", &e), 0);
    CHECK_STR(words_of(0),
              "--rw=read --bs=4096 --size=16384 --numjobs=2 --ioengine=sync --direct=0 /a");
    CHECK_STR(words_of(1), "--rw=read --bs=4096 --size=8192 --ioengine=sync --direct=0 /b");
    fio_sessions_free(&sessions);
    ONE("directory=/a:/b\nfilename=f\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 /a/f");
    /* as in fio, a section named after a device uses that device */
    CHECK_INT(read_text("[/dev/null]\nnumjobs=2\nsize=8k\n", &e), 0);
    CHECK_STR(words_of(0), "--rw=read --bs=4096 --size=8192 --numjobs=2 --ioengine=sync --direct=0 "
                           "/dev/null");
    fio_sessions_free(&sessions);
    /* without names: parts of one scratch file */
    ONE("nrfiles=4\nsize=1m\nopenfiles=2\n",
        "--rw=randread --bs=4096 --random_distribution=streams:4 --size=1048576 --ioengine=sync "
        "--direct=0 .");
    ONE("nrfiles=4\nfilesize=1m\nrw=randwrite\nfile_service_type=random\n",
        "--rw=randwrite --bs=4096 --size=4194304 --ioengine=sync --direct=0 .");
    ONE("nrfiles=4\nsize=1m\nfile_service_type=sequential\n",
        "--rw=read --bs=4096 --size=1048576 --ioengine=sync --direct=0 .");
    ONE("nrfiles=4\nfilename=f\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 f");
}

/* Input that looks wrong but that fio accepts. */
static void test_as_fio(void)
{
    ONE("rw=randread\nbssplit=4k/50:8k/:16k/\n",
        "--rw=randread --bssplit=4096/50:8192/25:16384/25 --ioengine=sync --direct=0 .");
    ONE("rw=randread\nbssplit=4k:8k/10:16k\n",
        "--rw=randread --bssplit=4096/45:8192/10:16384/45 --ioengine=sync --direct=0 .");
    REFUSED("[a]\nbssplit=4k/60:8k/60:1k\n", "j:2:9: bssplit: its weights are 120 %");
    ONE("serialize_overlap=1\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    FAULT("[a]\nrw=write\nserialize_overlap=1\n", "j:3:1: [a] serialize_overlap");
    ONE("ioengine=null\nrw=write\nverify=md5\niodepth_batch_complete=4\niodepth=8\n",
        "--rw=write --bs=4096 --iodepth=8 --ioengine=null ");
    ONE("filename=/dev/x\nsize=100%%\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 /dev/x");
    ONE("blocksize=4k-512k\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("bs=4k-1m,64k\nrw=randrw\n",
        "--rw=randrw --bssplit=4096,65536 --ioengine=sync --direct=0 .");
    ONE("bs=4k/1m\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("blocksize=4k-512k\nrw=write\n", "--rw=write --bs=524288 --ioengine=sync --direct=0 .");
    ONE("rw=randread\nbssplit=4k/30:8k/30:16k/0\n",
        "--rw=randread --bssplit=4096/30:8192/30:16384/40 --ioengine=sync --direct=0 .");
    ONE("rw=randread\nbssplit=4k/60:8k/60\n",
        "--rw=randread --bssplit=4096/60:8192/40 --ioengine=sync --direct=0 .");
    ONE("cpumask=0x15\n", "--rw=read --bs=4096 --ioengine=sync --direct=0 --cpus=0,2,4 .");
    ONE("write_lat_log=x\nlog_issue_time=1\nlog_window_value=both\nwrite_iolog=y\n",
        "--rw=read --bs=4096 --ioengine=sync --direct=0 .");
    ONE("ioengine=libaio\niodepth=8\niodepth_batch=4\niodepth_batch_complete_min=4\n",
        "--rw=read --bs=4096 --iodepth=8 --iodepth_batch_complete_min=4 --ioengine=uring "
        "--direct=0 .");
    ONE("ioengine=libaio\niodepth=8\niodepth_low=2\niodepth_batch_complete_max=9\n",
        "--rw=read --bs=4096 --iodepth=8 --iodepth_batch_complete_min=6 --ioengine=uring "
        "--direct=0 .");
    ONE("rw=randrw\nrate_iops=1000,500\nbs=4k,8k\n",
        "--profile=[stream a-read];kind open;weight 1000;arrival uniform;jobs 1;size 4096;address "
        "random;[stream a-write];kind open;weight 500;arrival uniform;jobs 1;write 100%;size 8192;"
        "address random --rate_iops=1500.000000 --numjobs=2 --ioengine=sync --direct=0 .");
    ONE("rw=randrw\nrate=,4m\n",
        "--profile=[stream a-read];kind closed;concurrency 1;jobs 1;size 4096;address "
        "random;[stream a-write];kind open;weight 1024;arrival uniform;jobs 1;write 100%;size 4096;"
        "address random --rate_iops=1024.000000 --numjobs=2 --ioengine=sync --direct=0 .");
}

static void test_refusals(void)
{
    REFUSED("", "j:1:1: there is no section");
    REFUSED("[global]\nbs=4k\n", "there is no section");
    REFUSED("bs=4k\n", "j:1:1: a setting stands in a section");
    REFUSED("[a\n", "j:1:1: [NAME] is expected: the ] is missing");
    REFUSED("[]\n", "the name is missing");
    REFUSED("[a]\n =4\n", "j:2:2: a name is expected");
    REFUSED("[a]\nbs=4q\n", "j:2:4: bs is a size as 4096, 4k or 1g, not 4q");
    REFUSED("[a]\nbs\n", "j:2:1: bs needs a value");
    REFUSED("[a]\nrate\n", "j:2:1: rate needs a value");
    REFUSED("[a]\nrate_iops\n", "j:2:1: rate_iops needs a value");
    REFUSED("[a]\nbs=0\n", "above 0");
    REFUSED("[a]\niodepth=x\n", "j:2:9: iodepth is a number");
    REFUSED("[a]\nrw=randraed\n", "j:2:4: rw is one of");
    REFUSED("[a]\ndirect=2\n", "direct is 0 or 1");
    REFUSED("[a]\nruntime=soon\n", "runtime is a time");
    REFUSED("[a]\nrwmixread=101\nrw=rw\n", "up to 100");
    REFUSED("[a]\nwait_for=b\n[b]\n", "no section above has this name");
    REFUSED("[a]\nfilename=${CUPEL_TEST_NOT_SET}\n", "j:2:10: ${CUPEL_TEST_NOT_SET} has no value");
    REFUSED("[a]\ninclude x\n", "include FILE is expected");
    REFUSED("[a]\nbs=4\001k\n", "it is no text");
    REFUSED("[a]\nkb_base=10\n", "1024 or 1000");
    REFUSED("[a]\nfilename=:\n", "j:2:10: filename names no file");
    REFUSED("[a]\nbssplit=4k/x\n", "SIZE/PERCENT");
    REFUSED("[a]\nprioclass=4\n", "a number up to 3");
    REFUSED("[a]\n" RING "cmdprio_percentage=101\n", "a number up to 100");
    REFUSED("[a]\n" RING "cmdprio_bssplit=4k\n", "SIZE/PERCENT/CLASS/LEVEL");
    REFUSED("[a]\n" RING "cmdprio_bssplit=4k/60/1\n", "SIZE/PERCENT/CLASS/LEVEL");
    REFUSED("[a]\n" RING "cmdprio_bssplit=4k/60:4k/50\n", "more than 100 %");
    REFUSED("[a]\n" RING "cmdprio_bssplit=4k/60\ncmdprio_percentage=3\n", "do not go together");
    REFUSED("[a]\nrw=randread\nrandom_distribution=zoned:1/2\n", "j:3:21: random_distribution: ");
    REFUSED("[a]\nrw=randread\nrandom_distribution=sequence:1,x\n",
            "j:3:21: random_distribution: column 12");
    REFUSED("[a]\nbsrange=8k-4k\n", "j:2:9: bsrange is a range as 4k-64k");
    REFUSED("[a]\nbsrange=8k\n", "bsrange is a size");
    REFUSED("[a]\nfilename=x\nsize=110%\n", "a share from 0% to 100%");
    REFUSED("[a]\nfilename=x\noffset=60%\nsize=50%\n", "ends after the target");
    REFUSED("[a]\nrw=read:x\n", "j:2:4: rw is a size");
    REFUSED("[a]\nlatency_target=1ms\nlatency_percentile=101\n", "a share from 0 to 100");
    CHECK(fio_job_is("x.fio") && !fio_job_is(".fio") && !fio_job_is("fio") &&
          !fio_job_is("x.fios"));
}

int main(void)
{
    test_values();
    test_settings();
    test_sections();
    test_concurrent();
    test_addresses();
    test_data();
    test_verify();
    test_faults();
    test_files();
    test_as_fio();
    test_refusals();
    return check_result();
}
