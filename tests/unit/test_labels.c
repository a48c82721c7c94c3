/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels: accepted and refused ones, those that several results share, and their text. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "facts/labels.h"

static void accepts(struct labels *to, const char *text)
{
    struct err e = {0};
    CHECK_INT(labels_add(to, text, &e), 0);
    if (e.code)
        fprintf(stderr, "  labels_add(\"%s\"): %s\n", text, e.msg);
}

static void refuses(const struct labels *labels, const char *text, const char *why)
{
    struct labels to = *labels;
    struct err e = {0};
    CHECK_INT(labels_add(&to, text, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, why) != NULL);
    CHECK(!strchr(e.msg, '\n'));
    CHECK_STR(to.text, labels->text);
    if (!strstr(e.msg, why))
        fprintf(stderr, "  \"%s\" is refused because: %s\n", text, e.msg);
}

static void test_refused(void)
{
    struct labels none = {0}, some = {0};
    char text[400];
    accepts(&some, "ticket=4711");
    refuses(&none, "ticket", "KEY=VALUE");
    refuses(&none, "", "KEY=VALUE");
    refuses(&none, "=4711", "a key is missing");
    refuses(&none, "1st=x", "begins with a letter");
    refuses(&none, "a b=x", "a key has letters");
    refuses(&none, "\xc3\xa4=x", "a key has letters");
    refuses(&none, "a;b=x", "a key has letters");
    refuses(&some, "ticket=4712", "a label ticket already");
    refuses(&none, "a=line\nline", "control characters");
    refuses(&none, "a=\x1b[31m", "control characters");
    refuses(&none, "a=\xc2\x9b", "control characters"); /* C1 */
    refuses(&none,
            "a=\xe2\x80\xae"
            "gpj",
            "marks of direction"); /* U+202E */
    refuses(&none, "a=\xff", "UTF-8");
    snprintf(text, sizeof text, "%0*d=x", LABEL_KEY_MAX + 1, 0);
    text[0] = 'k';
    refuses(&none, text, "at most 48 characters");
    snprintf(text, sizeof text, "k=%0*d", LABEL_VALUE_MAX + 1, 0);
    refuses(&none, text, "at most 200 bytes");
}

static void test_limits(void)
{
    struct labels many = {0}, large = {0};
    struct err e;
    char text[400];
    for (int i = 0; i < LABELS_MAX; i++) {
        snprintf(text, sizeof text, "key%d=%d", i, i);
        accepts(&many, text);
    }
    refuses(&many, "more=x", "16 labels");
    int status = 0, n = 0;
    for (; n < LABELS_MAX && !status; n++) {
        snprintf(text, sizeof text, "key%d=%0*d", n, LABEL_VALUE_MAX, 0);
        status = labels_add(&large, text, &e);
    }
    CHECK_INT(status, -1);
    CHECK(labels_hold(&large));
}

static void test_words(void)
{
    struct labels labels = {0};
    struct label label;
    struct text words = {0};
    accepts(&labels, "ticket=INC-4711");
    accepts(&labels, "empty=");
    accepts(&labels, "who=a \"b\" =c; d\\ <\xc3\xa4>");
    labels_add_words(&labels, &words);
    CHECK_STR(words.data, "ticket=INC-4711;empty=;who=a \"b\" =c\\; d\\\\ <\xc3\xa4>");
    CHECK(labels_find(&labels, "who", &label));
    CHECK_STR(label.value, "a \"b\" =c; d\\ <\xc3\xa4>");
    CHECK(labels_find(&labels, "empty", &label));
    CHECK_STR(label.value, "");
    CHECK(!labels_find(&labels, "WHO", &label));
    text_free(&words);
}

static void test_several(void)
{
    struct labels a = {0}, b = {0}, common, more;
    accepts(&a, "run=1");
    accepts(&a, "site=x");
    accepts(&a, "rack=7");
    accepts(&b, "site=x");
    accepts(&b, "rack=8");
    common = a;
    labels_keep_common(&common, &b);
    CHECK_STR(common.text, "site=x\n");
    more = b;
    labels_add_missing(&more, &a);
    CHECK_STR(more.text, "site=x\nrack=8\nrun=1\n");
}

static void test_text_of_a_file(void)
{
    static const char *const bad[] = {"a=b", "a=b\na=c\n", "=b\n", "a=b\nx\n", "a=\x1b\n", "\n"};
    struct labels labels = {0};
    CHECK(labels_hold(&labels));
    accepts(&labels, "a=b");
    CHECK(labels_hold(&labels));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(labels.text, sizeof labels.text, "%s", bad[i]);
        CHECK(!labels_hold(&labels));
    }
}

int main(void)
{
    test_refused();
    test_limits();
    test_words();
    test_several();
    test_text_of_a_file();
    return check_result();
}
