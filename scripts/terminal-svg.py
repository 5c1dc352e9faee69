#!/usr/bin/env python3
"""Draws what a program prints, colours and all, as an SVG that looks like a terminal: terminal-svg.py '$ command' <output >picture.svg"""
import html
import re
import sys
import unicodedata

COLOURS = {30: "#484f58", 31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 34: "#58a6ff", 35: "#bc8cff", 36: "#39c5cf", 37: "#b1bac4"}
COLOURS |= {code + 60: colour for code, colour in COLOURS.items()}
PLAIN, PAPER = "#e6edf3", "#0d1117"
WIDE, HIGH, PAD = 7.8, 17, 14
# Steps of the colour cube of a palette of 256.
STEPS = (0, 95, 135, 175, 215, 255)


def paper(number):
    """The colour behind `48;5;N`, of the colour cube."""
    red, green, blue = (STEPS[(number - 16) // part % 6] for part in (36, 6, 1))
    return f"#{red:02x}{green:02x}{blue:02x}"


def spans(line):
    """Pieces of a line with the attributes that escape sequences give them."""
    colour, bold, dim, behind = PLAIN, False, False, None
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not piece.startswith("\x1b"):
            if piece:
                yield piece, colour, bold, dim, behind
            continue
        ground = re.search(r"48;5;(\d+)", piece)
        if ground and 16 <= int(ground[1]) < 232:
            behind = paper(int(ground[1]))
        piece = re.sub(r";?48;5;\d+", "", piece)
        # A colour of the palette, `38;5;N`, whose first sixteen are those of the short codes.
        codes = re.sub(r"38;5;(\d+)", lambda match: str(30 + int(match[1]) % 8 if int(match[1]) < 16 else 37), piece[2:-1])
        for code in [int(code or 0) for code in codes.split(";")]:
            if code == 0:
                colour, bold, dim, behind = PLAIN, False, False, None
            elif code == 1:
                bold = True
            elif code == 2:
                dim = True
            elif code == 22:
                bold = dim = False
            elif code == 39:
                colour = PLAIN
            elif code in COLOURS:
                colour = COLOURS[code]


def width(text):
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


lines = ["\x1b[1m" + sys.argv[1] + "\x1b[0m"] + sys.stdin.read().rstrip("\n").split("\n")
columns = max(sum(width(piece) for piece, *_ in spans(line)) for line in lines)
across, down = round(columns * WIDE + 2 * PAD), len(lines) * HIGH + 2 * PAD
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" width="{across}" height="{down}" role="img">')
print(f"<title>{html.escape(sys.argv[1])}</title>")
print(f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>')
print('<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">')
for number, line in enumerate(lines):
    column = 0
    for piece, colour, bold, dim, behind in spans(line):
        here, column = column, column + width(piece)
        if not piece.strip():
            continue
        if behind:
            ground = f'x="{PAD + here * WIDE:.1f}" y="{PAD + number * HIGH}" width="{width(piece) * WIDE:.1f}" height="{HIGH}"'
            print(f'<rect {ground} fill="{behind}"/>')
        place = f'x="{PAD + here * WIDE:.1f}" y="{PAD + (number + 0.75) * HIGH:.1f}" textLength="{width(piece) * WIDE:.1f}"'
        # Spaces that no viewer folds.
        shown = html.escape(piece).replace(" ", "\u00a0")
        looks = (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "")
        print(f'<text {place} fill="{colour}"{looks}>{shown}</text>')
print("</g>\n</svg>")
