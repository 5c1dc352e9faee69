#!/usr/bin/env bash
# Builds the site from the pages of the repository with mdBook, without network, into target/site/html, and checks every link of it: the pages,
# headings, pictures and files that a page names are in the site, and a page loads nothing from elsewhere. README.md is the first page. The site has
# the pages that docs/SUMMARY.md lists, under their own paths, and the files that these pages link to.
#   scripts/site.sh
# Takes mdbook from PATH or from target/site/tools, where cargo installs it once (four minutes on two cores).
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.4.52
site=target/site
mkdir -p "$site"
mdbook=$(command -v mdbook || echo "$site/tools/bin/mdbook")
[[ -x $mdbook ]] || cargo install mdbook --quiet --locked --version "$version" --root "$site/tools"

rm -rf "$site/pages" "$site/html"
python3 - "$site/pages" <<'PYTHON'
import os, pathlib, re, shutil, subprocess, sys

site = pathlib.Path(sys.argv[1])
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
known = set(subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], text=True).splitlines())
wrong = []


def target(page, link):
    return os.path.normpath(os.path.join(os.path.dirname(page), link))


def copy(path):
    (site / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, site / path)


contents = pathlib.Path("docs/SUMMARY.md").read_text()
pages = [target("docs/SUMMARY.md", link) for _, link, _ in LINK.findall(contents)]
wrong += [f"docs/SUMMARY.md does not list {page}" for page in sorted(known) if re.fullmatch(r"docs/[^/]+\.md", page) and page not in pages]
wrong.remove("docs/SUMMARY.md does not list docs/SUMMARY.md")
for page in pages:
    copy(page)
    # A link within a block of code is none.
    text = re.sub(r"^```.*?^```$", "", pathlib.Path(page).read_text(), flags=re.M | re.S)
    for _, link, _ in LINK.findall(text):
        path = target(page, link)
        if re.match(r"[a-z]+:", link) or path in pages:
            continue
        if path.endswith(".md"):
            wrong.append(f"{page} links to {path}, which docs/SUMMARY.md does not list")
        elif path in known:
            copy(path)
        else:
            wrong.append(f"{page} links to {link}, which is no file")
(site / "SUMMARY.md").write_text(LINK.sub(lambda link: link[1] + target("docs/SUMMARY.md", link[2]) + link[3], contents))
sys.exit("\n".join(wrong) or None)
PYTHON

# A build in a network namespace of its own has no network. Some containers forbid such a namespace.
alone=(unshare --map-root-user --net)
"${alone[@]}" true 2>/dev/null || alone=()
"${alone[@]}" "$mdbook" build

python3 - "$site/html" <<'PYTHON'
import html.parser, os, pathlib, re, sys, urllib.parse

site = pathlib.Path(sys.argv[1])
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    """The identifiers and links of a page."""

    def __init__(self, path):
        super().__init__()
        self.identifiers, self.links = {"", "top"}, []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.identifiers.add(value)
            if name in ("href", "src") and value is not None:
                self.links.append(((tag, name), value, self.getpos()[0]))


pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "toc.html"}
wrong, local, remote = [], 0, 0
for path, page in pages.items():
    for kind, link, line in page.links:
        place = f"{path.relative_to(site)}:{line}"
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            remote += 1
            if kind in LOADED and parts.scheme != "data":
                wrong.append(f"{place}: the page loads {link}")
            continue
        local += 1
        name = urllib.parse.unquote(parts.path)
        to = pathlib.Path(os.path.normpath(path.parent / name)) if name else path
        if site not in to.parents or not to.is_file():
            wrong.append(f"{place}: {link} is not in the site")
        elif to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].identifiers:
            wrong.append(f"{place}: {link}: no heading has this name")
first = pages[site / "index.html"]
pictures = [link for kind, link, _ in first.links if kind == ("img", "src")]
if len(pictures) < 2:
    wrong.append(f"index.html has the pictures {pictures}, not two")
if not pages or local < 500:
    wrong.append(f"{len(pages)} pages with {local} links: too few")
for page in (site / "index.html", site / "docs/tutorial.html"):
    for loaded in re.findall(r"https?://(?:play|fonts|cdn)[^\"' ]*", page.read_text()):
        wrong.append(f"{page.relative_to(site)}: {loaded}")
print(f"{site}: {len(pages)} pages, {local} links within the site, {remote} links elsewhere, which are not checked")
sys.exit("\n".join(wrong) or None)
PYTHON
