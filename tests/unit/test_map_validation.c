/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validation of maps: known errors, which do not depend on which thread is first. */
#include "check.h"

#include <unistd.h>

#include "stat/map/validation.h"

static char path[64];

/* sd = a sqrt(b): exact for a regression on logarithms. */
static void put_law(void)
{
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    fputs("a,b,m,sd\n", f);
    for (int m = 0; m < 3; m++)
        for (int a = 1; a <= 64; a *= 2)
            for (int b = 1; b <= 8; b *= 2)
                fprintf(f, "%d,%d,mode %d,%.17g\n", a, b, m, (m + 1) * a * sqrt(b));
    fclose(f);
}

static void validate(struct map_validation *v, struct configurations *c, const char *methods)
{
    struct err e = {0};
    struct candidates candidates;
    struct validation_request request = {
        .shares = {0.5, 0.25}, .share_count = 2, .splits = 7, .confidence = 0.95, .seed = 3};
    struct configurations_request table = {.factors = (const char *const[]){"a", "b", NULL},
                                           .maps_by = (const char *const[]){"m", NULL},
                                           .response = "sd",
                                           .seed = 1};
    CHECK_INT(configurations_read(c, path, &table, &e), 0);
    CHECK_INT(candidates_parse(&candidates, c, methods, SCALE_AUTO, 0, 1, &c->notes, &e), 0);
    CHECK_INT(validation_make(v, c, &candidates, &request, &e), 0);
    CHECK_STR(e.msg, "");
}

static const struct map_score *find(const struct map_validation *v, const char *method,
                                    const char *scheme, double share)
{
    for (size_t i = 0; i < v->score_count; i++)
        if (!strcmp(v->scores[i].method, method) && !strcmp(v->scores[i].scheme, scheme) &&
            (share == 0 || v->scores[i].share == share))
            return &v->scores[i];
    return NULL;
}

static void test_known_errors(void)
{
    struct configurations c;
    struct map_validation v;
    validate(&v, &c, "lr");
    const struct map_score *lr = find(&v, "lr", "random", 0.25);
    const struct map_score *levels = find(&v, "lr", "leave-level-out", 0);
    const struct map_score *constant = find(&v, "constant", "random", 0.5);
    CHECK(lr && levels && constant);
    if (lr && levels && constant) {
        CHECK(lr->are_percent < 1e-9);
        CHECK_INT(lr->splits, 21); /* 7 of each map */
        CHECK(levels->are_percent < 1e-9);
        CHECK_INT(levels->splits, 33); /* 7 + 4 levels, 3 maps */
        CHECK(constant->are_percent > 50);
    }
    CHECK(find(&v, "noise_floor", "random", 0) == NULL); /* the number of runs is unknown */
    CHECK(v.chosen == NULL);
    validation_free(&v);
    configurations_free(&c);
}

static void test_same_seed(void)
{
    struct configurations c[2];
    struct map_validation v[2];
    for (int i = 0; i < 2; i++)
        validate(&v[i], &c[i], "auto");
    CHECK(v[0].chosen && find(&v[0], "auto", "random", 0.5));
    CHECK_INT(v[0].score_count, v[1].score_count);
    for (size_t i = 0; i < v[0].score_count && i < v[1].score_count; i++) {
        double a = v[0].scores[i].are_percent, b = v[1].scores[i].are_percent;
        CHECK(a == b || (isnan(a) && isnan(b)));
    }
    for (int i = 0; i < 2; i++) {
        validation_free(&v[i]);
        configurations_free(&c[i]);
    }
}

int main(void)
{
    snprintf(path, sizeof path, "map-validation-%ld.csv", (long)getpid());
    put_law();
    test_known_errors();
    test_same_seed();
    remove(path);
    return check_result();
}
