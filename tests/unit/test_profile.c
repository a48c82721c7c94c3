/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: their meaning, that the built-in ones are correct, and the messages for faulty ones. */
#include <unistd.h>

#include "check.h"
#include "source/generator/generators.h"
#include "source/generator/profile.h"

static struct workload_spec spec;
static struct err e;

static int parse(const char *text)
{
    e = (struct err){0};
    return profile_parse(&spec, "p", text, strlen(text), &e);
}

static void expect(const char *text, const char *place, const char *part, int line)
{
    int result = parse(text);
    if (!check_that(result == -1 && e.code == ERR_USAGE && strstr(e.msg, part) &&
                        strncmp(e.msg, place, strlen(place)) == 0 && e.msg[strlen(place)] == ':',
                    __FILE__, line, text)) {
        fprintf(stderr, "    got \"%s\", expected \"%s: ... %s\"\n", e.msg, place, part);
    }
}
#define EXPECT(text, place, part) expect(text, place, part, __LINE__)

static void test_meaning(void)
{
    CHECK_INT(parse("\xef\xbb\xbf# a comment\r\n"
                    "name  two words # and a comment\r\n"
                    "about it is # 1\n"
                    "rate 5k:10s,500\n"
                    "\n"
                    "[stream a]\n"
                    "\tarrival pareto:1.9\n"
                    "\tweight 3\n"
                    "\twrite 30%\n"
                    "\tregion 10%-0.5\n"
                    "\taddress zipf:1.1\n"
                    "\tsequential 20%\n"
                    "\tsize 4k/75:64k\n"
                    "\talign 8k\n"
                    "[ stream  b-2_C ]\n"
                    "kind closed\n"
                    "concurrency 7\n"
                    "think exponential:3ms\n"
                    "[stream t]\n"
                    "kind transaction\n"
                    "weight 1\n"
                    "region 20%-30%\n"
                    "step read random\n"
                    "step   write  same   think  uniform:5us\n"
                    "step tell l think 1ms\n"
                    "step write sequential region 50%-60% size 16k\n"
                    "[stream l]\n"
                    "kind log\n"
                    "record 100\n"
                    "align 512\n"
                    "size 128k"),
              0);
    CHECK_STR(e.msg, "");
    CHECK_STR(spec.name, "two words");
    CHECK_STR(spec.about, "it is");
    CHECK(spec.phases.count == 2 && spec.phases.phase[1].rate_begin == 500);
    CHECK_INT(spec.stream_count, 4);

    const struct stream_spec *a = &spec.streams[0], *b = a + 1, *t = a + 2, *l = a + 3;
    CHECK_STR(a->name, "a");
    CHECK(a->kind == STREAM_OPEN && a->arrival.kind == ARRIVAL_PARETO && a->rate_share == .75);
    CHECK(a->write_share == .3 && a->region_from == .1 && a->region_to == .5);
    CHECK(a->address.kind == ADDRESS_ZIPF && a->sequential_share == .2 && a->align == 8192);
    CHECK(a->size_count == 2 && a->sizes[1].weight == 25);

    CHECK_STR(b->name, "b-2_C");
    CHECK(b->kind == STREAM_CLOSED && b->concurrency == 7 && b->think.ns == 3000000);
    CHECK(b->size_count == 1 && b->sizes[0].bytes == 4096 && b->region_to == 1);

    CHECK(t->kind == STREAM_TRANSACTION && t->rate_share == .25 && t->step_count == 4);
    CHECK(t->arrival.kind == ARRIVAL_POISSON);
    CHECK(t->steps[0].op == 0 && t->steps[0].region_from == .2 && t->steps[0].message_to == -1);
    CHECK(t->steps[1].op == 1 && t->steps[1].address.kind == ADDRESS_SAME);
    CHECK(t->steps[1].think.kind == DURATION_UNIFORM && t->steps[1].think.ns == 5000);
    CHECK(t->steps[2].message_to == 3 && t->steps[2].think.ns == 1000000);
    CHECK(t->steps[3].region_from == .5 && t->steps[3].bytes == 16384 && t->steps[3].op == 1);
    CHECK(l->kind == STREAM_LOG && l->log_bytes_per_message == 100 && l->sizes[0].bytes == 131072);
    CHECK_INT(workload_spec_granularity(&spec), 512);
}

static void test_head_errors(void)
{
    EXPECT("", "p:1:1", "at least one [stream NAME]");
    EXPECT("name x\n\n", "p:2:1", "at least one");
    EXPECT("nane x\n", "p:1:1", "did you mean name?");
    EXPECT("zzzzzz x\n", "p:1:1", "possible: name, about, rate, kind, arrival");
    EXPECT("name\n", "p:1:5", "the value of name is missing");
    EXPECT("name a\nname b\n", "p:2:1", "given twice");
    EXPECT("  rate 5x\n", "p:1:8", "not a rate");
    EXPECT("size 4k\n", "p:1:1", "belongs into a stream");
    EXPECT("[stream a\n", "p:1:1", "the ] is missing");
    EXPECT("[strem a]\n", "p:1:2", "[stream NAME] is expected");
    EXPECT("[stream]\n", "p:1:8", "a name has 1 to 31");
    EXPECT("[stream a b]\n", "p:1:9", "a name has 1 to 31");
    EXPECT("[stream aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\n", "p:1:9", "1 to 31");
    EXPECT("[stream a]\n[stream a]\n", "p:2:9", "already");
    EXPECT("[stream a]\nname x\n", "p:2:1", "before the first");
    EXPECT("name a\x01z\n", "p:1:1", "no text");
    EXPECT("rate 100\n[stream a]\nkind closed\n", "p:3:1", "there are none");
    EXPECT("name 0123456789012345678901234567890123456789012345678901234567890123\n", "p:1:6",
           "at most 63");
    char zero[] = "[stream a]\n\0size 4k\n";
    e = (struct err){0};
    CHECK_INT(profile_parse(&spec, "p", zero, sizeof zero - 1, &e), -1);
    CHECK(strstr(e.msg, "p:2:1: ") == e.msg);
}

static void test_stream_errors(void)
{
    EXPECT("[stream a]\nkind opne\n", "p:2:6", "did you mean open");
    EXPECT("[stream a]\nsize 4k\nkind open\n", "p:3:6", "kind comes first");
    EXPECT("[stream a]\nkind closed\nweight 3\n", "p:3:1",
           "not possible in a stream of kind closed");
    EXPECT("[stream a]\nconcurrency 3\n", "p:2:1", "kind open");
    EXPECT("[stream a]\nregion 5%\n", "p:2:8", "FROM-TO");
    EXPECT("[stream a]\nregion 50%-20%\n", "p:2:8", "before it begins");
    EXPECT("[stream a]\nregion 5%-120%\n", "p:2:11", "above 100%");
    EXPECT("[stream a]\nwrite 2\n", "p:2:7", "a share");
    EXPECT("[stream a]\nweight -1\n", "p:2:8", "a weight");
    EXPECT("[stream a]\nweight 0\n[stream b]\n", "p:1:1", "would never do anything");
    EXPECT("[stream a]\nweight 0\n", "p:2:1", "no stream has a weight above 0");
    EXPECT("[stream a]\naddress same\n", "p:2:9", "steps of transactions");
    EXPECT("[stream a]\naddress hotspot:1%/x\n", "p:2:20", "not a share");
    EXPECT("[stream a]\nsize 4k/50:8k/50:16k\n", "p:2:6", "nothing of 100");
    EXPECT("[stream a]\nalign 100\n", "p:2:7", "512 B");
    EXPECT("[stream a]\nkind closed\nconcurrency 0\n", "p:3:13", "from 1");
    char many[STREAMS_MAX * 16 + 64] = "", one[32];
    for (int i = 0; i <= STREAMS_MAX; i++) {
        snprintf(one, sizeof one, "[stream s%d]\n", i);
        strcat(many, one);
    }
    EXPECT(many, "p:33:9", "more than 32 streams");
}

static void test_step_errors(void)
{
#define T "[stream t]\nkind transaction\n"
#define L "[stream l]\nkind log\nrecord 1\n"
    EXPECT(T, "p:1:1", "no step that reads or writes");
    EXPECT(T "step tell l\n" L, "p:1:1", "no step that reads or writes");
    EXPECT(T "step reed random\n", "p:3:6", "did you mean read");
    EXPECT(T "step read\n", "p:3:10", "missing");
    EXPECT(T "step read rand\n", "p:3:11", "did you mean random");
    EXPECT(T "step write same\n", "p:3:12", "no step before");
    EXPECT(T "step read random\nstep write same:2\n", "p:4:12", "no step before");
    EXPECT(T "step read random\nstep tell l\nstep write same:2\n" L, "p:5:12", "no step before");
    EXPECT(T "step read random\nstep write same size 8k\n", "p:4:17", "only think");
    EXPECT(T "step read random sice 8k\n", "p:3:18", "did you mean size");
    EXPECT(T "step read random size\n", "p:3:22", "value of size is missing");
    EXPECT(T "step read random region 9-1\n", "p:3:25", "a share");
    EXPECT(T "step read random think x\n", "p:3:24", "a time");
    EXPECT(T "step read random\nstep tell\n", "p:4:10", "tell LOG");
    EXPECT(T "step read random\nstep tell  nobody\n" L, "p:4:12", "no stream is called");
    EXPECT(T "step read random\nstep tell t\n", "p:4:11", "is no log");
    EXPECT(T "step read random\nstep tell l region 0-1\n" L, "p:4:13", "only think");
    EXPECT(L "size 4k:8k\n", "p:4:6", "one size");
    EXPECT(L "address random\n", "p:4:1", "kind log");
    EXPECT(L, "p:1:1", "nobody tells log l");
    EXPECT(T "step read random\nstep tell l\n[stream l]\nkind log\n", "p:5:1", "needs a record");
    EXPECT(T "step read random\nstep tell l\n" L "size 6k\n", "p:5:1", "no multiple");
    EXPECT(T "step read random\nstep tell l\n[stream l]\nkind log\nrecord 64k\nsize 4k\n", "p:5:1",
           "larger than");
    char many[1000] = T;
    for (int i = 0; i <= STEPS_MAX; i++) {
        strcat(many, "step read random\n");
    }
    EXPECT(many, "p:19:6", "more than 16 steps");
}

/* Each built-in profile works on a small and on a large target, and describes itself. */
static void test_builtins(void)
{
    static const uint64_t regions[] = {64u << 20, 1ull << 45};
    unsigned count = 0;
    for (const struct profile_builtin *p = profile_builtins; p->name != NULL; p++, count++) {
        e = (struct err){0};
        CHECK_INT(profile_load(&spec, p->name, &e), 0);
        CHECK_STR(e.msg, "");
        CHECK_STR(spec.name, p->name);
        CHECK(strlen(spec.about) > 20);
        CHECK(workload_spec_granularity(&spec) % 512 == 0);
        for (int i = 0; i < 2; i++) {
            struct generators *g;
            struct arena arena;
            const struct generators_setup setup = {
                .spec = &spec, .region = regions[i], .copies = 1, .step = 1};
            CHECK_INT(arena_init(&arena, generators_bytes(&setup), &e), 0);
            CHECK_INT(generators_init(&g, &setup, &arena, &e), 0);
            CHECK_STR(e.msg, "");
            arena_free(&arena);
        }
    }
    CHECK(count >= 2);
}

static double share_of(double (*of)(const struct stream_spec *))
{
    double sum = 0;
    for (unsigned i = 0; i < spec.stream_count; i++) {
        sum += spec.streams[i].rate_share * of(&spec.streams[i]);
    }
    return sum;
}

static double reads(const struct stream_spec *s)
{
    return 1 - s->write_share;
}

static double sequential(const struct stream_spec *s)
{
    return s->address.kind == ADDRESS_SEQUENTIAL;
}

static double in_asu_1(const struct stream_spec *s)
{
    return s->region_to <= .45;
}

/* The published sums of SPC-1's streams: 40 % reads and 39 % sequential (Gill and Modha, USENIX ATC
   2005, in whole percents), 59.6 % to ASU-1. */
static void test_spc_1(void)
{
    CHECK_INT(profile_load(&spec, "spc-1", &e), 0);
    CHECK_INT(spec.stream_count, 8);
    CHECK(fabs(share_of(reads) - .40) < .01);
    CHECK(fabs(share_of(sequential) - .39) < .01);
    CHECK_NEAR(share_of(in_asu_1), .596, 1e-9);
}

static void test_tpc_b(void)
{
    CHECK_INT(profile_load(&spec, "tpc-b", &e), 0);
    CHECK_INT(stream_spec_requests(&spec.streams[0]), 6);
    CHECK_INT(spec.streams[0].steps[3].message_to, 1);
    CHECK_INT(spec.streams[1].kind, STREAM_LOG);
}

static void test_load(void)
{
    CHECK_INT(profile_load(&spec, "tcp-b", &e), -1);
    CHECK(strstr(e.msg, "did you mean tpc-b?") != NULL && e.code == ERR_USAGE);
    CHECK_INT(profile_load(&spec, "nothing-like-it", &e), -1);
    CHECK(strstr(e.msg, "possible: ") != NULL && strstr(e.msg, "spc-1") != NULL);
    CHECK_INT(profile_load(&spec, "./nowhere.profile", &e), -1);
    CHECK(strstr(e.msg, "./nowhere.profile") != NULL && e.code == ERR_USAGE);
    CHECK_INT(profile_load(&spec, "/", &e), -1);

    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/test_profile.XXXXXX", folder != NULL ? folder : "/tmp");
    int fd = mkstemp(path);
    static const char text[] = "rate 10\n[stream x]\nsize 8k\nkind open\n";
    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    CHECK_INT(profile_load(&spec, path, &e), -1);
    CHECK(strstr(e.msg, ":4:6: kind comes first") != NULL &&
          strncmp(e.msg, path, strlen(path)) == 0);
    close(fd);
    unlink(path);
}

static void test_help(void)
{
    struct text t = {0};
    profile_help(&t);
    CHECK(!t.failed && strstr(t.data, "[stream NAME]") && strstr(t.data, "tpc-b"));
    CHECK(strstr(t.data, "comes on top of the rate") != NULL);
    for (const char *line = t.data; *line; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= 79);
    CHECK(strstr(t.data, "concurrency") && strstr(t.data, "transaction"));
    text_free(&t);
}

int main(void)
{
    test_meaning();
    test_head_errors();
    test_stream_errors();
    test_step_errors();
    test_builtins();
    test_spc_1();
    test_tpc_b();
    test_load();
    test_help();
    return check_result();
}
