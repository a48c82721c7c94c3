# SPDX-License-Identifier: GPL-3.0-or-later
"""Each of the pages is silent, fits windows of every width, prints, and has all figures with and without scripts.

pages.py PAGE...
"""

from chromium import Page, check, main

# Of each figure: its title, the length of its paths, the size of its picture, and its data.
FIGURES = """[...document.querySelectorAll("figure.chart")].map(f => {
    const svg = f.querySelector("svg"), box = svg?.getBoundingClientRect();
    return { title: f.querySelector("figcaption").textContent, width: box?.width, height: box?.height,
             paths: [...svg?.querySelectorAll("path") ?? []].reduce((n, p) => n + p.getTotalLength(), 0),
             data: f.querySelector("script.data").textContent && JSON.parse(f.querySelector("script.data").textContent) };
})"""


def check_figures(figures, path):
    for f in figures:
        where = f"{path}: {f['title'].strip()}: "
        check(f["width"] and f["width"] > 100 and f["height"] > 20, where + f"has {f['width']} x {f['height']}")
        check(f["paths"] > 10, where + "its picture is empty")
        check(f["data"]["series"], where + "has no data")
        for s in f["data"]["series"]:
            check(len(s["values"]) == len(f["data"]["x"]["values"]), where + f"{s['name']} has not a value for each x")


def check_page(browser, path):
    with Page(browser, path, width=1000) as page:
        figures = page.value(FIGURES)
        check_figures(figures, path)
        check(page.value("document.title"), f"{path}: has no title")
        check(page.value("document.querySelectorAll('figure.zoomable').length") == len(figures),
              f"{path}: not every figure can be zoomed")
        for width in (1000, 400, 320):
            page.resize(width, 800)
            wide = page.value("document.documentElement.scrollWidth")
            check(wide <= width, f"{path}: is {wide} wide in a window of {width}")
        leaves = page.sheets()
        check(1 <= leaves <= 20, f"{path}: {leaves} sheets of paper")
    with Page(browser, path, width=1000, scripts=False) as page:
        without = page.value(FIGURES)
        check(without == figures, f"{path}: without scripts its figures are others")
        check(not page.value("document.querySelector('.zoomable')"), f"{path}: a script ran where none may")
    print(f"{path}: {len(figures)} figures, {leaves} sheets of A4")
    return len(figures)


def test(browser, *paths):
    for path in paths:
        check(check_page(browser, path), f"{path}: has no figures")


main(test)
