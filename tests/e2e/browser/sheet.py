# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates: each is one sheet of A4 and of Letter, runs no script, and fits windows of every width.

sheet.py PAGE...
"""

from chromium import Page, check, main


def test(browser, *paths):
    for path in paths:
        with Page(browser, path) as page:
            check(not page.value("document.scripts.length"), f"{path}: has a script")
            for paper in ("A4", "Letter"):
                sheets = page.sheets(paper)
                check(sheets == 1, f"{path}: {sheets} sheets of {paper}")
            for width in (1280, 400, 320):
                page.resize(width, 800)
                wide = page.value("document.documentElement.scrollWidth")
                check(wide <= width, f"{path}: is {wide} wide in a window of {width}")


main(test)
