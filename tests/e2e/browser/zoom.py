# SPDX-License-Identifier: GPL-3.0-or-later
"""Every figure of a page becomes a chart and back, by keys and by the mouse; a chart zooms, moves, says what is under the
cursor, and is not printed.

zoom.py PAGE...
"""

import math
import re

from chromium import Page, check, main


# Whether the chart's canvas, in a copy, has dots of the colour that the first series has in the page's style now.
IN_COLOUR = """(() => {
    const data = JSON.parse(f.querySelector("script.data").textContent), canvas = f.querySelector("canvas");
    const colour = getComputedStyle(f).getPropertyValue("--c" + data.series[0].colour).match(/[0-9a-f]{2}/gi);
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
    copy.drawImage(canvas, 0, 0);
    const dots = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < dots.length; i += 4)
        if (dots[i + 3] > 100 && colour.every((c, n) => Math.abs(parseInt(c, 16) - dots[i + n]) < 8)) return true;
    return false;
})()"""


class Figure:
    """The one with this number on a page."""

    def __init__(self, page, number):
        self.page = page
        self.it = f"document.querySelectorAll('figure.chart')[{number}]"
        self.title = self.value("f.querySelector('figcaption').textContent").strip()
        self.log = self.value("JSON.parse(f.querySelector('script.data').textContent).log_x")

    def value(self, expression):
        return self.page.value(f"(f => {expression})({self.it})")

    def check(self, ok, words):
        check(ok, f"{self.title}: {words}")

    def live(self):
        return self.value("f.classList.contains('live')")

    def box(self, of):
        """In the window, into whose middle the figure is scrolled."""
        self.value("f.scrollIntoView({block: 'center', behavior: 'instant'})")
        return self.value(f"(b => [b.x, b.y, b.width, b.height])(f.querySelector('{of}').getBoundingClientRect())")

    def range(self):
        """Of the axis of x, on a scale on which zooming is the same everywhere."""
        ends = self.value("[f.chart.scales.x.min, f.chart.scales.x.max]")
        return [math.log(end) for end in ends] if self.log else ends

    def width(self):
        begin, end = self.range()
        return end - begin

    def is_range(self, expected, words):
        got = self.range()
        near = abs(expected[1] - expected[0]) * 1e-6
        self.check(all(abs(a - b) < near for a, b in zip(got, expected)), f"{words}: {got} instead of {expected}")

    def by_keys(self):
        size = self.box("svg")
        self.value("f.focus()")
        self.page.key("Enter")
        self.check(self.live(), "Enter does not open it")
        self.check(self.value("getComputedStyle(f.querySelector('svg')).display") == "none", "the picture stays")
        chart = self.box("canvas")
        self.check(abs(chart[2] - size[2]) < 2 and abs(chart[3] - max(size[3], 160)) < 2, f"the chart is {chart}, not {size}")
        begin, end = all_of_it = self.range()
        self.page.key("-")
        self.is_range(all_of_it, "there is nothing outside of all")
        self.page.key("+")
        quarter = (end - begin) / 4
        self.is_range([begin + quarter, end - quarter], "+")
        self.page.key("ArrowRight")
        self.is_range([begin + 1.2 * quarter, end - .8 * quarter], "the right arrow")
        for _ in range(7):
            self.page.key("ArrowLeft")
        self.is_range([begin, end - 2 * quarter], "the left arrow, up to the begin")
        self.page.key("0")
        self.is_range(all_of_it, "0")
        self.page.key("a")
        self.check(self.live(), "another key closes it")
        self.page.key("Escape")
        self.check(not self.live(), "Escape does not close it")
        self.check(self.box("svg") == size, "it is not as before")
        self.check(not self.value("f.querySelector('.uplot')"), "the chart is left behind")

    def by_mouse(self):
        x, y, width, height = self.box("svg")
        self.page.click(x + width / 2, y + height / 2)
        self.check(self.live(), "a click does not open it")
        x, y, width, height = self.box(".u-over")
        all_of_it = self.range()
        self.page.drag(x + width * .25, y + height / 2, x + width * .75)
        self.check(.4 < self.width() / (all_of_it[1] - all_of_it[0]) < .6, f"dragging gives {self.range()} of {all_of_it}")
        self.page.mouse("mouseMoved", x + width * .5, y + height / 2)
        data = self.value("JSON.parse(f.querySelector('script.data').textContent)")
        said = self.value("[...f.querySelectorAll('.u-legend .u-value')].map(v => v.textContent)")
        self.check(re.search(r"\d", said[0]), f"the cursor says {said}")
        for words, unit in zip(said, [data["x"]["unit"]] + [s["unit"] for s in data["series"]]):
            time = unit in ("s", "ms", "us", "ns")
            self.check(words == "–" or re.fullmatch(r"-?[\d,.]+" + (" [mun]?s" if time else "( [kMG])?" if not unit else " [kMG]?" + unit), words),
                       f"the cursor says {words!r}, the unit is {unit!r}")
        self.page.click(x + width / 2, y + height / 2, count=2)
        self.is_range(all_of_it, "a double click")

    def by_medium(self):
        """A chart that is open has the page's colours, light or dark. It is not printed: its picture is."""
        self.page.call("Emulation.setEmulatedMedia", media="print")
        shown = self.value("['svg', '.uplot'].map(s => getComputedStyle(f.querySelector(s)).display)")
        for dark in (False, True, False):
            self.page.scheme(dark)
            self.value("new Promise(requestAnimationFrame)")
            self.check(self.value(IN_COLOUR), f"the chart has not the colours of the {'dark' if dark else 'light'} page")
        self.check(shown[0] != "none" and shown[1] == "none", f"on paper, picture and chart are {shown}")


def test_page(browser, path):
    with Page(browser, path) as page:
        count = page.value("document.querySelectorAll('figure.chart').length")
        check(count, f"{path}: there are no figures")
        for number in range(count):
            figure = Figure(page, number)
            figure.by_keys()
            figure.by_mouse()
            figure.by_medium()
        # By the keyboard alone: Tab comes to a figure.
        page.value("document.body.focus()")
        for _ in range(200):
            page.key("Tab")
            if page.value("document.activeElement.matches('figure.chart')"):
                break
        check(page.value("document.activeElement.matches('figure.chart')"), f"{path}: Tab comes to no figure")
        print(f"{path}: {count} charts")


def test(browser, *paths):
    for path in paths:
        test_page(browser, path)


main(test)
