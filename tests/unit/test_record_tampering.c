/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record with the verdict PRECISE, tampered with in every way: parts removed, doubled, moved,
 * taken from another record, appended; impossible numbers with correct checksums. In no case is the
 * exit status 0.
 */
#include "check.h"
#include "fake_io.h"
#include "record_report.h"

#include "run/record/record.h"

enum { CHUNKS_MAX = 256, BATCHES = 26, MEASURED_ROUNDS = 2 };

static struct arena arena;
static struct record_bytes whole, other, changed;
static size_t starts[CHUNKS_MAX], count; /* of whole's chunks */

/* Returns a batch with 20 I/Os of about 1 ms per slice. */
static struct batch steady_batch(struct random *random)
{
    struct batch b = {.timing = NULL};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    for (unsigned i = 0; i < b.slice_count; i++) {
        for (uint64_t k = 18 + random_below(random, 5); k > 0; k--)
            count_io(&b.slices[i], &b.latency[OPERATION_READ], REQUEST_READ,
                     900000 + random_below(random, 200000), 4096);
        b.slices[i].asked_bytes = b.slices[i].op[OPERATION_READ].bytes;
        b.slices[i].busy_ns = 9000000;
    }
    static const struct batch_stretch stretches[] = {{0, 20000000, 18000000},
                                                     {23000000, 50000000, 27000000}};
    b.stretches = stretches;
    b.stretch_count = 2;
    return b;
}

static void write_round(struct record_writer *w, struct measurement *m, struct random *random,
                        bool trial)
{
    struct err e = {0};
    double begin = (double)m->round_count * 2;
    CHECK_INT(measurement_begin_round(m, trial, begin, &e), 0);
    record_begin_round(w, &m->rounds[m->round_count - 1]);
    for (unsigned i = 0; !trial && i < BATCHES; i++) {
        struct batch batch = steady_batch(random);
        measurement_add(m, &batch);
        record_batch(w, &batch);
    }
    struct slice total = m->rounds[m->round_count - 1].total;
    measurement_end_round(m, 1.25, &total);
    record_end_round(w, &m->rounds[m->round_count - 1]);
}

/* What a record claims about its session. */
struct claim {
    enum verdict verdict;
    double runtime;
    const char *sla;
};

static void write_record(struct record_bytes *to, uint64_t seed, const struct claim *claim)
{
    static struct contents c;
    struct record_writer w;
    struct random random;
    struct err e = {0};
    random_seed(&random, seed, 0);
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&c, OPERATION_SET_ALL, false, &arena, &e), 0);
    plan_init(&c.plan);
    plan_apply_preset(&c.plan, "quick", &e);
    c.plan.ending.runtime_seconds = claim->runtime;
    snprintf(c.plan.ending.sla, sizeof c.plan.ending.sla, "%s", claim->sla);
    unlink(path);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    record_plan(&w, &c.plan);
    record_host(&w, &(struct host_identity){"host", {1}, true});
    record_clock(&w, &(struct clock_error){UINT64_C(1700000000000000000), 1000, "chrony"});
    facts_add(&c.settings, "target", "target", "disk", "", "", FACT_OK);
    facts_add(&c.settings, "workers", "workers", "1", "", "", FACT_OK);
    inventory_add_node(&c.hardware, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    record_facts(&w, &c);
    c.measurement.slice_seconds = 0.01;
    record_slice_length(&w, 0.01);
    write_round(&w, &c.measurement, &random, true);
    for (int i = 0; i < MEASURED_ROUNDS; i++)
        write_round(&w, &c.measurement, &random, false);
    c.overhead = (struct overhead){20, 2000, 2001, 0.01};
    contents_note(&c, false, "a note");
    c.verdict = claim->verdict;
    record_end(&w, &c);
    record_close(&w);
    contents_free(&c);
    CHECK_INT(w.error.code, 0);
    CHECK(record_bytes_load(to, path));
}

/* Checks that the record is refused, or called damaged with a warning that says why. */
static void check_noticed(const char *what, size_t number, const char *words)
{
    struct err e;
    int status = status_of(changed.bytes, changed.size, &e);
    bool noticed =
        status == ERR_USAGE ||
        (status == ERR_UNDECIDED && result.verdict == VERDICT_DAMAGED && has_note(true, words));
    if (!check_that(noticed, __FILE__, __LINE__, what))
        fprintf(stderr, "    chunk %zu of %zu, status %d, %s: %s\n", number, count, status,
                verdict_name(result.verdict), e.msg);
}

static void begin_changed(void)
{
    memcpy(changed.bytes, whole.bytes, RECORD_HEAD);
    changed.size = RECORD_HEAD;
}

/* Adds a chunk unchanged, with its number and checksum. */
static void add_raw(const struct record_bytes *from, size_t at)
{
    memcpy(changed.bytes + changed.size, from->bytes + at, chunk_bytes(from, at));
    changed.size += chunk_bytes(from, at);
}

/* Selects all kinds of chunks, but only some of the many with readings, as each one takes a report.
 */
static bool is_attacked(size_t i)
{
    const unsigned char *type = whole.bytes + starts[i];
    return (memcmp(type, "BTCH", 4) != 0 && memcmp(type, "BUSY", 4) != 0) || i % 8 < 2;
}

static void check_whole(void)
{
    struct err e;
    CHECK_INT(status_of(whole.bytes, whole.size, &e), 0);
    CHECK_INT(result.verdict, VERDICT_PRECISE);
    CHECK_INT(result.note_count, 1);
}

static void check_removed(void)
{
    struct err e;
    for (size_t i = 0; i < count; i++) {
        if (!is_attacked(i))
            continue;
        begin_changed();
        for (size_t k = 0; k < count; k++)
            if (k != i)
                add_raw(&whole, starts[k]);
        if (i + 1 < count)
            check_noticed("a chunk less", i, "missing");
    }
    CHECK_INT(status_of(changed.bytes, changed.size, &e), ERR_UNDECIDED); /* the end less */
    CHECK_INT(result.verdict, VERDICT_CUT_SHORT);

    bool in_round = false;
    begin_changed();
    for (size_t k = 0; k < count; k++) {
        in_round |= memcmp(whole.bytes + starts[k], "RBEG", 4) == 0;
        if (!in_round)
            add_raw(&whole, starts[k]);
        in_round &= memcmp(whole.bytes + starts[k], "REND", 4) != 0;
    }
    check_noticed("all rounds less", 0, "52 x readings");
}

static void check_doubled_and_swapped(void)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_attacked(i))
            continue;
        begin_changed();
        for (size_t k = 0; k < count; k++) {
            add_raw(&whole, starts[k]);
            if (k == i)
                add_raw(&whole, starts[k]);
        }
        check_noticed("a chunk twice", i,
                      i + 1 < count ? "stand twice" : "follow the record's end");

        begin_changed();
        for (size_t k = 0; k < count; k++)
            add_raw(&whole, starts[k == i && i + 1 < count ? i + 1 : k == i + 1 ? i : k]);
        if (i + 1 < count)
            check_noticed("neighbours swapped", i, "");
    }
}

/* A chunk of another session at the same place. */
static void check_spliced(void)
{
    size_t at = RECORD_HEAD;
    for (size_t i = 0; i < count && at < other.size; i++, at += chunk_bytes(&other, at)) {
        if (!is_attacked(i))
            continue;
        begin_changed();
        for (size_t k = 0; k < count; k++)
            if (k == i)
                add_raw(&other, at);
            else
                add_raw(&whole, starts[k]);
        if (i + 1 < count)
            check_noticed("another record's chunk", i, "damaged");
    }
}

static void check_appended(void)
{
    static const char text[] = "and more";
    changed = whole;
    memcpy(changed.bytes + changed.size, text, sizeof text);
    changed.size += sizeof text;
    check_noticed("text after the end", 0, "follow the record's end");
    changed = whole;
    memset(changed.bytes + changed.size++, 0, 1);
    check_noticed("a byte after the end", 0, "1 bytes follow the record's end");
    changed = whole;
    memcpy(changed.bytes + changed.size, other.bytes, other.size);
    changed.size += other.size;
    check_noticed("another record after the end", 0, "follow the record's end");

    /* Two records that were cut off, one after the other. */
    struct err e;
    begin_changed();
    for (size_t k = 0; k < count / 2; k++)
        add_raw(&whole, starts[k]);
    memcpy(changed.bytes + changed.size, other.bytes, other.size);
    changed.size += other.size;
    CHECK_INT(status_of(changed.bytes, changed.size, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_CUT_SHORT);
    CHECK(has_note(true, "the rest was not used"));
}

static void check_cut(void)
{
    struct random random;
    struct err e;
    random_seed(&random, 8, 1);
    for (size_t i = 0; i < count + 20; i++) {
        size_t size = i < count ? starts[i] : random_below(&random, whole.size);
        if (i < count && !is_attacked(i))
            continue;
        int status = status_of(whole.bytes, size, &e);
        CHECK(status == ERR_USAGE ||
              (status == ERR_UNDECIDED && result.verdict == VERDICT_CUT_SHORT));
        CHECK(status == ERR_UNDECIDED || size < starts[1]);
    }
}

static void check_bytes_changed(void)
{
    struct random random;
    random_seed(&random, 9, 1);
    for (size_t i = 0; i < 60; i++) {
        struct err e;
        size_t at = i < RECORD_HEAD ? i : random_below(&random, whole.size);
        changed = whole;
        changed.bytes[at] ^= (unsigned char)(1 + random_below(&random, 255));
        int status = status_of(changed.bytes, changed.size, &e);
        CHECK(status == ERR_USAGE ||
              (status == ERR_UNDECIDED &&
               (result.verdict == VERDICT_DAMAGED || result.verdict == VERDICT_CUT_SHORT)));
        CHECK(i >= RECORD_HEAD || status == ERR_USAGE);
    }
}

/* Returns the status of the whole record with the payload of its first chunk of that kind replaced,
   and correct checksums, numbers and end. */
static int status_with(const char type[4], const void *payload, size_t length, struct err *e)
{
    bool done = false;
    record_bytes_begin(&changed, RECORD_VERSION);
    for (size_t k = 0; k + 1 < count; k++) {
        bool is_it = !done && memcmp(whole.bytes + starts[k], type, 4) == 0;
        if (is_it)
            record_bytes_add(&changed, type, payload, length);
        else
            record_bytes_copy(&changed, &whole, starts[k]);
        done |= is_it;
    }
    if (!done)
        record_bytes_add(&changed, type, payload, length);
    record_bytes_end(&changed);
    return status_of(changed.bytes, changed.size, e);
}

static unsigned char *put_double(unsigned char *to, double v)
{
    memcpy(to, &v, sizeof v);
    return to + sizeof v;
}

static void check_refused(int status, const struct err *e, const char *words)
{
    CHECK_INT(status, ERR_USAGE);
    if (!check_that(strstr(e->msg, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    got \"%s\"\n", e->msg);
}

static void check_impossible_numbers(void)
{
    static const double wrong[] = {INFINITY, -1};
    unsigned char payload[256], *end;
    struct err e;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int place = 0; place < 7; place++) {
            end = payload;
            for (int k = 0; k < 4; k++)
                end = put_double(end, k == place ? wrong[i] : 1);
            if (place < 4)
                check_refused(status_with("OVER", payload, (size_t)(end - payload), &e), &e,
                              "is possible");
            for (int k = 4; k < 7; k++)
                end = put_double(end, k == place ? wrong[i] : 1);
            check_refused(status_with("BLKL", payload, (size_t)(end - payload), &e), &e,
                          "possible");
        }

    /* A part of the data path with a limit of 0 or infinity: its utilisation would be inf %. */
    for (int i = 0; i < 3; i++) {
        static const unsigned char part[18] = "\1disk\0disk\0bytes\0\1";
        memcpy(payload, part, sizeof part);
        end = put_double(payload + sizeof part, i == 0 ? 0 : i == 1 ? INFINITY : -5);
        end = put_double(end, NAN);
        memset(end, 0, 32);
        check_refused(status_with("PART", payload, (size_t)(end - payload) + 10, &e), &e,
                      "is possible");
    }
    /* A slice of 0 ns, of 1 ns, of a day. */
    check_refused(status_with("SLEN", "\0", 1, &e), &e, "slices have");
    check_refused(status_with("SLEN", "\1", 1, &e), &e, "slices have");
    end = put_leb128(payload, 86400000000000);
    check_refused(status_with("SLEN", payload, (size_t)(end - payload), &e), &e, "slices have");
    /* A round with completed I/O but no time; one of 584 years. */
    check_refused(status_with("REND", "\0\5\5\5\0\0\0\0\0\0\0\0\0\0\0\0\0", 17, &e), &e,
                  "in no time");
    end = put_leb128(payload, UINT64_MAX);
    memset(end, 0, 8);
    check_refused(status_with("REND", payload, (size_t)(end - payload) + 8, &e), &e, "is possible");
    check_refused(status_with("REND", "", 0, &e), &e, "shorter");
    put_leb128(payload, INTERVAL_SLICES + 1);
    check_refused(status_with("BTCH", payload, 1, &e), &e, "is possible");
    /* Half of a boot identifier; a busy interval without busy time. */
    check_refused(status_with("HOST", "host\0\1\2", 7, &e), &e, "shorter");
    check_refused(status_with("CLCK", "\5\5chrony", 8, &e), &e, "shorter");
    check_refused(status_with("BUSY", "\1\0\5\5", 4, &e), &e, "nothing was in flight");
    /* An end with other counts. */
    end = put_leb128(payload, 5);
    record_bytes_begin(&changed, RECORD_VERSION);
    for (size_t k = 0; k + 1 < count; k++)
        record_bytes_copy(&changed, &whole, starts[k]);
    put_le32(end, 0);
    record_bytes_add(&changed, "LAST", payload, (size_t)(end - payload) + 4);
    check_noticed("an end that counts others", 0, "not those that were written");
}

/* All checksums are correct, but the record claims to be precise without readings that are. */
static void check_not_confirmed(void)
{
    struct err e;
    record_bytes_begin(&changed, RECORD_VERSION);
    bool in_round = false;
    for (size_t k = 0; k + 1 < count; k++) {
        in_round |= memcmp(whole.bytes + starts[k], "RBEG", 4) == 0;
        if (!in_round)
            record_bytes_copy(&changed, &whole, starts[k]);
        in_round &= memcmp(whole.bytes + starts[k], "REND", 4) != 0;
    }
    record_bytes_end(&changed);
    CHECK_INT(status_of(changed.bytes, changed.size, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_UNCONFIRMED);
}

/* 2.6 s were measured. Whatever ended the session must be consistent with that. */
static void check_claims(void)
{
    static const struct {
        struct claim claim;
        int status;
        enum verdict verdict;
        const char *words; /* of the error */
    } cases[] = {
        {{VERDICT_MEASURED, 2.6, ""}, 0, VERDICT_MEASURED, ""},
        {{VERDICT_MEASURED, 60, ""}, ERR_UNDECIDED, VERDICT_UNCONFIRMED, "--runtime was not over"},
        {{VERDICT_MEASURED, 0, ""}, ERR_UNDECIDED, VERDICT_UNCONFIRMED, "do not bear it out"},
        {{VERDICT_COMPLETE, 0, ""}, ERR_UNDECIDED, VERDICT_UNCONFIRMED, "do not bear it out"},
        {{VERDICT_DECIDED, 0, "errors=0"}, 0, VERDICT_DECIDED, ""},
        {{VERDICT_DECIDED, 0, "p50<1ms"},
         ERR_UNDECIDED,
         VERDICT_UNCONFIRMED,
         "not every clause was decided"},
        {{VERDICT_INTERRUPTED, 0, "p50<1ms"},
         ERR_UNDECIDED,
         VERDICT_INTERRUPTED,
         "a signal: not every clause was decided"},
    };
    static struct record_bytes claiming;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e;
        write_record(&claiming, 3, &cases[i].claim);
        CHECK_INT(status_of(claiming.bytes, claiming.size, &e), cases[i].status);
        CHECK_INT(result.verdict, cases[i].verdict);
        if (!check_that(strstr(e.msg, cases[i].words) != NULL, __FILE__, __LINE__, cases[i].words))
            fprintf(stderr, "    got \"%s\"\n", e.msg);
    }
}

int main(void)
{
    struct err e;
    test_path(path, sizeof path, "tampering");
    CHECK_INT(
        arena_init(&arena, contents_bytes(OPERATION_SET_ALL, false) + RECORD_BUFFER + 4096, &e), 0);
    const struct claim precise = {VERDICT_PRECISE, 0, ""};
    write_record(&other, 2, &precise);
    write_record(&whole, 1, &precise);
    for (size_t at = RECORD_HEAD; at < whole.size && count < CHUNKS_MAX;
         at += chunk_bytes(&whole, at))
        starts[count++] = at;
    check_whole();
    check_removed();
    check_doubled_and_swapped();
    check_spliced();
    check_appended();
    check_cut();
    check_bytes_changed();
    check_impossible_numbers();
    check_not_confirmed();
    check_claims();
    unlink(path);
    arena_free(&arena);
    return check_result();
}
