# SPDX-License-Identifier: GPL-3.0-or-later
"""A page looks as it did: its first screen, light, dark and narrow, and each figure.

pictures.py PAGE PREFIX      known good ones are PREFIX-NAME.txt; CUPEL_GOLDEN=write writes them
"""

from chromium import Fault, Page, main
from picture import compare

# One font wherever this runs. Words are no part of a figure's picture: they would hide what is.
STYLE = """{ const sheet = new CSSStyleSheet();
sheet.replaceSync("* { font-family: 'DejaVu Sans' !important } svg text { fill: transparent !important }");
document.adoptedStyleSheets = [sheet]; }"""

BOXES = """[...document.querySelectorAll("figure.chart > svg:not(.narrow)")].map(svg => {
    const box = svg.getBoundingClientRect();
    return [box.x + scrollX, box.y + scrollY, box.width, box.height];
})"""


def test(browser, path, prefix):
    faults = []

    def look(png, name, columns, lines):
        difference = compare(png, f"{prefix}-{name}.txt", columns, lines)
        if difference:
            faults.append(f"{name}: {difference}")

    for scheme in ("light", "dark"):
        with Page(browser, path, dark=scheme == "dark") as page:
            page.value(STYLE)
            look(page.screenshot(), scheme, 64, 48)
            for number, box in enumerate(page.value(BOXES), 1):
                if scheme == "light" or number == 1:
                    look(page.screenshot(clip=box), f"{scheme}-figure-{number}", 64, 24)
    with Page(browser, path, width=400) as page:
        page.value(STYLE)
        look(page.screenshot(), "narrow", 32, 64)
    if faults:
        raise Fault("\n".join(faults))


main(test)
