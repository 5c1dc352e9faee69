#!/usr/bin/env bash
# Checks the language of the workspace in seconds: scripts/prose.sh [--count]. Each finding is a line `FILE:LINE: RULE: TEXT`, and the exit
# code is then 1. With --count it prints the findings by rule and folder instead. scripts/prose-exceptions.txt lists exceptions with reasons.
#
# doc-comment  A doc comment begins with a noun or a verb, not with a relative pronoun or a preposition.
# type-name    A type is a noun phrase, not a bare participle.
# glossary     A word that docs/glossary.md replaces is used nowhere.
# sentence     The sentences of a page have 20 words on average, or fewer.
# path         A path of the repository that a page names exists: the target of a link, and a word such as src/main.rs. A path is from the root
#              or from the page's folder. In a path, `*` and a word of capitals such as NAME stand for anything.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - "$@" <<'PYTHON'
import collections, fnmatch, os.path, pathlib, re, subprocess, sys

count = sys.argv[1:] == ["--count"]
if sys.argv[1:] and not count:
    print(f"unknown: {' '.join(sys.argv[1:])}", file=sys.stderr)
    sys.exit(2)

FIRST_WORDS = set("What Where Whether Which Whose Who Of That Those How If When As With In At On For By From To".split())
PARTICIPLE = re.compile(r"[A-Z][a-z]*(ed|en)$")
IRREGULAR = set("Told Held Kept Ran Given Found Made Said Sent Met Lost Left Meant Seen Done Gone Known Shown Taken Drawn Built Put Got Hit".split())
TYPE = re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|type|union)\s+([A-Za-z0-9_]+)")
DOC = re.compile(r"\s*//[/!](?!/)\s?(.*)")
# Only words that have no other meaning in this code base: pattern, term that replaces it, true where pages are checked too.
GLOSSARY = [
    (re.compile(r"yardsticks?", re.I), "oracle", True),
    (re.compile(r"\bTold\b"), "Diagnosis", False),
    (re.compile(r"\b(?:launch|test|case|run)(?:es|s)? (?:ever |never )?comes? to\b"), "uncovered, or covered", True),
    (re.compile(r"\bthose that are on\b"), "active lanes, or EXEC mask", True),
    (re.compile(r"\b[Ss]ection \d+ of the rule\b"), "the rule (docs/the-rule.md)", True),
]
LONGEST_AVERAGE = 20
LINK = re.compile(r"\]\(([^)\s]+)\)")
HERE = {"scripts/prose.sh", "docs/glossary.md"}

exceptions = collections.defaultdict(set)
listed = pathlib.Path("scripts/prose-exceptions.txt")
for line in listed.read_text().splitlines():
    if line and not line.startswith("#"):
        rule, name, reason = line.split(None, 2)
        exceptions[rule].add(name)
used = collections.defaultdict(set)


def excepted(rule, *names):
    for name in names:
        if name in exceptions[rule]:
            used[rule].add(name)
            return True
    return False


findings = []


def find(path, line, rule, text):
    findings.append((path, line, rule, text))


def check_words(path, number, line, is_page):
    for pattern, term, pages in GLOSSARY:
        found = pattern.search(line)
        if found and (pages or not is_page) and not excepted("glossary", path):
            find(path, number, "glossary", f"`{found[0]}`: say {term}")


def check_rust(path, lines):
    before_is_doc = False
    for number, line in enumerate(lines, 1):
        doc = DOC.match(line)
        if doc and not before_is_doc:
            word = re.match(r"[*_`]*([A-Za-z]+)", doc[1])
            if word and word[1] in FIRST_WORDS and not excepted("doc-comment", f"{path}:{word[1]}"):
                find(path, number, "doc-comment", f"begins with `{word[1]}`: {doc[1][:60]}")
        before_is_doc = bool(doc)
        name = TYPE.match(line)
        if name and (name[1] in IRREGULAR or PARTICIPLE.match(name[1])) and not excepted("type-name", name[1]):
            find(path, number, "type-name", f"`{name[1]}` is a participle, not a noun")
        check_words(path, number, line, False)


def sentences(text):
    """Yields the sentences of a page: without code blocks, tables, headings, images and comments; an item of a list ends a sentence."""
    text = re.sub(r"^```.*?^```\s*$", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"!\[.*?\]\(.*?\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    lines = []
    for line in text.split("\n"):
        if re.match(r"\s*(\||#|    )", line):
            lines.append("")
        elif re.match(r"\s*([-*]|\d+\.)\s", line):
            lines += ["", re.sub(r"^\s*([-*]|\d+\.)\s", "", line)]
        else:
            lines.append(line)
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        for sentence in re.split(r"(?<=[.!?])[)*\"`]*\s+(?=[^a-z])|(?<=:)\n\s*\n", paragraph):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if words:
                yield words


listing = ["git", "ls-files", "-co", "--exclude-standard"]
files = {path for path in subprocess.check_output(listing, text=True).splitlines() if pathlib.Path(path).exists()}
folders = {str(parent) for path in files for parent in pathlib.Path(path).parents}
top_folders = "|".join(re.escape(folder) for folder in sorted(folders) if folder != "." and "/" not in folder)
PATH = re.compile(rf"(?<![\w./$~}}-])(?:\./)?(?:{top_folders})/[\w.*/-]*[\w*/]")


def is_there(name, page):
    for start in (".", os.path.dirname(page)):
        path = os.path.normpath(os.path.join(start, name))
        if path in files or path in folders:
            return True
        pattern = re.sub(r"\b[A-Z]{2,}\b|\b[A-Z]\b", "*", path)
        if pattern != path or "*" in path:
            if any(fnmatch.fnmatch(known, pattern) for known in files | folders):
                return True
    return False


def check_paths(path, number, line):
    for target in LINK.findall(line):
        name = target.split("#")[0]
        if name and not re.match(r"[a-z]+:", name):
            found = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if found not in files and found not in folders:
                find(path, number, "path", f"the link's target `{target}` is not there")
    for name in PATH.findall(LINK.sub("]", line)):
        if not is_there(name, path) and not excepted("path", f"{path}:{name}"):
            find(path, number, "path", f"`{name}` is not there")


def check_page(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        check_words(path, number, line, True)
        check_paths(path, number, line)
    lengths = [len(words) for words in sentences(text)]
    average = sum(lengths) / max(1, len(lengths))
    if average > LONGEST_AVERAGE and not excepted("sentence", path):
        find(path, 1, "sentence", f"{average:.1f} words a sentence on average ({len(lengths)} sentences)")


for path in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.rs", "*.md"], text=True).splitlines():
    if path in HERE or not pathlib.Path(path).exists():
        continue
    text = pathlib.Path(path).read_text()
    if path.endswith(".rs"):
        check_rust(path, text.split("\n"))
    else:
        check_page(path, text)
# The glossary replaces words and so names them; its sentences are held to the rule.
glossary = pathlib.Path("docs/glossary.md")
if glossary.exists():
    for number, line in enumerate(glossary.read_text().split("\n"), 1):
        check_paths(str(glossary), number, line)
    lengths = [len(words) for words in sentences(glossary.read_text())]
    if sum(lengths) / max(1, len(lengths)) > LONGEST_AVERAGE:
        find(str(glossary), 1, "sentence", "sentences are too long on average")
for rule, names in exceptions.items():
    for name in sorted(names - used[rule]):
        find(str(listed), 1, rule, f"no exception for `{name}` is needed")

if count:
    table = collections.Counter()
    for path, _, rule, _ in findings:
        folder = "/".join(path.split("/")[:-1][:3]) or "."
        table[rule, folder] += 1
        table[rule, "all"] += 1
    for (rule, folder), number in sorted(table.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        print(f"{rule:12} {number:5}  {folder}")
else:
    for path, line, rule, text in findings:
        print(f"{path}:{line}: {rule}: {text}")
sys.exit(1 if findings else 0)
PYTHON
