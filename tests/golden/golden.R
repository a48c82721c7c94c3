# SPDX-License-Identifier: GPL-3.0-or-later
# Expected values for the unit tests of src/stat. Run in this folder: Rscript golden.R
#   NAME.txt       a series, one number a line
#   expected.tsv   case, quantity, parameters, value (several with commas), where the value comes from
# The values are computed from the text of the series, so that both sides see the same digits.
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20240517)

markov_levels <- function(n, low, high, switching, noise) {
  level <- cumsum(runif(n) < switching) %% 2
  ifelse(level == 0, low, high) + rnorm(n, 0, noise)
}
series <- list(
  normal300     = rnorm(300, 100, 5),
  ar07_600      = 250 + 8 * arima.sim(list(ar = 0.7), 600),
  ar09_200      = 90 + 3 * arima.sim(list(ar = 0.9), 200),
  negative250   = 40 + 2 * arima.sim(list(ar = -0.5), 250),
  arma_1500     = 1000 + 20 * arima.sim(list(ar = c(0.5, 0.3), ma = -0.2), 1500),
  lognormal400  = rlnorm(400, 3, 0.8),
  bimodal800    = markov_levels(800, 100, 120, 0.05, 2),
  offset120     = 1e9 + round(rnorm(120, 0, 3), 3),
  ties90        = as.numeric(sample(1:5, 90, replace = TRUE)),
  trend150      = 50 + 0.2 * (1:150) + rnorm(150),
  short7        = rnorm(7, 10, 1)
)

rows <- "case\tquantity\tparams\tvalue\torigin"
number <- function(x) paste(sprintf("%.17g", x), collapse = ",")
row <- function(case, quantity, params, value, origin) {
  rows <<- c(rows, paste(case, quantity, params, number(value), origin, sep = "\t"))
}

block_means <- function(x, q) colMeans(matrix(x[1:(q * (length(x) %/% q))], nrow = q))

# Subsessions about the mean of all readings (Li et al., Pilot (2016), III-D).
subsession <- function(x, q) {
  b <- block_means(x - mean(x), q)
  h <- length(b)
  variance <- sum(b^2) / (h - 1)
  width <- 2 * qt(0.975, h - 1) * sqrt(variance / h)
  c(h, variance, sum(b[-1] * b[-h]) / sum(b^2), width)
}
first_size <- function(x, limit, robust) {
  for (q in seq_len(length(x) %/% 3)) {
    if (abs(subsession(x, q)[3]) > limit) next
    if (!robust) return(q)
    if (length(x) %/% (2 * q) >= 2 && abs(subsession(x, 2 * q)[3]) <= limit) return(q)
  }
  0
}

# Burg's fit with its noise variance divided by n - order - 1 instead of n.
burg <- function(x, order) {
  a <- ar.burg(x, aic = TRUE, order.max = order, demean = TRUE, var.method = 1)
  a$var.pred <- a$var.pred * length(x) / (length(x) - a$order - 1)
  a
}

# The interval of src/stat/estimate.h, written again from its description.
model_variance <- function(x, most) {
  n <- length(x)
  order <- min(floor(10 * log10(n)), most, n %/% 10)
  least <- 3
  value <- var(x) / n
  if (order > 0) {
    a <- burg(x, order)
    r <- sum(a$ar)
    r <- r + (1 + 3 * r) * sqrt(a$order) / n
    value <- if (a$order > 0 && r >= 1 - 2 * least / n) var(x) / least
             else min(a$var.pred / (1 - r)^2 / n, var(x) / least)
  }
  independent <- min(n, var(x) / value)
  c(value, qt(0.975, independent - 1) * sqrt(value))
}
# By how many standard errors the interval reaches further on the side of the longer tail.
third_moment <- function(x, size) sum((block_means(x - mean(x), size) * size)^3) / (length(x) %/% size * size)
skewness_reach <- function(x, variance, t, most) {
  if (length(x) < 30) return(0)
  moments <- sapply(2^(0:floor(log2(most))), function(size) third_moment(x, size))
  g <- moments[which.max(abs(moments))] / length(x)^2 / variance^1.5
  sign(g) * max(abs(g) - 0.1, 0) * (2 * t^2 + 1) / 6
}
# A chi-square of k degrees has mean k and variance 2k; the variance of m blocks' sums, as its moments
# give it, has as many degrees as 2 mean^2 / variance says. Never more than m - 1, for m of no excess.
degrees_by_fourth_moment <- function(x, size) {
  if (length(x) < 30) return(Inf)
  b <- block_means(x - mean(x), size) * size
  flatness <- mean(b^4) / mean(b^2)^2
  max(1, 2 * (length(b) - 1) / max(2, flatness - 1))
}
spectral <- function(x) {
  v <- model_variance(x, 20)
  size <- floor(length(x)^(1 / 3) + 1e-9)
  if (size > 1) {
    slow <- model_variance(block_means(x, size), 4)
    if (slow[2] > v[2]) v <- slow
  }
  error <- sqrt(v[1])
  t <- max(v[2] / error, qt(0.975, degrees_by_fourth_moment(x, size)))
  reach <- error * skewness_reach(x, v[1], t, size)
  half <- t * error
  c(mean(x) - half + min(reach, 0), mean(x) + half + max(reach, 0), min(length(x), var(x) / v[1]))
}

for (case in names(series)) {
  file <- paste0(case, ".txt")
  writeLines(sprintf("%.12g", as.numeric(series[[case]])), file)
  x <- scan(file, quiet = TRUE)
  n <- length(x)
  row(case, "n", "", n, "-")
  row(case, "mean", "", mean(x), "R")
  row(case, "sd", "n-1", sd(x), "R")
  row(case, "median", "", median(x), "R")
  for (p in c(0, 0.01, 0.25, 0.5, 0.9, 0.99, 1))
    row(case, "quantile", paste0("p=", p), quantile(x, p, names = FALSE), "R quantile (type 7)")
  if (all(x > 0)) row(case, "harmonic_mean", "", n / sum(1 / x), "R")
  row(case, "acf_biased", "lags1-5", acf(x, lag.max = 5, plot = FALSE)$acf[2:6], "R acf (divisor n)")
  for (level in c(0.9, 0.95, 0.99))
    row(case, "t_ci", paste0("cl=", level), t.test(x, conf.level = level)$conf.int, "R t.test")
  for (q in c(1, 2, 3, 5, 8, 13))
    if (n %/% q >= 3)
      row(case, "subsession", paste0("q=", q, " h,var,r1,ci95width"), subsession(x, q), "Li et al., Pilot (2016), III-D")
  for (limit in c(0.8, 0.2, 0.1)) {
    row(case, "pilot_q", paste0("ac=", limit), first_size(x, limit, FALSE), "first q in 1..n/3 within, 0 none")
    row(case, "robust_q", paste0("ac=", limit), first_size(x, limit, TRUE), "and 2q within")
  }
  for (order in c(1, 4, 20)) {
    if (n < 50) next
    a <- burg(x, order)
    row(case, "burg", paste0("max=", order, " order,var,coefficients"), c(a$order, a$var.pred, a$ar),
        "R ar.burg, AIC")
  }
  row(case, "spectral_ci", "cl=.95 low,high,effective_n", spectral(x), "R ar.burg")
}

for (df in c(1, 1.5, 2, 3.7, 9, 29, 31.4, 99, 1999, 54321.5, 1e7)) {
  for (p in c(0.6, 0.9, 0.975, 0.9995, 0.9999999))
    row("student_t", "inverse", paste0("df=", format(df, digits = 12), " p=", format(p, digits = 12)), qt(p, df), "R qt")
  for (t in c(0.1, 1, 2.5, 6, 20))
    row("student_t", "two_sided", paste0("df=", format(df, digits = 12), " t=", t), 2 * pt(-t, df), "R pt")
}
for (p in c(1e-12, 1e-4, 0.025, 0.3, 0.5, 0.975, 0.999999))
  row("normal", "inverse", paste0("p=", format(p, digits = 12)), qnorm(p), "R qnorm")
for (z in c(-8, -2, -0.5, 0, 1, 3))
  row("normal", "cdf", paste0("z=", z), pnorm(z), "R pnorm")
for (n in c(1, 7, 72, 368, 3688, 100000))
  for (p in c(0.5, 0.9, 0.99))
    for (k in unique(pmax(0, c(0, floor(n * p - sqrt(n * p * (1 - p))), floor(n * p), n - 1))))
      if (pbinom(k, n, p) > 1e-250)
        row("binomial", "cdf", paste0("k=", format(k, scientific = FALSE), " n=", format(n, scientific = FALSE), " p=", p),
            pbinom(k, n, p), "R pbinom")
for (n in c(5, 20, 137, 5000))
  for (k in unique(c(0, 1, n %/% 3, n - 2, n)))
    for (level in c(0.9, 0.95, 0.99))
      row("wilson", "ci", paste0("k=", k, " n=", n, " cl=", level),
          prop.test(k, n, conf.level = level, correct = FALSE)$conf.int, "R prop.test(correct=FALSE)")
writeLines(rows, "expected.tsv")
