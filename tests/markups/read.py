"""Reads a report as the program of its format does, and prints what is seen.

That is a JSON object: `rows` of cells as texts, `sides` to which these lean, `blocks` (what headings, paragraphs, list items and
blocks of code say), `code` (the blocks of code with their blanks), `beside` (text outside of all these) and `foreign` (tags of
markup that barrow writes in no format).

Usage: python read.py FORMAT <report, or python read.py --html FORMAT <report for the page itself. Called by tests/markups.rs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from bs4 import BeautifulSoup

# A reader that never ends is a failure, not a wait.
MOST_SECONDS = 60


def run(command, text, **more):
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=MOST_SECONDS, **more)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.returncode}\n{done.stderr.decode()}\n{done.stdout.decode()}")
    return done.stdout.decode()


def mediawiki(text):
    scripts = "/usr/share/mediawiki/maintenance"
    with tempfile.TemporaryDirectory() as wiki:
        place = ["--dbtype", "sqlite", "--dbpath", wiki, "--dbname", "w", "--confpath", wiki]
        site = ["--scriptpath", "/w", "--server", "http://localhost", "--pass", "Aa12345678xyzq", "T", "Admin"]
        run(["php", f"{scripts}/install.php", *place, *site], "")
        settings = {**os.environ, "MW_CONFIG_FILE": f"{wiki}/LocalSettings.php"}
        return run(["php", f"{scripts}/parse.php"], text, env=settings)


def dokuwiki(text):
    return run(["php", "-d", "error_reporting=0", "/usr/share/dokuwiki/bin/render.php"], text)


def trac(text):
    from trac.test import EnvironmentStub, MockRequest
    from trac.web.chrome import web_context
    from trac.wiki.formatter import format_to_html

    environment = EnvironmentStub(enable=["trac.*"])
    return format_to_html(environment, web_context(MockRequest(environment), "wiki", "WikiStart"), text)


def jira(text):
    import pypandoc

    return run([pypandoc.get_pandoc_path(), "-f", "jira", "-t", "html", "--wrap=none"], text)


def textile(text):
    return run(["ruby", "-Ku", "-e", 'require "redcloth"; puts RedCloth.new(STDIN.read).to_html'], text)


def rst(text):
    # A warning is an error: what barrow writes is no riddle to its reader.
    command = [sys.executable, "-m", "docutils", "--report=1", "--halt=2", "--no-section-numbering", "--initial-header-level=3"]
    return run(command, text)


def org(text):
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/report.org"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        shown = "(org-export-as 'html nil nil t '(:section-numbers nil :with-toc nil :headline-levels 6))"
        program = f'(progn (set-language-environment "UTF-8") (require \'ox-html) (find-file "{path}") (princ {shown}))'
        # U+200B is the sign with which Org's manual keeps marks apart.
        return run(["emacs", "--batch", "-Q", "--eval", program], "").replace("\u200b", "")


def asciidoc(text):
    command = ["asciidoctor", "--embedded", "--failure-level", "WARN", "-o", "-", "-"]
    return run(command, text, env={**os.environ, "LANG": "C.UTF-8"})


def forum(text):
    import bbcode

    bare = {"replace_links": False, "replace_cosmetic": False}
    parser = bbcode.Parser(newline="\n", **bare)
    parser.REPLACE_COSMETIC = ()  # for the tags that the parser brings
    for tag in ("table", "tr", "th", "td"):
        parser.add_simple_formatter(tag, f"<{tag}>%(value)s</{tag}>", strip=True, **bare)
    parser.add_simple_formatter("right", '<div style="text-align: right">%(value)s</div>', **bare)
    parser.add_simple_formatter("font", "<code>%(value)s</code>", **bare)
    parser.add_simple_formatter("code", "<pre>%(value)s</pre>", render_embedded=False, transform_newlines=False, **bare)
    page = parser.format(text)
    if "<pre>" in page:
        return page
    # Blank lines are all that a forum has between paragraphs.
    parts = [part if part.startswith(("<ul>", "<table>")) else f"<p>{part}</p>" for part in re.split(r"\n\n+", page)]
    return "\n".join(parts)


READERS = {
    "mediawiki": mediawiki,
    "dokuwiki": dokuwiki,
    "trac": trac,
    "jira": jira,
    "textile": textile,
    "rst": rst,
    "org": org,
    "asciidoc": asciidoc,
    "bbcode": forum,
    "bbcode-table": forum,
}


def plain(text):
    """Blanks are one blank to every reader of HTML."""
    return re.sub(r"[ \n\t\r\u00a0]+", " ", text).strip()


def side(cell, table):
    """To which side a cell leans, by its style, class or attribute, or those of its only child or its table."""
    for tag in (cell, cell.find("div", recursive=False), table):
        said = f"{tag.get('style')} {tag.get('class')} {tag.get('align')}" if tag else ""
        for name in ("right", "left"):
            if name in said:
                return name
    return "left"


def rows(soup):
    """The cells of all tables and their sides; a cell of several rows is empty, and has no side, in all but its first."""
    found, sides = [], []
    for table in soup.find_all("table"):
        held = {}
        for row in table.find_all("tr"):
            cells, leaning, column = [], [], 0
            for cell in row.find_all(["td", "th"]):
                while held.get(column, 0) > 0:
                    held[column] -= 1
                    cells.append("")
                    leaning.append("")
                    column += 1
                assert int(cell.get("colspan", 1)) == 1, f"a cell of several columns: {cell}"
                held[column] = int(cell.get("rowspan", 1)) - 1
                cells.append(plain(cell.get_text()))
                leaning.append(side(cell, table) if cells[-1] else "")
                column += 1
            found.append(cells)
            sides.append(leaning)
        assert not any(held.values()), f"a cell reaches out of the table: {held}"
    return found, sides


def blocks(soup):
    """What headings, paragraphs, list items and blocks of code say, and the text outside of them."""
    for table in soup.find_all("table"):
        table.decompose()
    names = ["h1", "h2", "h3", "h4", "h5", "h6", "p", "li", "pre"]
    found = []
    for block in soup.find_all(names):
        if block.find_parent(names) is None:
            found.append(plain(block.get_text()))
    for block in soup.find_all(names):
        block.extract()
    return found, plain(soup.get_text())


def main():
    name = sys.argv[-1]
    page = READERS[name](sys.stdin.read())
    if "--html" in sys.argv:
        print(page)
        return
    soup = BeautifulSoup(page, "html5lib")
    for gone in soup.select(".mw-editsection, title, style"):
        gone.decompose()
    cells, sides = rows(soup)
    foreign = sorted({tag.name for tag in soup.find_all(["a", "img", "script", "del", "ins", "sub", "sup", "hr", "em", "i", "u"])})
    code = [block.get_text() for block in soup.find_all("pre")]
    said, beside = blocks(soup)
    print(json.dumps({"rows": cells, "sides": sides, "blocks": said, "code": code, "beside": beside, "foreign": foreign}))


main()
