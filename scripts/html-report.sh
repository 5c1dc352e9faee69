#!/usr/bin/env bash
# Opens the HTML reports of real runs (a pass, wrong outputs, a fault, broken laws, findings of the sanitizer), of a profile and of a mutation campaign in
# a headless browser, at 480, 800, 1280 and 1920 pixels, light and dark. It checks the layout: nothing is wider than the window or cut off, wide tables
# scroll in boxes of their own, texts have enough contrast, the first screen has the reason and the place of the first failure, links reach
# their sections, and a pass has pictures. Filters and search work, nothing is loaded and nothing complains. Screenshots are for looking at.
#
#   scripts/html-report.sh [DIRECTORY]    where the pages and the screenshots go (default target/html-report)
#   PICTURE=docs/images/report.png scripts/html-report.sh    renews the picture of docs/reports.md, too
#
# Needs Chromium (Debian: apt-get install chromium) as `chromium`, or in CHROMIUM. Playwright, which drives it, comes from PyPI into the directory, once.
# DELTANET_CHECK names a built deltanet-check; without it, cargo builds the release. Exit codes: 0 all is well, 1 something is not, 3 a tool is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
browser=${CHROMIUM:-chromium}
command -v "$browser" >/dev/null || { echo "no $browser: apt-get install chromium, or name one in CHROMIUM" >&2; exit 3; }
if [[ -z ${DELTANET_CHECK:-} ]]; then
    scripts/build.sh
    DELTANET_CHECK=${CARGO_TARGET_DIR:-target}/release/deltanet-check
fi
check=$(realpath "$DELTANET_CHECK")
out=$(realpath -m "${1:-target/html-report}")
mkdir -p "$out"
[[ -x $out/tools/bin/pip ]] || python3 -m venv "$out/tools"
"$out/tools/bin/pip" install --quiet --disable-pip-version-check 'playwright>=1.50'

cat >"$out/registry.toml" <<'REGISTRY'
schema = 1
[[phase]]
number = 1
title = "Tolerances that are too strict"
[[phase.test]]
id = "exp, too strict"
contract = "exp"
shape = { n = 4096 }
outputs.out = { tolerance = 1e-7 }
[[phase.test]]
id = "recurrence, too strict"
contract = "gdn_recurrent"
shape = { B = 1, T = 96, H = 1, HV = 2, K = 64, V = 64, gates = "model", map = "block", state = "random", layout = "value-major" }
outputs.o = { tolerance = 4e-9 }
outputs.final = { tolerance = 1e-5 }
[[phase]]
number = 2
title = "What passes"
[[phase.test]]
id = "product"
contract = "gemm_nt"
shape = { M = 64, N = 64, K = 32 }
REGISTRY
# exp where a negation should be: outputs fail, and laws break.
cat >"$out/wrong.toml" <<'BINDING'
schema = 1
[[binding]]
contract = "neg"
symbol = "kernel_exp"
grid = ["ceil(n / 256)"]
block = [256]
args = ["in", "out", "i32 n"]
BINDING
# A barrier is missing: a race.
cat >"$out/race.toml" <<'BINDING'
schema = 1
[[binding]]
contract = "state_update"
symbol = "planted_fast_state_no_barrier"
grid = ["ceil(S / 64)", "ceil(S / 64)"]
block = [256]
args = ["state", "K_cumdecay", "V_new", "state_out", "i32 S", "i32 C", "f32 exp_g_last"]
BINDING
# A work-item waits for ever.
cat >"$out/hang.toml" <<'BINDING'
schema = 1
[[binding]]
contract = "neg"
symbol = "waits_for_two"
grid = [1]
block = [64]
args = ["out"]
BINDING
ended() {
    local want=$1 code=0
    shift
    "$@" >"$out/table" || code=$?
    [[ $code == "$want" ]] || { cat "$out/table"; echo "exit code $code, not $want: $*" >&2; exit 1; }
}
# Where it stands is nobody's business.
here() { (cd "$out" && exec -a deltanet-check "$check" "$@"); }
ended 0 "$check" --phase 1-8 --report "$out/pass.html"
ended 0 "$check" --test mul --report "$out/pass-one.html"
ended 1 here --registry registry.toml --counters --report report.html --report report.json
ended 1 "$check" --kernels tests/bindings/tile.co --bind tests/bindings/wrong.toml --report "$out/wrong.html"
ended 1 "$check" --kernels tests/data/waits.co --bind "$out/hang.toml" --test neg:n=64 --report "$out/hang.html"
ended 1 "$check" --bind "$out/wrong.toml" --test neg --relations --report "$out/laws.html"
ended 1 "$check" --kernels kernels/built/planted.co --bind "$out/race.toml" --test state_update --sanitize=race --report "$out/findings.html"
ended 0 "$check" profile --test mul,transpose,gemm_nt_naive_64,deltanet_single_chunk --report "$out/profile.html"
ended 0 "$check" mutate --kernels tests/data/lines.co --bind tests/data/lines.toml --test neg --per-kernel 60 --report "$out/mutation.html"

"$out/tools/bin/python" - "$out" "$(command -v "$browser")" "${PICTURE:-}" <<'PYTHON'
import pathlib, re, sys
from playwright.sync_api import sync_playwright

out, browser_path, picture = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
WIDTHS, HEIGHT = (480, 800, 1280, 1920), 900
bad = 0


def check(what, holds, more=""):
    global bad
    if not holds:
        bad += 1
        print(f"FAIL {what}{': ' if more else ''}{more}")


def expect(what, wanted, found):
    check(what, found == wanted, f"{found}, not {wanted}")


# Faults of the layout, as words; an element within a box that scrolls may be wider than the window.
LAYOUT = """() => {
  const found = [];
  const name = (element) => element.tagName.toLowerCase() + "." + (element.getAttribute("class") || "") + " " + element.textContent.slice(0, 40);
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " wide");
  const box = (element) => element.parentElement && element.parentElement.closest(".wide, .listing");
  for (const element of document.querySelectorAll("body *")) {
    const place = element.getBoundingClientRect();
    if (place.width === 0 || place.height === 0 || element.closest("svg") !== null && element.tagName !== "svg") continue;
    if (!box(element) && (place.right > innerWidth + 1 || place.left < -1)) found.push("beyond the window: " + name(element));
    const style = getComputedStyle(element);
    if (style.display !== "inline" && element.tagName !== "svg" && element.clientHeight > 0 && style.overflowY === "visible" && element.scrollHeight > element.clientHeight + 3)
      found.push("taller than its box: " + name(element));
    if (style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) found.push("cut off: " + name(element));
  }
  for (const text of document.querySelectorAll("svg text")) {
    const place = text.getBoundingClientRect(), whole = text.closest("svg").getBoundingClientRect();
    if (place.width === 0) continue;
    if (place.left < whole.left - 1 || place.right > whole.right + 1 || place.top < whole.top - 1 || place.bottom > whole.bottom + 1)
      found.push("a label beyond its picture: " + text.textContent);
  }
  for (const cell of document.querySelectorAll("td, th, dd, dt, h1, h2, h3, p, figcaption")) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const text = range.getBoundingClientRect(), place = cell.getBoundingClientRect();
    if (text.width > 0 && text.right > place.right + 1 && !box(cell)) found.push("longer than its box: " + name(cell));
  }
  return [...new Set(found)].slice(0, 8);
}"""

# Texts whose contrast with their background is below 4.5, which WCAG 2 asks of small text.
CONTRAST = """() => {
  const parse = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.querySelectorAll("body *:not(svg *)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.getBoundingClientRect().width === 0 || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.add(`contrast ${contrast.toFixed(1)}: ${element.tagName.toLowerCase()}.${element.className} ${element.textContent.slice(0, 30)}`);
  }
  return [...found].slice(0, 5);
}"""

# The lines of the first failure: the label of each and the lower end of its text.
FIRST = """() => {
  const cause = document.querySelector(".cause");
  return [...cause.querySelectorAll("dt")].map((label) => [label.textContent, label.nextElementSibling.getBoundingClientRect().bottom]);
}"""

# True if the heading of a section is on the screen, with nothing over it.
REACHED = """(id) => {
  const heading = document.getElementById(id).querySelector("h3, h2");
  const place = heading.getBoundingClientRect();
  const top = document.elementFromPoint(place.left + 5, place.top + place.height / 2);
  return place.top >= 0 && place.bottom <= innerHeight && top !== null && heading.contains(top);
}"""


def open_page(browser, name, width=1280, mode="light", hash=""):
    page = browser.new_page(viewport={"width": width, "height": HEIGHT}, color_scheme=mode)
    said, loaded = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(f"file://{out}/{name}.html{hash}")
    check(f"{name}: the console is silent", not said, str(said))
    loaded = [url for url in loaded if not url.startswith((f"file://{out}/{name}.html", "data:"))]
    check(f"{name}: nothing is loaded", not loaded, str(loaded))
    return page


def shown(page):
    return page.locator("#shown").inner_text()


def renders(browser, name, parts):
    """Checks the layout and the colours of a page at all widths, and that its parts are there."""
    for mode in ("light", "dark"):
        for width in WIDTHS:
            page = open_page(browser, name, width, mode)
            faults = page.evaluate(LAYOUT)
            check(f"{name} at {width}: layout", not faults, "; ".join(faults))
            page.screenshot(path=out / f"{name}-{mode}-{width}.png", full_page=name not in ("profile", "mutation"))
            if width == 1280:
                faults = page.evaluate(CONTRAST)
                check(f"{name}, {mode}: contrast", not faults, "; ".join(faults))
                ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
                expect(f"{name}: ground of {mode}", {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[mode], ground)
                for part in parts:
                    check(f"{name}: {part}", page.locator(part).count() > 0, "is not there")
                for link in page.locator("a[href^='#']").all():
                    target = link.get_attribute("href")[1:]
                    check(f"{name}: #{target}", page.locator(f"[id='{target}']").count() == 1, "leads nowhere")
            page.close()
    print(f"{name}: looked at")


def first_screen(browser, name, reason, place):
    """Checks that the first screen has the reason and the place of the first failure, and that links of failures reach their sections."""
    for width in WIDTHS:
        page = open_page(browser, name, width)
        lines = dict(page.evaluate(FIRST))
        for label in (reason, place):
            check(f"{name} at {width}: `{label}` on the first screen", lines.get(label, 1e9) <= HEIGHT, str(lines))
        links = [link.get_attribute("href")[1:] for link in page.locator(".cause h3 a, .trials a").all()]
        check(f"{name}: failures are linked from the overview and the table", len(links) >= 2 and len(set(links)) < len(links), str(links))
        for target in dict.fromkeys(links[:6]):
            page.evaluate("(id) => { location.hash = id; }", target)
            page.wait_for_timeout(50)
            check(f"{name} at {width}: the link to {target} reaches it", page.evaluate(REACHED, target))
        page.close()
    # A link leads to its section even where a search hides the section.
    page = open_page(browser, name)
    target = page.locator(".cause h3 a").first.get_attribute("href")[1:]
    page.fill("#search", "no test has this name")
    check(f"{name}: a search hides the section", not page.locator(f"#{target}").is_visible())
    page.evaluate("() => scrollTo(0, 0)")
    page.locator(".cause h3 a").first.click()
    page.wait_for_timeout(50)
    check(f"{name}: the link shows a hidden section", page.evaluate(REACHED, target))
    page.close()


def pictures_of_a_pass(browser, name):
    page = open_page(browser, name)
    boxes = [picture.bounding_box() for picture in page.locator(".spread").all() if picture.is_visible()]
    check(f"{name}: pictures", len(boxes) >= 2 and min(box["width"] for box in boxes) >= 100, str(boxes))
    check(f"{name}: the first screen has pictures of errors", boxes and boxes[0]["y"] + boxes[0]["height"] <= HEIGHT)
    check(f"{name}: outputs are drawn", page.locator(".sums .bar.within").count() > 0)
    check(f"{name}: no output is drawn beyond its tolerance", page.locator(".sums .bar.over, .sums .bar.nan").count() == 0)
    check(f"{name}: kernels by cost", page.locator(".costs .spread").first.is_visible())
    page.close()


def count(name, pattern):
    return len(re.findall(pattern, (out / f"{name}.html").read_text()))


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-dev-shm-usage"])
    renders(browser, "pass", [".spread", ".costs"])
    renders(browser, "pass-one", [".spread", ".costs"])
    for name in ("pass", "pass-one"):
        pictures_of_a_pass(browser, name)
    renders(browser, "wrong", [".cause .map", ".map", ".plot", ".numbers"])
    first_screen(browser, "wrong", "why", "where")
    renders(browser, "hang", [".cause"])
    first_screen(browser, "hang", "error", "error")

    renders(browser, "report", [".map", ".plot", ".numbers", "h2:text-is('Counters')"])
    first_screen(browser, "report", "why", "worst")
    page = open_page(browser, "report")
    expect("all tests", "3 of 3 tests", shown(page))
    page.fill("#search", "exp,")
    expect("typed", "1 of 3 tests", shown(page))
    page.fill("#search", "")
    page.click("#filter input[value=fail]")
    expect("clicked", "1 of 3 tests", shown(page))
    page.close()
    for hash, wanted in (("#show=fail", "2 of 3 tests"), ("#q=product", "1 of 3 tests")):
        page = open_page(browser, "report", hash=hash)
        expect(f"by the link {hash}", wanted, shown(page))
        page.close()

    renders(browser, "laws", ["text=/out by [a-z-]*: wrong elements/", "dt:text-is('law')"])
    first_screen(browser, "laws", "wrong", "worst")
    renders(browser, "findings", ["dt:text-is('finding')", "dd:has-text('race: ')", "dt:text-is('cure')"])
    first_screen(browser, "findings", "finding", "at")

    renders(browser, "profile", [".intervals .bar", ".roof", ".spot", "h2:text-is('Roofline of asked bytes')"])
    cases = count("profile", 'id="case-')
    page = open_page(browser, "profile")
    expect("all cases", f"{cases} of {cases} cases", shown(page))
    page.fill("#search", "gemm_nt_naive_64")
    expect("a case by its name", f"1 of {cases} cases", shown(page))
    page.fill("#search", "")
    limit = page.locator("#filter input[type=checkbox]").first.get_attribute("value")
    limited = count("profile", f'<tbody class="item" data-verdict="{limit}"')
    page.click(f"#filter input[value={limit}]")
    expect(f"without the limiter {limit}", f"{cases - limited} of {cases} cases", shown(page))
    page.close()

    renders(browser, "mutation", [".cells", ".shares", ".code", "text=lines.hip:"])
    mutants, killed = count("mutation", 'class="item mutant"'), count("mutation", 'class="item mutant" data-verdict="killed"')
    survivors = count("mutation", 'class="item mutant" data-verdict="(?:missed|within-tolerance|not-infected)"')
    for hash, first in (("", survivors or mutants), ("#show=killed", killed)):
        page = open_page(browser, "mutation", hash=hash)
        expect(f"mutants {hash or 'at first'}", f"{first} of {mutants} mutants", shown(page))
        page.close()
    if picture:
        page = browser.new_page(viewport={"width": 1100, "height": 1560})
        page.goto(f"file://{out}/report.html#q=recurrence")
        page.screenshot(path=picture)
    browser.close()
print(f"screenshots: {out}/*.png")
sys.exit(1 if bad else 0)
PYTHON
