/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cholesky's decomposition and inverses, in blocks. GSL's versions take ten times as long, because
 * their products are plain loops. Here all work of order n^3 is products of rows with rows, four
 * rows by two at a time, with two numbers an instruction.
 */
#include <math.h>
#include <string.h>

#include "stat/gaussian/internal.h"

#define BLOCK    48  /* number of rows that are finished at once */
#define CHUNK    256 /* number of columns of one partial product, whose input stays in the cache */
#define ROUNDING 1e-13 /* as a share of the original diagonal */
#define TALL     4
#define WIDE     2

typedef double pair __attribute__((vector_size(16), aligned(8)));

/* Rows of a matrix. */
struct rows {
    double *cell;
    size_t count, stride;
};

static struct rows rows_of(const struct square *m, size_t first, size_t end, size_t column)
{
    return (struct rows){m->cell + first * m->stride + column, end - first, m->stride};
}

static double sum_of(pair p)
{
    return p[0] + p[1];
}

/* Computes c -= a b' for TALL rows of a and WIDE rows of b. */
static void subtract_tile(double *c, size_t stride, const double *a, size_t a_stride,
                          const double *b, size_t b_stride, size_t length)
{
    pair sum[TALL][WIDE] = {{{0}}};
    size_t k = 0;
    for (; k + 2 <= length; k += 2) {
        pair left = *(const pair *)(b + k), right = *(const pair *)(b + b_stride + k);
        for (size_t i = 0; i < TALL; i++) {
            pair row = *(const pair *)(a + i * a_stride + k);
            sum[i][0] += row * left;
            sum[i][1] += row * right;
        }
    }
    for (size_t i = 0; i < TALL; i++) {
        double last[WIDE] = {0};
        if (k < length) {
            last[0] = a[i * a_stride + k] * b[k];
            last[1] = a[i * a_stride + k] * b[b_stride + k];
        }
        c[i * stride] -= sum_of(sum[i][0]) + last[0];
        c[i * stride + 1] -= sum_of(sum[i][1]) + last[1];
    }
}

static double dot(const double a[], const double b[], size_t length)
{
    pair even = {0}, odd = {0};
    size_t k = 0;
    for (; k + 4 <= length; k += 4) {
        even += *(const pair *)(a + k) * *(const pair *)(b + k);
        odd += *(const pair *)(a + k + 2) * *(const pair *)(b + k + 2);
    }
    double sum = sum_of(even + odd);
    for (; k < length; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Computes c -= a b' over `length` columns of a and b. */
static void subtract_products(struct rows c, struct rows a, struct rows b, size_t length)
{
    size_t tall = a.count / TALL * TALL, wide = b.count / WIDE * WIDE;
    for (size_t begin = 0; begin < length; begin += CHUNK) {
        size_t columns = length - begin < CHUNK ? length - begin : CHUNK;
        for (size_t i = 0; i < a.count; i++) {
            const double *row = a.cell + i * a.stride + begin;
            bool tile = i < tall;
            for (size_t j = 0; tile && j < wide; j += WIDE)
                subtract_tile(c.cell + i * c.stride + j, c.stride, row, a.stride,
                              b.cell + j * b.stride + begin, b.stride, columns);
            size_t end = tile ? i + TALL : i + 1;
            for (size_t k = i; k < end; k++)
                for (size_t j = tile ? wide : 0; j < b.count; j++)
                    c.cell[k * c.stride + j] -=
                        dot(a.cell + k * a.stride + begin, b.cell + j * b.stride + begin, columns);
            i = end - 1;
        }
    }
}

/* Replaces x by x inverse(L'), where the triangle L begins at `l`. */
static void divide_rows(struct rows x, const double *l, size_t l_stride, size_t size)
{
    for (size_t i = 0; i < x.count; i++) {
        double *row = x.cell + i * x.stride;
        for (size_t j = 0; j < size; j++)
            row[j] = (row[j] - dot(row, l + j * l_stride, j)) / l[j * l_stride + j];
    }
}

static bool factor_block(struct rows m)
{
    for (size_t i = 0; i < m.count; i++) {
        double *row = m.cell + i * m.stride;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - dot(row, m.cell + j * m.stride, j)) / m.cell[j * m.stride + j];
        double rest = row[i] - dot(row, row, i);
        if (!(rest > ROUNDING * row[i]) || isinf(rest))
            return false;
        row[i] = sqrt(rest);
    }
    return true;
}

static size_t block_end(size_t begin, size_t n)
{
    return n - begin < BLOCK ? n : begin + BLOCK;
}

bool square_factor(struct square *m)
{
    for (size_t begin = 0; begin < m->n; begin += BLOCK) {
        size_t end = block_end(begin, m->n);
        struct rows above = rows_of(m, begin, end, 0);
        subtract_products(rows_of(m, begin, m->n, begin), rows_of(m, begin, m->n, 0), above, begin);
        struct rows block = rows_of(m, begin, end, begin);
        if (!factor_block(block))
            return false;
        divide_rows(rows_of(m, end, m->n, begin), block.cell, m->stride, end - begin);
    }
    return true;
}

/* Row j of the result is zero before column j, so later rows begin with later columns. */
void square_invert_triangle(const struct square *l, struct square *out)
{
    memset(out->cell, 0, out->n * out->stride * sizeof *out->cell);
    for (size_t i = 0; i < out->n; i++)
        out->cell[i * out->stride + i] = 1;
    for (size_t begin = 0; begin < l->n; begin += BLOCK) {
        size_t end = block_end(begin, l->n);
        for (size_t first = 0; first < begin; first += BLOCK)
            subtract_products(rows_of(out, first, first + BLOCK, begin),
                              rows_of(out, first, first + BLOCK, first),
                              rows_of(l, begin, end, first), begin - first);
        divide_rows(rows_of(out, 0, end, begin), l->cell + begin * l->stride + begin, l->stride,
                    end - begin);
    }
}

void square_times_transposed(const struct square *v, struct square *out)
{
    memset(out->cell, 0, out->n * out->stride * sizeof *out->cell);
    for (size_t i = 0; i < v->n; i += BLOCK)
        for (size_t j = 0; j <= i; j += BLOCK) {
            size_t i_end = block_end(i, v->n), j_end = block_end(j, v->n);
            subtract_products(rows_of(out, i, i_end, j), rows_of(v, i, i_end, i),
                              rows_of(v, j, j_end, i), v->n - i);
        }
    for (size_t i = 0; i < v->n; i++)
        for (size_t j = 0; j <= i; j++)
            out->cell[i * out->stride + j] = -out->cell[i * out->stride + j];
}

void triangle_solve(const struct square *l, double x[])
{
    for (size_t i = 0; i < l->n; i++) {
        const double *row = l->cell + i * l->stride;
        x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
}

void triangle_solve_transposed(const struct square *l, double x[])
{
    for (size_t i = l->n; i-- > 0;) {
        const double *row = l->cell + i * l->stride;
        x[i] /= row[i];
        for (size_t j = 0; j < i; j++)
            x[j] -= row[j] * x[i];
    }
}

double triangle_log_determinant(const struct square *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += log(l->cell[i * l->stride + i]);
    return 2 * sum;
}
