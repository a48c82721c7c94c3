/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dispatch and the default. */
#include "stat/changepoint.h"

#include <math.h>

#include "stat/descriptive.h"
#include "stat/confirm.h"
#include "stat/edm.h"
#include "stat/noise.h"
#include "stat/pelt.h"
#include "stat/recurrence.h"
#include <stdlib.h>

#define MINIMUM_SEGMENT 30
size_t changepoint_scratch_bytes(enum changepoint_method method, size_t n)
{
    (void)method;
    return 4*arena_bytes(n,8) + pelt_scratch_bytes(n, 30) + noise_scratch_bytes(n)+edm_scratch_bytes(n)+arena_bytes(100000,8);
}
static size_t basic(const double y[], size_t n, double s, size_t out[], size_t cap, struct arena *a)
{
    size_t mark = arena_mark(a);
    double *z = arena_alloc(a, n, sizeof *z);
    double c = mean_of(y, n);
    for (size_t i = 0; i < n; i++) z[i] = (y[i]-c)/s;
    size_t k = pelt_mean(z, n, 3*log((double)n), 30, out, cap, a);
    arena_reset(a, mark);
    return k;
}
#ifndef NEFF
#define NEFF 3
#endif
#ifndef GORD
#define GORD 5
#endif
#include "stat/autoregression.h"
static int wanders(const double y[], size_t n, const size_t cuts[], size_t k, struct arena *a)
{
    size_t begin=0, longest=0, lb=0;
    for (size_t i=0;i<=k;i++){size_t e=i<k?cuts[i]:n; if(e-begin>longest){longest=e-begin;lb=begin;} begin=e;}
    size_t q=(longest+1023)/1024, m=longest/q; static double z[1100];
    for(size_t i=0;i<m;i++) z[i]=mean_of(y+lb+i*q,q);
    double mu=mean_of(z,m), v=0; for(size_t i=0;i<m;i++){z[i]-=mu;v+=z[i]*z[i];} v/=(double)m;
    struct autoregression f=autoregression_fit(z,m,0,GORD,a);
    struct autoregression g=autoregression_fit(z,m,0,1,a);
    double d=1-f.persistence, d1=1-g.persistence;
    return v>0 && ((double)m*v*d*d < NEFF*f.variance||(double)m*v*d1*d1 < NEFF*g.variance);
}
size_t changepoint_find(enum changepoint_method method, const double x[], size_t n, size_t out[],
                        size_t capacity, struct arena *scratch)
{
    if (method == CHANGEPOINT_EDM) return edm_percent(x, n, 30, .25, 1, out, capacity, scratch);
    if (n < 60) return 0;
    size_t mark = arena_mark(scratch);
    double *y = arena_alloc(scratch, n, sizeof *y);
    noise_clean(x, n, y, scratch);
    double s = noise_level(y, n, scratch);
    double lo=y[0],hi=y[0]; for(size_t i=0;i<n;i++){lo=fmin(lo,y[i]);hi=fmax(hi,y[i]);}
    s = fmax(s, (hi-lo)/1000);
    const char *E1=getenv("SF"), *E2=getenv("CT"); double sf=E1?atof(E1):1, ct=E2?atof(E2):3;
    size_t k = s > 0 ? basic(y, n, s*sf, out, capacity, scratch) : 0;
    double s2 = recurrence_noise_level(y, n, out, k, scratch);
    if (s2 > s) k = basic(y, n, s2, out, capacity, scratch);
    if (ct>0) k = confirm_cuts(y, n, out, k, ct*log((double)n), scratch);
    if (s > 0 && wanders(y, n, out, k, scratch)) {
        double v=0; for(size_t i=1;i<n;i++) v+=(y[i]-y[i-1])*(y[i]-y[i-1]);
        k = basic(y, n, fmax(sqrt(v/2/(double)(n-1)),(hi-lo)/1000), out, capacity, scratch);
    }
    arena_reset(scratch, mark);
    return k;
}
