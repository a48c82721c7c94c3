/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits linear regression with an intercept, by QR: the reference with which the other methods are
   compared. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>

#include "stat/model/internal.h"

struct linear {
    size_t columns; /* number of columns: the intercept and the factors */
    /* standard deviation of the residuals; infinite without degrees of freedom */
    double sigma;
    double degrees;      /* degrees of freedom */
    gsl_vector *beta;    /* [columns] */
    gsl_matrix *factors; /* [n][columns]: QR decomposition, with R in the upper triangle */
};

static size_t fewest_points(size_t dimensions)
{
    return dimensions + 1;
}

static void release(void *state)
{
    struct linear *l = state;
    gsl_vector_free(l->beta);
    gsl_matrix_free(l->factors);
    free(l);
}

static void copy_columns(gsl_matrix *to, const struct model_points *p)
{
    for (size_t i = 0; i < p->n; i++) {
        gsl_matrix_set(to, i, 0, 1);
        for (size_t j = 0; j < p->dimensions; j++)
            gsl_matrix_set(to, i, j + 1, p->at[i * p->dimensions + j]);
    }
}

static int fit(void **state, const struct model_points *p, const struct model_options *options,
               struct err *e)
{
    (void)options;
    size_t columns = p->dimensions + 1;
    struct linear *l = calloc(1, sizeof *l);
    gsl_vector *tau = gsl_vector_alloc(columns), *residual = gsl_vector_alloc(p->n);
    gsl_matrix *factors = gsl_matrix_alloc(p->n, columns);
    gsl_vector *beta = gsl_vector_alloc(columns);
    gsl_vector_const_view value = gsl_vector_const_view_array(p->value, p->n);
    int result = -1;
    if (!l || !tau || !residual || !factors || !beta) {
        err_no_memory(e, "%zu points", p->n);
    } else {
        copy_columns(factors, p);
        result = gsl_linalg_QR_decomp(factors, tau) ||
                         gsl_linalg_QR_lssolve(factors, tau, &value.vector, beta, residual)
                     ? err_set(e, ERR_USAGE, "the factors do not determine a linear regression")
                     : 0;
    }
    if (result == 0) {
        double degrees = (double)(p->n - columns), length = gsl_blas_dnrm2(residual);
        *l = (struct linear){columns, degrees > 0 ? length / sqrt(degrees) : INFINITY, degrees,
                             beta, factors};
        *state = l;
    } else {
        gsl_vector_free(beta);
        gsl_matrix_free(factors);
        free(l);
    }
    gsl_vector_free(tau);
    gsl_vector_free(residual);
    return result;
}

/* The variance of a prediction is sigma^2 (1 + |z|^2), where z solves R'z = (1, at). */
static void answer(const void *state, const double at[], struct model_answer *out)
{
    const struct linear *l = state;
    double z[MODEL_MAX_DIMENSIONS + 1] = {1};
    double value = gsl_vector_get(l->beta, 0), leverage = 0;
    for (size_t j = 1; j < l->columns; j++) {
        z[j] = at[j - 1];
        value += gsl_vector_get(l->beta, j) * z[j];
    }
    for (size_t j = 0; j < l->columns; j++) {
        for (size_t k = 0; k < j; k++)
            z[j] -= gsl_matrix_get(l->factors, k, j) * z[k];
        z[j] /= gsl_matrix_get(l->factors, j, j);
        leverage += z[j] * z[j];
    }
    out->value = value;
    out->error = l->sigma * sqrt(1 + leverage);
    out->degrees = l->degrees;
}

const struct model_method model_linear = {
    .name = "lr",
    .words = "linear regression",
    .full_rank = true,
    .fewest_points = fewest_points,
    .fit = fit,
    .answer = answer,
    .release = release,
};
