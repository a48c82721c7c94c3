# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that would be markup are words: on the page, in its pictures and in its charts.

hostile.py PAGE NAME...     the page says each name as it is
"""

from chromium import Page, check, main


def test(browser, path, *names):
    for scripts in (True, False):
        with Page(browser, path, scripts=scripts) as page:
            for number in range(page.value("document.querySelectorAll('figure.chart').length") if scripts else 0):
                page.value(f"document.querySelectorAll('figure.chart')[{number}].focus()")
                page.key("Enter")
            text = page.value("document.body.textContent")
            for name in names:
                check(name in text, f"the page does not say {name}")
            figures = page.value("document.querySelectorAll('figure.chart').length")
            check(page.value("document.scripts.length") == figures + 1, "there is another <script>")
            check(not page.value("document.querySelector('img, iframe, object, embed, link, form, base, a[href]')"),
                  "a name became an element")
            check(not page.value("[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => "
                                 "a.name.startsWith('on')))"), "an element has a handler")


main(test)
