"""Pages of HTML: hostile names, and what a test reads of a page."""

from __future__ import annotations

from html.parser import HTMLParser

RTL, EMOJI, LONG = "نظام‮abc", "👩‍🔬 model", "a-very-long-name-" * 12 + "v1"
HOSTILE = [
    '<script>alert("1")</script>',
    "a|b\\c_$%&#{}~^`*[x]",
    "\"'><img src=x onerror=alert(1)>",
    "two\nlines\ud800\x00</style>",
    "=HYPERLINK(1)",
    RTL,
    EMOJI,
    LONG,
]


class Page(HTMLParser):
    """A page's elements, and its text without styles."""

    VOID = ("meta", "link", "br", "wbr", "img")

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.texts, self.wrong = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)

    def all(self, tag):
        return [attributes for found, attributes in self.elements if found == tag]
