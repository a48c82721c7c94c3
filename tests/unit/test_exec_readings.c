/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings from a program's output: columns, and indices as given on the command line. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "program/exec/internal.h"

/* ---- lines and columns ---- */

static void test_last_line(void)
{
    static const struct {
        const char *text, *line;
    } cases[] = {{"a\nb c\n\n \n", "b c"}, {"a", "a"},       {"", ""},    {"\n\n", ""},
                 {"a\r\nb\r\n", "b"},      {"  a  \n", "a"}, {"a\n", "a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[32], copy[32];
        memcpy(bytes, cases[i].text, strlen(cases[i].text) + 1);
        struct output o = {.data = bytes, .length = strlen(bytes)};
        span_copy(copy, output_last_line(&o));
        CHECK_STR(copy, cases[i].line);
    }
}

struct fixture {
    struct exec_index index;
    struct exec_program program;
    struct reader_memory memory;
    double value, duration;
    char why[240];
    bool cut;
};

static struct fixture fixture_of(const char *pi)
{
    struct fixture f = {.program = {.index_count = 1, .duration_column = -1}};
    struct err e;
    CHECK_INT(exec_index_parse(pi, &f.index, &e), 0);
    return f;
}

static bool reads(struct fixture *f, const char *text)
{
    char bytes[2000];
    snprintf(bytes, sizeof bytes, "%s", text);
    struct output o = {.data = bytes, .length = strlen(bytes), .cut = f->cut};
    f->program.indices = &f->index;
    f->why[0] = '\0';
    return readings_take(&f->program, &o, &f->memory, &f->value, &f->duration, f->why,
                         sizeof f->why);
}

static void test_columns(void)
{
    static const char *const lines[] = {"1 2 3",   "1\t2\t3",      "1,2,3",
                                        "1, 2 ,3", "1 \t 2,3\n\n", "x\n1,2\t3 "};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct fixture f = fixture_of("x,u,1");
        CHECK(reads(&f, lines[i]) && f.value == 2);
        CHECK_INT(f.memory.columns, 3);
    }
    struct fixture f = fixture_of("x,u,1");
    CHECK(reads(&f, "1,,3") == false); /* an empty column exists but is not a number */
    CHECK(strstr(f.why, "no finite number") != NULL);
    CHECK(!reads(&f, "1 1e80 2"));
    CHECK(strstr(f.why, "\"1e80\" in column 1 is too large: readings are of at most 1e60") != NULL);
    CHECK(reads(&f, "1 2") && f.value == 2);
    CHECK(!reads(&f, "1 2 3") && strstr(f.why, "those before had 2") != NULL);
    CHECK(reads(&f, "3 4") && f.value == 4);
    f.program.duration_column = 0;
    CHECK(reads(&f, "3 4") && f.duration == 3);
    CHECK(!reads(&f, "-3 4") && strstr(f.why, "duration") != NULL);
    CHECK(!reads(&f, "") && !strcmp(f.why, "it printed nothing"));
    CHECK(!reads(&f, "nan 4") && !reads(&f, "inf 4") && !reads(&f, "1e999 4"));
}

static void test_json_readings(void)
{
    struct fixture f = fixture_of("x,u,a.b");
    CHECK(reads(&f, "{\"a\":\n{\"b\": 5}}\n") && f.value == 5);
    CHECK(reads(&f, "text\n{\"a\": {\"b\": 6}}") && f.value == 6);
    CHECK(!reads(&f, "{\"a\": {\"b\": null}}") && !reads(&f, "{\"a\": {\"b\": {}}}"));
    CHECK(!reads(&f, "5 6") && strstr(f.why, "is a name in JSON") != NULL);

    /* Cut off or followed by other text: the value may be there but cannot be trusted. */
    static const char *const broken[] = {"{\"a\":{\"b\":3",
                                         "{\"a\":{\"b\":3}",
                                         "{\"a\":{\"b\":3}} garbage",
                                         "{\"a\":{\"b\":3}}{\"a\":{\"b\":4}}",
                                         "before\n{\"a\":\n{\"b\":3}}}",
                                         "{\"a\":{\"b\":3} \"c\":1}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        bool good = reads(&f, broken[i]);
        check_int(good, false, __FILE__, __LINE__, broken[i]);
        CHECK_STR(f.why, "its JSON ends early or is wrong");
    }
    f = fixture_of("x,u,text:avg");
    CHECK(reads(&f, "[info] avg 5") && f.value == 5);
}

/* In a line without its beginning columns cannot be counted; a number after certain words can be
   read. */
static void test_cut_line(void)
{
    struct fixture f = fixture_of("x,u,2"), words = fixture_of("x,u,text:rate");
    f.cut = words.cut = true;
    CHECK(!reads(&f, "5 rate 6") && strstr(f.why, "longer than what is kept") != NULL);
    CHECK(!reads(&f, "{\"2\": 6}") && strstr(f.why, "longer than what is kept") != NULL);
    CHECK(reads(&f, "end\n5 rate 6\n") && f.value == 6);
    CHECK(reads(&words, "5 rate 6") && words.value == 6);
    CHECK(!reads(&words, "rate 6")); /* it may have been "no rate" or "berate" */
    words.cut = false;
    CHECK(reads(&words, "rate 6") && words.value == 6);
}

/* ---- numbers after words, and the output of well-known benchmarks ---- */

static void test_words(void)
{
    struct fixture f = fixture_of("x,u,text:tps =");
    CHECK(reads(&f, "tps = 1\ntps = 1234.5 (without)\nend") &&
          check_is_near(f.value, 1234.5, 1e-12));
    CHECK(!reads(&f, "tps none\n12") && strstr(f.why, "no number after") != NULL);
    CHECK(!reads(&f, "tps =\n12"));
    f = fixture_of("x,u,text2:transactions:");
    CHECK(reads(&f, "transactions:   10   (-2.5 per sec.)\nend") &&
          check_is_near(f.value, -2.5, 1e-12));
    CHECK(!reads(&f, "transactions:   10\n20"));
    f = fixture_of("x,u,text:b:|text2:a:|text:c");
    CHECK(reads(&f, "a: 1 2") && check_is_near(f.value, 2, 1e-12));
    CHECK(reads(&f, "b: 7\na: 1 2") && check_is_near(f.value, 7, 1e-12));
    f = fixture_of("x,u,text:avg");
    CHECK(reads(&f, "avg .93 ms") && check_is_near(f.value, 0.93, 1e-12));
    CHECK(reads(&f, "avg -.5") && check_is_near(f.value, -0.5, 1e-12));
    CHECK(reads(&f, "avg +2e3,") && check_is_near(f.value, 2000, 1e-12));
    CHECK(reads(&f, "avg p99 of v1.2: 4") && check_is_near(f.value, 4, 1e-12));
    CHECK(reads(&f, "avg 1,2") && check_is_near(f.value, 1, 1e-12));
    CHECK(!reads(&f, "avg nan (of 3)") && strstr(f.why, "\"nan\" in") != NULL);
    CHECK(!reads(&f, "avg -inf 3") && !reads(&f, "avg - ms"));
    f = fixture_of("x,u,text:total");
    CHECK(!reads(&f, "total 1,234,567 ops") && strstr(f.why, "parted by commas") != NULL);
    CHECK(!reads(&f, "total 1,234"));
    CHECK(reads(&f, "total 1,2345") && check_is_near(f.value, 1, 1e-12));
    f = fixture_of("x,u,text:ops");
    CHECK(reads(&f, "ops 7\nstops: 9\nopsx 10") && check_is_near(f.value, 7, 1e-12));
    CHECK(!reads(&f, "stops: 9"));
    f = fixture_of("x,u,text:ops=");
    CHECK(reads(&f, "ops=7 stops=9") && check_is_near(f.value, 7, 1e-12));
    f = fixture_of("x,u,1");
    CHECK(reads(&f, "\"a b, c\",\"5.5\"") && check_is_near(f.value, 5.5, 1e-12));
}

/* Checks every index of the parser, in order. */
static void parses(const char *name, const char *text, const double expected[], size_t count)
{
    const struct exec_parser *parser = exec_parser_find(name);
    struct exec_program program = {
        .indices = parser->indices, .duration_column = -1, .parser = parser};
    struct reader_memory memory = {0};
    double values[EXEC_PARSER_INDICES_MAX] = {0}, duration;
    char bytes[2000], why[240] = "";
    while (parser->indices[program.index_count].name[0])
        program.index_count++;
    CHECK_INT(program.index_count, count);
    snprintf(bytes, sizeof bytes, "%s", text);
    struct output o = {.data = bytes, .length = strlen(bytes)};
    CHECK(readings_take(&program, &o, &memory, values, &duration, why, sizeof why));
    CHECK_STR(why, "");
    for (size_t i = 0; i < count && i < program.index_count; i++)
        CHECK_NEAR(values[i], expected[i], 1e-12);
}

#define VALUES(...) (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double)

static void test_parsers(void)
{
    const char *fio = "note: a line before\n{\n \"jobs\" : [ { \"jobname\" : \"a\",\n"
                      "\"read\" : {\"bw_bytes\": 4096000, \"iops\" : 1000.5,\n"
                      "\"clat_ns\" : {\"percentile\": {\"50.000000\": 10, \"99.000000\": 20,\n"
                      "\"99.900000\" : 30}}, \"lat_ns\" : {\"mean\": 12.25}},\n"
                      "\"write\" : {\"iops\": 0.0, \"bw_bytes\": 0}} ]\n}\n";
    parses("fio", fio, VALUES(1000.5, 4096000, 12.25, 10, 20, 30));
    parses(
        "sysbench",
        "CPU speed:\n    events per second:  1080.00\n\nLatency (ms):\n"
        "         min:     0.22\n         avg:      0.92\n         95th percentile:      7.84\n"
        "         sum:      998.82\n\nThreads fairness:\n    events (avg/stddev):   1081.0/0.0\n",
        VALUES(1080, 0.92e6, 7.84e6));
    parses("pgbench",
           "latency average = 0.512 ms\ninitial connection time = 1.9 ms\n"
           "tps = 1951.4 (without initial connection time)\n",
           VALUES(1951.4, 0.512e6));
    parses("redis-benchmark",
           "\"test\",\"rps\",\"avg_latency_ms\"\n"
           "\"MSET (10 "
           "keys)\",\"20000.00\",\"2.086\",\"0.040\",\"1.831\",\"4.087\",\"6.175\",\"6.351\"\n",
           VALUES(20000, 2.086e6, 1.831e6, 4.087e6, 6.175e6));

    /* Operations that did not occur, and output of several jobs. */
    struct fixture f = {.index = exec_parser_find("fio-write")->indices[0],
                        .program = {.index_count = 1, .duration_column = -1}};
    CHECK(!reads(&f, fio) && strstr(f.why, "did nothing of the kind") != NULL);
    f.program.parser = exec_parser_find("fio");
    CHECK(!reads(&f, "{\"jobs\": [{}, {}]}") && strstr(f.why, "--group_reporting") != NULL);
    CHECK(exec_parser_find("dd") == NULL);

    /* Names of indices are also metrics in a CSV. */
    for (const struct exec_parser *p = exec_parsers; p->name; p++)
        for (const struct exec_index *i = p->indices; i->name[0]; i++)
            CHECK(!strpbrk(i->name, " ,()\""));
}

/* ---- indices as given on the command line ---- */

static void test_index_words(void)
{
    struct exec_index index;
    struct err e;
    CHECK_INT(exec_index_parse("rate, MB/s ,2,ratio,lower,5%", &index, &e), 0);
    CHECK_STR(index.name, "rate");
    CHECK_STR(index.unit, "MB/s");
    CHECK_STR(index.source, "2");
    CHECK_INT(index.type, INDEX_RATIO);
    CHECK_INT(index.better, METRIC_BETTER_LOWER);
    CHECK_NEAR(index.target_width, 0.05, 1e-12);
    CHECK_INT(exec_index_parse("t,s,,duration", &index, &e), 0);
    CHECK_STR(index.source, "0");
    CHECK_INT(index.better, METRIC_BETTER_LOWER);
    CHECK_INT(exec_index_parse("x", &index, &e), 0);
    CHECK_INT(index.better, METRIC_BETTER_HIGHER);
    CHECK(!(index.target_width > 0));
    static const char *const wrong[] = {"",
                                        ",u,0",
                                        "a/b",
                                        "a,u,0,x",
                                        "a,u,0,,x",
                                        "a,u,0,ratio,higher,0",
                                        "a,u,0,,,2",
                                        "a,u,0,,,5%,rest",
                                        "a,longer than a unit is,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_int(exec_index_parse(wrong[i], &index, &e), -1, __FILE__, __LINE__, wrong[i]);
        CHECK_INT(e.code, ERR_USAGE);
    }
}

static void test_substitution(void)
{
    const struct execution_parameter parameter = {"size", "4k"};
    const struct substitution s = {"12", "/a/b", "3", "/dev/fd/3", &parameter, 1};
    static const struct {
        const char *text, *filled;
    } cases[] = {{"%WORK_AMOUNT%", "12"},
                 {"-o %RESULT_DIR%/f.%ROUND%", "-o /a/b/f.3"},
                 {"100% %WORK_AMOUNT %%ROUND%", "100% %WORK_AMOUNT %3"},
                 {"%size%%size", "4k%size"},
                 {">%UNIT_READINGS%", ">/dev/fd/3"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *filled = substitution_apply(&s, cases[i].text);
        CHECK_STR(filled, cases[i].filled);
        free(filled);
    }
    CHECK(substitution_needs_folder("x%RESULT_DIR%") && !substitution_needs_folder("%RESULT_DIR"));
}

/* ---- judging ---- */

static void judge_values(const char *pi, const double values[], size_t n, bool stopping,
                         struct execution_index *to)
{
    struct exec_index index;
    struct judging j = {0};
    struct err e;
    const struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                        .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
                                        .target_width = 0.1,
                                        .minimum_subsessions = 10,
                                        .minimum_readings = 10,
                                        .stopping = stopping};
    CHECK_INT(exec_index_parse(pi, &index, &e), 0);
    CHECK_INT(judging_reserve(&j, n, 1, &e), 0);
    index_judge(&j, 0, &index, &config, values, n, to);
    judging_free(&j);
}

static void test_means(void)
{
    double values[40], bits[40];
    struct execution_index to;
    for (size_t i = 0; i < 40; i++) {
        values[i] = i % 2 ? 40 : 60;
        bits[i] = i % 4 == 1;
    }
    judge_values("x,u,0", values, 40, false, &to);
    CHECK_NEAR(to.value, 50, 1e-12);
    judge_values("x,u,0,ratio", values, 40, false, &to);
    CHECK_NEAR(to.value, 48, 1e-12);
    CHECK(to.low < 48 && to.high > 48);
    judge_values("x,u,0,proportion,higher,20%", bits, 40, false, &to);
    CHECK_NEAR(to.value, 0.25, 1e-12);
    CHECK(to.low > 0 && to.low < 0.25 && to.high > 0.25);
    CHECK_NEAR(to.width, to.high - to.low, 1e-12);
    double fixed = to.width;
    judge_values("x,u,0,proportion,higher,20%", bits, 40, true, &to);
    CHECK(to.width > fixed); /* widened because of the stop rule */

    /* No success, and only successes: Wilson's interval is not empty. */
    for (size_t i = 0; i < 40; i++)
        bits[i] = 0;
    judge_values("x,u,0,proportion", bits, 40, false, &to);
    CHECK(to.value == 0 && to.low == 0 && to.high > 0.05 && to.high < 0.12);

    /* Equal readings are precise from the minimum number of rounds on. */
    for (size_t i = 0; i < 40; i++)
        values[i] = 5;
    judge_values("x,u,0", values, 9, true, &to);
    CHECK(!to.enough);
    judge_values("x,u,0", values, 10, true, &to);
    CHECK(to.enough && to.value == 5);
}

int main(void)
{
    test_last_line();
    test_columns();
    test_json_readings();
    test_cut_line();
    test_words();
    test_parsers();
    test_index_words();
    test_substitution();
    test_means();
    return check_result();
}
