# An approximation of the storage below a TPC-B database.
#
# Source: TPC Benchmark B (1990), as programs that implement it have it; the specification itself
# was not at hand: a transaction updates the balance of one account, of one teller and of its branch,
# and adds a row to the history. To a branch belong 10 tellers and 100,000 accounts; their rows have
# at least 100 bytes, those of the history at least 50.
#
# Ours: pages of 8 KiB; no page is found in memory, so each is read; an update is logged before its
# page is written (write-ahead logging), many transactions with one write of the log (group commit:
# DeWitt et al., "Implementation techniques for main memory database systems", SIGMOD 1984). By the
# rows' sizes, tellers and branches would have 0.01 % of the database: that is less than a page of
# a small target, so they get 1 % each. A result of this is no TPC-B result.
name tpc-b
about TPC-B like: bank transactions, each waits for its commit
rate 3k                 # 6 requests each: 500 transactions per second; the log's writes come on top

[stream transactions]
kind transaction
size 8k
region 2%-80%           # the accounts
step read random                    # 1 account
step read random region 1%-2%       # 2 teller
step read random region 0%-1%       # 3 branch
step tell log
step write same:1
step write same:2
step write same:3

[stream log]
kind log
record 350              # 50 of the history's row, 3 x 100 of the changed rows
size 256k               # ours: the largest write
region 80%-100%
