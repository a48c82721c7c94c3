/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Certificates: the verdict for each kind of end, that an undecided result never looks passed, that
   no value can forge a line, and that their rows can be found again. */
#include "certificate/page/certificate.h"

#include "facts/analysis.h"
#include "facts/labels.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/qualification_fixture.h"
#include "tests/unit/report_fixture.h"

static struct fixture f;

static const struct certificate_file record = {
    .name = "record.cupel",
    .sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"};

static struct certificate certificate_of(enum err_code status, const char *missing)
{
    fixture_fill(&f);
    return (struct certificate){.result = &f.result,
                                .status = status,
                                .missing = missing,
                                .version = "1.2",
                                .files = &record,
                                .file_count = 1};
}

static void add_clause(const char *text, enum clause_verdict verdict)
{
    struct result_clause *c = &f.result.clauses[f.result.clause_count++];
    *c = (struct result_clause){.verdict = verdict, .kind = METRIC_KIND_TIME, .value = 123456};
    snprintf(c->text, sizeof c->text, "%s", text);
    f.result.clause_confidence = 0.95;
}

static bool says(const struct text *page, const char *words)
{
    return strstr(page->data, words) != NULL;
}

static void check_page(void)
{
    struct text page = {0};
    struct certificate c =
        certificate_of(ERR_UNDECIDED, "read.p99<1ms is not decided (see --limit)");
    add_clause("read.p99<1ms", CLAUSE_UNDECIDED);
    add_clause("read.p50<1ms", CLAUSE_PASSED);
    labels_add(&f.result.labels, "ticket=4711", NULL);
    labels_add(&f.result.labels, "who=Ada", NULL);
    f.result.clock = (struct result_clock){.looked = true, .error_ns = 400e3, .source = "chrony"};
    certificate_print_text(&c, &page);
    golden_check("report/certificate.txt", &page);
    for (const char *line = page.data; *line; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= 80);
    text_free(&page);
}

/* The first word matches the exit status; only a certificate that passed has a line that begins
   with "PASSED:". */
static void check_verdicts(void)
{
    static const struct {
        enum err_code status;
        bool has_clause;
        const char *begins;
    } cases[] = {
        {ERR_NONE, true, "PASSED: "},
        {ERR_NONE, false, "MEASURED: no limit was asked for"},
        {ERR_FAILED, true, "NOT PASSED: why"},
        {ERR_UNDECIDED, true, "UNDECIDED, NOT PASSED: why"},
        {ERR_UNDECIDED, false, "UNDECIDED, NOT PASSED: why"},
        {ERR_TARGET, true, "NO RESULT, NOT PASSED: why"},
        {ERR_MACHINE, false, "NO RESULT, NOT PASSED: why"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text page = {0};
        struct certificate c = certificate_of(cases[i].status, "why (see --limit)");
        if (cases[i].has_clause)
            add_clause("read.p99<1ms", CLAUSE_PASSED);
        certificate_print_text(&c, &page);
        const char *verdict = page.data + strlen(CERTIFICATE_TITLE) + 2;
        CHECK(!strncmp(verdict, cases[i].begins, strlen(cases[i].begins)));
        CHECK(!says(&page, "(see"));
        CHECK_INT(says(&page, "\nPASSED: "), cases[i].status == ERR_NONE && cases[i].has_clause);
        text_free(&page);
    }
}

/* The exit status may come from something other than the limits: from several sessions, or a
   search. */
static void check_limits_rule(void)
{
    static const enum clause_verdict verdicts[] = {CLAUSE_UNDECIDED, CLAUSE_FAILED};
    static const struct result_rates rates = {.holds = 1000, .fails = 1100, .narrow = true};
    struct text page = {0};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        struct certificate c = certificate_of(ERR_NONE, "");
        add_clause("read.p50<1ms", CLAUSE_PASSED);
        add_clause("read.p99<1ms", verdicts[i]);
        certificate_print_text(&c, &page);
        CHECK(says(&page, "\nUNDECIDED, NOT PASSED: ") && !says(&page, "\nPASSED"));
        text_free(&page);
    }
    struct certificate c = certificate_of(ERR_NONE, "");
    f.result.rates = &rates;
    certificate_print_text(&c, &page);
    CHECK(says(&page, "\nMEASURED: the rate up to which"));
    CHECK(says(&page, "  holds               1"));
    text_free(&page);
}

/* What a customer's engineer asks: which machine, which interval, which precision. */
static void check_answers(void)
{
    struct text page = {0};
    struct certificate c = certificate_of(ERR_NONE, "");
    add_clause("read.p99<1ms", CLAUSE_PASSED);
    add_clause("read.p99.99<5ms", CLAUSE_PASSED);
    f.result.target_width = 0.1;
    snprintf(f.result.busy, sizeof f.result.busy, "other programs used 40 %% of the processors");
    certificate_print_text(&c, &page);
    CHECK(says(&page, "is kept\nBUSY: other programs used 40 %"));
    CHECK(says(&page, "\nRequests: without due times"));
    CHECK(says(&page, "read.p99<1ms: 123 us, 95 % interval 115.8 us to 121.6 us"));
    CHECK(says(&page, "read.p99.99<5ms: 123 us; not enough samples"));
    CHECK(says(&page, "precision           +-0.41 % reached, for read IOPS; +-5 % was asked for"));
    CHECK(says(&page, "who                 not said (--label who=NAME)"));
    text_free(&page);
    f.result.saturated = f.result.timed = true;
    certificate_print_text(&c, &page);
    CHECK(says(&page, "\nNOT KEPT UP: 17.9k requests per second."));
    text_free(&page);
}

/* A long command line is split into lines that a shell reads as one command. */
static void check_command(void)
{
    static const char *const words[] = {"cupel",
                                        "run",
                                        "/dev/it's here",
                                        "--sla",
                                        "read.p99<1ms, read.p50<100us per 10s in 95%",
                                        "--label",
                                        "who=Ada Lovelace and the whole engine room",
                                        "--iodepth",
                                        "32",
                                        "-o",
                                        "result of the morning"};
    struct text command = {0}, page = {0}, joined = {0};
    struct certificate c = certificate_of(ERR_NONE, "");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        text_add(&command, i ? " " : "");
        text_add_shell(&command, words[i]);
    }
    CHECK(command.length > 160 && strstr(command.data, " '/dev/it'\\''s here' "));
    char piece[160];
    snprintf(piece, sizeof piece, "%s", command.data);
    facts_add(&f.result.settings, "origin", "command", piece, "", "", FACT_OK);
    facts_add(&f.result.settings, "origin", "command 2", command.data + strlen(piece), "", "",
              FACT_OK);
    certificate_print_text(&c, &page);
    const char *at = strstr(page.data, "\n  command             ");
    CHECK(at != NULL);
    for (const char *line = at ? at + 23 : ""; *line; line += 22) {
        const size_t length = strcspn(line, "\n");
        const bool more = length > 0 && line[length - 1] == '\\';
        CHECK(length <= 58);
        text_add_bytes(&joined, line, length - more);
        if (!more)
            break;
        line += length + 1;
    }
    CHECK_STR(joined.data, command.data);
    text_free(&joined);
    text_free(&page);
    certificate_print_html(&c, &page);
    CHECK(says(&page, "&#39;/dev/it&#39;\\&#39;&#39;s here&#39; --sla") && says(&page, "\\</td>"));
    text_free(&page);
    text_free(&command);
}

/* A certificate of many files has the checksum of their list, and one with many warnings their
   number. */
static void check_sheet(void)
{
    static struct certificate_file files[40];
    struct text page = {0};
    struct certificate c = certificate_of(ERR_NONE, "");
    for (size_t i = 0; i < 40; i++) {
        files[i] = record;
        snprintf(files[i].name, sizeof files[i].name, "session-%zu/record.cupel", i + 1);
        if (i < 9)
            result_note(&f.result, true, "this is warning %zu", i + 1);
    }
    c.files = files;
    c.file_count = 40;
    snprintf(c.list_sha256, sizeof c.list_sha256, "%s", record.sha256);
    certificate_print_html(&c, &page);
    CHECK(says(&page, "a list of 40 files") && !says(&page, "session-40/record.cupel"));
    CHECK(says(&page, "more, in the report") && !says(&page, "this is warning 9"));
    CHECK(says(&page, "<body class=\"sheet\">"));
    text_free(&page);
    certificate_print_text(&c, &page);
    CHECK(says(&page, "  session-40/record.cupel\n") && says(&page, "this is warning 9"));
    text_free(&page);
}

static void check_unknown(void)
{
    struct text page = {0};
    struct certificate c = certificate_of(ERR_NONE, "");
    f.result.hardware = NULL;
    f.result.others.processors = NAN;
    f.result.busy[0] = '\0';
    f.result.clock = (struct result_clock){.looked = true, .error_ns = NAN};
    c.file_count = 0;
    certificate_print_text(&c, &page);
    CHECK(says(&page, "disk                not known"));
    CHECK(says(&page, "serial number not known"));
    CHECK(says(&page, "not synchronised by any time service"));
    CHECK(says(&page, "not known whether others were at work"));
    CHECK(says(&page, "nothing that was kept"));
    text_free(&page);
}

/* Values with line ends, terminal sequences, and lines like those of a certificate. */
static void check_hostile(void)
{
    static const char line[] =
        "x\nba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  record.cupel\n"
        "  this page by        cupel 9\n\x1b]0;owned\a<script>";
    struct text page = {0};
    char version[CERTIFICATE_VERSION_TEXT];
    struct certificate c = certificate_of(ERR_NONE, "");
    snprintf(f.result.target, sizeof f.result.target, "%s", line);
    snprintf(f.result.workload, sizeof f.result.workload, "%s", line);
    snprintf(f.result.busy, sizeof f.result.busy, "%s", line);
    result_note(&f.result, true, "%s", line);
    for (size_t i = 0; i < f.result.settings.count; i++)
        snprintf(f.result.settings.rows[i].value, sizeof f.result.settings.rows[i].value, "%s",
                 line);
    c.file_count = 0;
    certificate_print_text(&c, &page);
    CHECK(!says(&page, "\nba7816bf"));
    CHECK(!strchr(page.data, '\x1b') && !strchr(page.data, '\a'));
    CHECK_STR(certificate_field(version, sizeof version, page.data, CERTIFICATE_MADE_BY),
              "cupel 1.2");
    text_free(&page);
    certificate_print_html(&c, &page);
    CHECK(!says(&page, "<script>") && !strchr(page.data, '\x1b'));
    CHECK(says(&page, "&lt;script&gt;") && !says(&page, "<script"));
    text_free(&page);
}

static void check_fields(void)
{
    struct text page = {0};
    char words[512], expected[512] = "";
    struct certificate c = certificate_of(ERR_FAILED, "why");
    f.result.judged_afterwards = true;
    for (int i = 0; i < 8; i++) {
        char text[48];
        snprintf(text, sizeof text, "read.p%d<500us per 10s in 95%%", 90 + i);
        add_clause(text, CLAUSE_FAILED);
        size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%s", i ? ", " : "", text);
    }
    certificate_print_text(&c, &page);
    CHECK_STR(certificate_field(words, sizeof words, page.data, CERTIFICATE_JUDGED_BY), expected);
    CHECK_STR(certificate_field(words, sizeof words, page.data, "no such row"), "");
    CHECK_STR(certificate_field(words, 8, page.data, CERTIFICATE_JUDGED_BY), "");
    text_free(&page);
}

/* A machine with a good drive, one with a slow link, and one that could not be measured. */
static void check_qualification(void)
{
    static struct qualified m;
    struct text page = {0};
    char line[400];
    qualified_begin(&m);
    qualified_good_drive(&m, 0);
    qualified_good_drive(&m, 1);
    struct qualification_check *check = qualification_add(&m.q, 1, GRADE_FAIL, "link");
    snprintf(check->found, sizeof check->found, "8.0 GT/s x4");
    qualification_add(&m.q, 0, GRADE_UNDECIDED, "randread read.p99");
    m.q.clauses = 3;
    m.q.clause_confidence = 0.95;
    labels_add(&m.q.labels, "ticket=4711", NULL);
    const struct certificate c = {
        .qualification = &m.q,
        .status = qualification_status(&m.q),
        .missing = strchr(qualification_line(&m.q, line, sizeof line), ' ') + 1,
        .version = "1.2",
        .files = &record,
        .file_count = 1,
    };
    certificate_print_text(&c, &page);
    golden_check("report/certificate_machine.txt", &page);
    CHECK(!says(&page, "\nPASSED"));
    text_free(&page);
    qualified_end(&m);
}

int main(void)
{
    check_page();
    check_verdicts();
    check_limits_rule();
    check_answers();
    check_command();
    check_sheet();
    check_unknown();
    check_hostile();
    check_fields();
    check_qualification();
    return check_result();
}
