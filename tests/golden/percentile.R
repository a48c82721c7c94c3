# SPDX-License-Identifier: GPL-3.0-or-later
# Expected values for tests/unit/test_percentile.c. Run in this folder: Rscript percentile.R
#   percentile_ranks.tsv     ranks of the two-sided interval by the binomial quantile; 0 0 where none exists
#   percentile_series.tsv    two series of latencies in ns, sorted by nothing
#   percentile_expected.tsv  their percentiles (nearest rank) and intervals (order statistics)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20240611)

# l = max{k: F(k-1) <= a/2}, u = min{k: F(k-1) >= 1-a/2}. qbinom only says where to begin: R 4.2 returns
# qbinom(5e-4, 12345, 0.999) = 12345, where F(12320) is already above 5e-4.
ranks <- function(n, p, confidence) {
  tail <- (1 - confidence) / 2
  l <- qbinom(tail, n, p)
  while (pbinom(l, n, p) <= tail) l <- l + 1
  while (l > 0 && pbinom(l - 1, n, p) > tail) l <- l - 1
  u <- qbinom(1 - tail, n, p) + 1
  while (pbinom(u - 1, n, p) < 1 - tail) u <- u + 1
  while (u > 1 && pbinom(u - 2, n, p) >= 1 - tail) u <- u - 1
  if (l < 1 || u > n) c(0, 0) else c(l, u)
}

number <- function(x) format(x, digits = 15, scientific = FALSE, trim = TRUE)

rows <- "n\tshare\tconfidence\tlower\tupper"
for (confidence in c(0.8, 0.95, 0.999))
  for (p in c(0.05, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999))
    for (n in c(1, 2, 3, 7, 17, 90, 367, 368, 3687, 3688, 12345, 36887, 36888, 1e6, 123456789, 1e9)) {
      r <- ranks(n, p, confidence)
      rows <- c(rows, paste(number(n), number(p), number(confidence), number(r[1]), number(r[2]), sep = "\t"))
    }
writeLines(rows, "percentile_ranks.tsv")

series <- list(exact = pmin(127, round(rlnorm(500, log(40), 0.4))),
               wide = round(rlnorm(4000, log(1e5), 1.2)))
rows <- "series\tns"
for (name in names(series)) rows <- c(rows, paste(name, number(series[[name]]), sep = "\t"))
writeLines(rows, "percentile_series.tsv")

rows <- "series\tshare\tconfidence\tvalue\tlow\thigh"
for (name in names(series)) {
  x <- sort(series[[name]])
  for (confidence in c(0.9, 0.95, 0.99))
    for (p in c(0.05, 0.5, 0.9, 0.95, 0.99, 0.999)) {
      r <- ranks(length(x), p, confidence)
      value <- quantile(x, p, type = 1, names = FALSE)
      ends <- if (r[1] > 0) c(value, x[r]) else c(NA, NA, NA)
      rows <- c(rows, paste(name, number(p), number(confidence), paste(number(ends), collapse = "\t"), sep = "\t"))
    }
}
writeLines(rows, "percentile_expected.tsv")
