/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gaussian processes: compared with a direct computation in R, derivatives with differences,
 * parameters that a fit must find, and how often its intervals contain the truth.
 */
#include "stat/gaussian/gaussian_process.h"

#include "stat/basic/distribution.h"
#include "stat/gaussian/internal.h"
#include "stat/model/model.h"
#include "tests/unit/check.h"
#include "tests/unit/csv_table.h"
#include "tests/unit/simulated.h"

#define N_MAX 810

static double room[N_MAX];

/*
 * R, with noise slopes s = c(0, 0) and c(0.2, -0.1):
 *
 *   at <- matrix(c(1,5, 2,3, 4,4, 4,4, 7,1, 8,6, 9,2, 3,8, 6,7), ncol = 2, byrow = TRUE)
 *   y <- c(2.1, 2.9, 3.2, 3.6, 5.5, 4.1, 6.2, 1.4, 2.8); q <- rbind(c(5, 5), c(4, 4), c(20, -3))
 *   k <- function(a, b) {
 *     r <- sqrt(5 * (outer(a[, 1] / 3, b[, 1] / 3, "-")^2 + outer(a[, 2] / 5, b[, 2] / 5, "-")^2))
 *     2 * (1 + r + r^2 / 3) * exp(-r) }
 *   noise <- function(a) 0.05 * exp(s[1] * (pmin(pmax(a[, 1], 1), 9) - 5) +
 *                                   s[2] * (pmin(pmax(a[, 2], 1), 8) - 4.5))
 *   K <- k(at, at) + diag(noise(at)); a <- solve(K, y - 3)
 *   3 + t(k(at, q)) %*% a; diag(k(q, q) - t(k(at, q)) %*% solve(K, k(at, q))); noise(q)
 *   -(sum((y - 3) * a) + determinant(K)$modulus + 9 * log(2 * pi)) / 2
 */
static const double small_at[] = {1, 5, 2, 3, 4, 4, 4, 4, 7, 1, 8, 6, 9, 2, 3, 8, 6, 7};
static const double small_value[] = {2.1, 2.9, 3.2, 3.6, 5.5, 4.1, 6.2, 1.4, 2.8};
static const struct gaussian_points small = {9, 2, small_at, small_value};

static void check_given(void)
{
    static const double places[3][2] = {{5, 5}, {4, 4}, {20, -3}};
    static const struct {
        double slope[2], mean[3], variance[3], noise[3], log_likelihood;
    } rows[] = {
        {{0, 0},
         {3.32759820324535, 3.38139098283615, 3.02163360067265},
         {0.138853679206449, 0.0238782635354298, 1.99987979274406},
         {0.05, 0.05, 0.05},
         -12.1787013545185},
        {{0.2, -0.1},
         {3.32788866777107, 3.3840321554563, 3.02018347476073},
         {0.136297739246203, 0.0206700272229052, 1.99989107062871},
         {0.0475614712250357, 0.0430353988212529, 0.157909645484488},
         -12.1744167846762},
    };
    for (size_t r = 0; r < 2; r++) {
        struct gaussian_parameters p = {3, 2, 0.05, {3, 5}, {0}, {1, 1}, {9, 8}};
        struct gaussian_process g;
        memcpy(p.noise_slope, rows[r].slope, sizeof rows[r].slope);
        CHECK_INT(gaussian_condition(&g, &small, &p, NULL), 0);
        for (size_t i = 0; i < 3; i++) {
            struct gaussian_answer a = gaussian_at(&g, places[i], room);
            CHECK_NEAR(a.mean, rows[r].mean[i], 1e-12);
            CHECK_NEAR(a.variance, rows[r].variance[i], 1e-12);
            CHECK_NEAR(a.noise, rows[r].noise[i], 1e-12);
        }
        CHECK_NEAR(g.log_likelihood, rows[r].log_likelihood, 1e-12);
        CHECK(g.jitter == 0 && g.error_scale == 1 && isinf(g.degrees));
        gaussian_free(&g);
    }
}

/* Repeated points without noise: predictions in between, and no NaN. */
static void check_jitter(void)
{
    struct gaussian_parameters p = {3, 2, 0, {3, INFINITY}, {0}, {0}, {0}};
    struct gaussian_process g;
    CHECK_INT(gaussian_condition(&g, &small, &p, NULL), 0);
    struct gaussian_answer a = gaussian_at(&g, (double[]){4, 100}, room);
    CHECK(g.jitter > 0 && g.jitter < 1e-10);
    CHECK_NEAR(a.mean, 3.4, 1e-3);
    CHECK(a.variance >= 0 && a.variance < 1e-3);
    gaussian_free(&g);
}

/* Sizes around the block size: L L' is the matrix, and its product with the inverse is 1. */
static void check_triangles(void)
{
    static const size_t sizes[] = {1, 2, 3, 47, 48, 49, 96, 101, 149};
    static double cells[3][149 * 150];
    uint64_t seed = 9;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k], stride = (n + 1) / 2 * 2;
        struct square l = {n, stride, cells[0]}, v = {n, stride, cells[1]},
                      inverse = {n, stride, cells[2]};
        double at[149], noise[149], largest = 0;
        for (size_t i = 0; i < n; i++) {
            at[i] = 10 * simulated_uniform(&seed);
            noise[i] = 0.1;
        }
        covariance_matrix(&l, at, 1, noise, 0);
        CHECK(square_factor(&l));
        square_invert_triangle(&l, &v);
        square_times_transposed(&v, &inverse);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t m = 0; m < n; m++) {
                    double matrix = i == m ? 1.1 : covariance(at + i, at + m, 1);
                    size_t row = m > j ? m : j, column = m > j ? j : m;
                    sum += matrix * inverse.cell[row * stride + column];
                }
                largest = fmax(largest, fabs(sum - (i == j)));
            }
        CHECK(largest < 1e-11);
    }
    covariance_matrix(&(struct square){2, 2, cells[0]}, (double[]){1, 1}, 1, (double[]){0, 0}, 0);
    CHECK(!square_factor(&(struct square){2, 2, cells[0]}));
}

static void check_gradient(void)
{
    struct arena scratch;
    struct likelihood l;
    double at[18], parameters[] = {-0.4, 0.3, -2.5, 0.7, -0.5}, slope[5];
    for (size_t i = 0; i < 18; i++)
        at[i] = (small_at[i] - 5) / 8;
    struct gaussian_points p = {9, 2, at, small_value};
    CHECK_INT(arena_init(&scratch, likelihood_bytes(9, 2), NULL), 0);
    CHECK_INT(likelihood_make(&l, &p, &scratch), 0);
    for (int sloped = 0; sloped < 2; sloped++) {
        likelihood_slope_noise(&l, sloped);
        likelihood_gradient(&l, parameters, slope);
        for (size_t i = 0; i < l.parameters; i++) {
            double middle = parameters[i];
            parameters[i] = middle + 1e-5;
            double above = likelihood_deviance(&l, parameters);
            parameters[i] = middle - 1e-5;
            double below = likelihood_deviance(&l, parameters);
            parameters[i] = middle;
            CHECK_NEAR(slope[i], (above - below) / 2e-5, 1e-6);
        }
    }
    /* The deviance is that with the optimal mean and signal. */
    double deviance = likelihood_deviance(&l, parameters);
    struct gaussian_parameters best = likelihood_parameters(&l);
    struct gaussian_process g;
    CHECK_INT(gaussian_condition(&g, &p, &best, NULL), 0);
    CHECK_NEAR(-2 * g.log_likelihood, deviance, 1e-9);
    gaussian_free(&g);
    arena_free(&scratch);
}

static double wave(const double x[])
{
    return 10 + 3 * sin(x[0] / 20) + x[1] * x[1] / 4;
}

/* Makes n points in [0, 100) x [0, 4), with a constant third factor. */
static void make_waves(double at[], double value[], size_t n, double noise, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        at[3 * i] = 100 * simulated_uniform(seed);
        at[3 * i + 1] = 4 * simulated_uniform(seed);
        at[3 * i + 2] = 5;
        value[i] = wave(at + 3 * i) + noise * simulated_normal(seed);
    }
}

static void check_fit(void)
{
    static double at[3 * 100], value[100];
    struct gaussian_process g, again;
    uint64_t seed = 4;
    make_waves(at, value, 100, 0.2, &seed);
    for (size_t f = 0; f < 3; f++)
        at[3 + f] = at[f]; /* one place twice */
    value[1] = value[0];
    struct gaussian_points p = {100, 3, at, value};
    CHECK_INT(gaussian_fit(&g, &p, 1, NULL, NULL), 0);
    CHECK_INT(gaussian_fit(&again, &p, 1, NULL, NULL), 0);
    CHECK(memcmp(&g.parameters, &again.parameters, sizeof g.parameters) == 0);
    CHECK(g.log_likelihood == again.log_likelihood && g.degrees == again.degrees);
    gaussian_free(&again);
    CHECK_INT(gaussian_fit(&again, &p, 2, NULL, NULL), 0);
    CHECK_NEAR(again.log_likelihood, g.log_likelihood,
               1e-3); /* the maximum is found from any start */
    gaussian_free(&again);

    CHECK(isinf(g.parameters.length[2]) && g.parameters.noise_slope[2] == 0);
    CHECK(g.parameters.noise > 0.02 && g.parameters.noise < 0.08);
    double place[] = {50, 2, 5}, away[] = {50, 2, 9}, far[] = {500, 2, 5};
    struct gaussian_answer a = gaussian_at(&g, place, room);
    CHECK_NEAR(a.mean, wave(place), 0.02);
    CHECK(a.variance < 0.04);
    CHECK(gaussian_at(&g, away, room).mean == a.mean);
    CHECK(gaussian_at(&g, far, room).variance > 10 * a.variance);

    /* Neighbouring parameters are not better. */
    for (size_t f = 0; f < 2; f++)
        for (double factor = 0.8; factor < 1.3; factor += 0.45) {
            struct gaussian_parameters other = g.parameters;
            other.length[f] *= factor;
            CHECK_INT(gaussian_condition(&again, &p, &other, NULL), 0);
            CHECK(again.log_likelihood < g.log_likelihood);
            gaussian_free(&again);
        }
    gaussian_free(&g);
}

/* Noise that grows by e^4 along the first factor. */
static void check_growing_noise(void)
{
    static double at[3 * 200], value[200];
    struct gaussian_process g;
    uint64_t seed = 11;
    make_waves(at, value, 200, 0, &seed);
    for (size_t i = 0; i < 200; i++)
        value[i] += 0.1 * exp(at[3 * i] / 50) * simulated_normal(&seed);
    struct gaussian_points p = {200, 3, at, value};
    CHECK_INT(gaussian_fit(&g, &p, 1, NULL, NULL), 0);
    double low[] = {0, 2, 5}, high[] = {100, 2, 5};
    double growth = gaussian_at(&g, high, room).noise / gaussian_at(&g, low, room).noise;
    CHECK(growth > exp(4) / 3 && growth < exp(4) * 3);
    gaussian_free(&g);
}

/* Intervals for new values, fitted to few points: the coverage is correct within what 2,000 values
   can show. */
static void check_coverage(void)
{
    static double at[3 * 50], value[50];
    uint64_t seed = 21;
    size_t inside = 0, all = 0;
    for (unsigned run = 0; run < 40; run++) {
        struct gaussian_process g;
        make_waves(at, value, 40, 0.5, &seed);
        struct gaussian_points p = {40, 3, at, value};
        CHECK_INT(gaussian_fit(&g, &p, run, NULL, NULL), 0);
        double t = student_t_quantile(0.975, g.degrees);
        make_waves(at, value, 50, 0.5, &seed);
        for (size_t i = 0; i < 50; i++, all++) {
            struct gaussian_answer a = gaussian_at(&g, at + 3 * i, room);
            double half = t * g.error_scale * sqrt(a.variance + a.noise);
            inside += fabs(value[i] - a.mean) < half;
        }
        gaussian_free(&g);
    }
    double coverage = (double)inside / (double)all;
    printf("coverage of 95 %% intervals from 40 points: %.3f\n", coverage);
    CHECK(coverage > 0.92 && coverage < 0.98);
}

/* Edge cases: a single value, a single place, exact values; and units in which values nearly
   overflow. */
static void check_edges(void)
{
    static const double line[] = {1, 2, 3, 4, 5, 6}, level[] = {7, 7, 7, 7, 7, 7};
    struct gaussian_process g;
    struct gaussian_answer a;
    CHECK_INT(gaussian_fit(&g, &(struct gaussian_points){6, 1, line, level}, 1, NULL, NULL), 0);
    a = gaussian_at(&g, (double[]){3.5}, room);
    CHECK(a.mean == 7 && a.variance >= 0 && a.variance + a.noise < 1e-9);
    gaussian_free(&g);
    CHECK_INT(gaussian_fit(&g, &(struct gaussian_points){6, 1, level, line}, 1, NULL, NULL), 0);
    a = gaussian_at(&g, (double[]){7}, room);
    CHECK_NEAR(a.mean, 3.5, 1e-9);
    CHECK_NEAR(a.noise, 35.0 / 12, 1e-9);
    gaussian_free(&g);
    CHECK_INT(gaussian_fit(&g, &(struct gaussian_points){6, 1, line, line}, 1, NULL, NULL), 0);
    a = gaussian_at(&g, (double[]){2.5}, room);
    CHECK_NEAR(a.mean, 2.5, 1e-3);
    gaussian_free(&g);
    double huge[6], tiny[6];
    for (size_t i = 0; i < 6; i++) {
        huge[i] = (line[i] + (double)(i % 2)) * 1e120;
        tiny[i] = line[i] * 1e-120;
    }
    CHECK_INT(gaussian_fit(&g, &(struct gaussian_points){6, 1, tiny, huge}, 1, NULL, NULL), 0);
    a = gaussian_at(&g, (double[]){2.5e-120}, room);
    CHECK(a.mean > 1e120 && a.mean < 5e120 && isfinite(sqrt(a.variance + a.noise)));
    gaussian_free(&g);
}

/* As a method of maps: the error is on the logarithmic scale, and duplicate points are permitted.
 */
static void check_method(void)
{
    static double at[3 * 60], value[60];
    const struct model_method *method = model_method_named("gp", 2);
    struct model *m = NULL;
    struct err e = {0};
    uint64_t seed = 5;
    make_waves(at, value, 60, 0.1, &seed);
    for (size_t i = 0; i < 60; i++)
        value[i] = exp(value[i]);
    for (size_t f = 0; f < 3; f++)
        at[3 + f] = at[f]; /* one place twice */
    value[1] = value[0];
    struct model_points p = {60, 3, at, value, NULL, NULL};
    struct model_options o = {.log_factor = (bool[]){true, false, true}, .log_response = true};
    CHECK_INT(model_fit(&m, method, &p, &o, NULL), 0);
    double place[] = {50, 2, 5};
    struct model_answer a = model_answer(m, place);
    CHECK_NEAR(log(a.value), wave(place), 0.05);
    CHECK(a.error > 0.05 && a.error < 0.5 && a.degrees > 2 && !a.extrapolated);
    CHECK(model_answer(m, (double[]){50, 2, 6}).extrapolated);
    CHECK(isfinite(model_answer(m, (double[]){1e-300, 1e300, 1}).value));
    model_free(m);
    p.n = 4;
    CHECK(model_fit(&m, method, &p, &o, &e) != 0 && strstr(e.msg, "at least 5 points"));
    p.n = 5000;
    p.at = calloc(3 * 5000, sizeof(double));
    p.value = p.at;
    CHECK(model_fit(&m, method, &p, &(struct model_options){0}, &e) != 0);
    CHECK(strstr(e.msg, "at most 4096 points") != NULL);
    free((void *)p.at);
}

/* The case's true parameters: lengths .4 and .7, signal 1.5, noise .01, mean .3. */
static void check_elsewhere(void)
{
    struct csv_table train, query;
    const char *path = csv_elsewhere("models/gp_train.csv");
    if (!path || !csv_open(&train, path))
        return;
    double *all = csv_matrix(&train, 3), at[64], value[32];
    size_t n = train.rows < 32 ? train.rows : 32;
    for (size_t i = 0; i < n; i++) {
        at[2 * i] = all[3 * i];
        at[2 * i + 1] = all[3 * i + 1];
        value[i] = all[3 * i + 2];
    }
    struct gaussian_parameters p = {0.3, 1.5, 0.01, {0.4, 0.7}, {0}, {0}, {0}};
    struct gaussian_process g;
    CHECK_INT(gaussian_condition(&g, &(struct gaussian_points){n, 2, at, value}, &p, NULL), 0);
    CHECK(csv_open(&query, csv_elsewhere("models/gp_query.csv")));
    for (size_t i = 0; i < query.rows; i++) {
        double place[] = {csv_number(&query, i, "x0"), csv_number(&query, i, "x1")};
        struct gaussian_answer a = gaussian_at(&g, place, room);
        CHECK_NEAR(a.mean, csv_number(&query, i, "mean"), 1e-9);
        CHECK_NEAR(a.variance, csv_number(&query, i, "var_latent"), 1e-9);
        CHECK_NEAR(g.log_likelihood, csv_number(&query, i, "loglik"), 1e-9);
    }
    gaussian_free(&g);
    csv_close(&train);
    csv_close(&query);
    free(all);
}

static bool stops_at_once(void *calls)
{
    return ++*(unsigned *)calls > 0;
}

/* A fit of many points takes long: a watcher can end it in the middle. */
static void check_watched(void)
{
    double at[100], value[100];
    unsigned calls = 0;
    struct gaussian_process g;
    struct err e = {0};
    for (size_t i = 0; i < 100; i++) {
        at[i] = (double)i;
        value[i] = sin((double)i / 9) + (double)(i % 3) / 10;
    }
    const struct watch watch = {stops_at_once, &calls};
    CHECK_INT(gaussian_fit(&g, &(struct gaussian_points){100, 1, at, value}, 1, &watch, &e), -1);
    CHECK_INT(e.code, ERR_UNDECIDED);
    CHECK(calls > 0 && calls < 10);
}

int main(void)
{
    check_given();
    check_jitter();
    check_triangles();
    check_gradient();
    check_fit();
    check_growing_noise();
    check_coverage();
    check_edges();
    check_method();
    check_watched();
    check_elsewhere();
    return check_result();
}
