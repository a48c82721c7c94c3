# SPDX-License-Identifier: GPL-3.0-or-later
# Expected values for tests/unit/test_distance.c. Run in this folder: Rscript distance.R
#   distance_expected.tsv   first series, second series, quantity, value
# The series are those of golden.R.
read <- function(name) scan(paste0(name, ".txt"), quiet = TRUE)
rows <- "first\tsecond\tquantity\tvalue"
row <- function(a, b, quantity, value) {
  rows <<- c(rows, paste(a, b, quantity, sprintf("%.17g", value), sep = "\t"))
}
pairs <- list(c("normal300", "lognormal400"), c("normal300", "bimodal800"), c("ties90", "short7"),
              c("trend150", "ar09_200"), c("ties90", "ties90"))
for (p in pairs) {
  x <- read(p[1])
  y <- read(p[2])
  row(p[1], p[2], "ks", suppressWarnings(ks.test(x, y))$statistic)
}
for (p in list(c("trend150", "ar09_200"), c("ar07_600", "bimodal800"))) {
  n <- min(length(read(p[1])), length(read(p[2])))
  row(p[1], p[2], "correlation", cor(read(p[1])[1:n], read(p[2])[1:n]))
}
for (name in c("ties90", "lognormal400")) row(name, name, "dispersion", var(read(name)) / mean(read(name)))
writeLines(rows, "distance_expected.tsv")
