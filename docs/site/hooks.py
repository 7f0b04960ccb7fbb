"""README.md is the site's first page, and other documents outside docs/ are pages; links that leave docs/ go to the repository; blocks that no test runs say so."""

import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)")
NO_TEST = re.compile(r'^```sh no-test: ([^"]+)$')
COMMENT = re.compile(r'^```(python)\n# no-test: ([^"\n]+)\n', re.M)
PATH = re.compile(r"`((?:docs/[\w./-]+|deploy/README|examples/README|SECURITY|CHANGELOG|CONTRIBUTING)\.md)`(?:#[\w-]+)?")
IMAGE = re.compile(r'\b(src|srcset)="([^":]+)"')
# Documents outside of docs/, and the pages that they are.
OUTSIDE = {
    "README.md": "index.md",
    "deploy/README.md": "deploy.md",
    "examples/README.md": "examples.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}


def on_files(files, config):
    for source, page in OUTSIDE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if text.startswith("---\n"):  # the card of a Space
            text = text.split("\n---\n", 1)[1]
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    here = pathlib.PurePosixPath(page.file.src_uri).parent
    source = next((s for s, p in OUTSIDE.items() if p == page.file.src_uri), "docs/" + page.file.src_uri)
    base = pathlib.PurePosixPath(source).parent

    def target(path):
        """Where a path of the repository is on the site, or None."""
        parts = []
        for part in pathlib.PurePosixPath(path).parts:
            if part == ".." and parts:
                parts.pop()
            elif part != ".":
                parts.append(part)
        path = "/".join(parts)
        if path in OUTSIDE:
            return OUTSIDE[path], path
        if path.startswith("docs/") and files.get_file_from_path(path[5:]):
            return path[5:], path
        return None, path

    def relative(src):
        return "../" * (len(here.parts)) + src

    def link(match):
        address, _, anchor = match.group(1).partition("#")
        src, path = target(base / address)
        anchor = "#" + anchor if anchor else ""
        if src:
            return f"]({relative(src)}{anchor})"
        if not (ROOT / path).exists():
            return match.group(0)  # which the builder complains of
        return f"]({config.extra['repository']}/blob/main/{path}{anchor})"

    def image(match):
        src, _ = target(base / match.group(2))
        return f'{match.group(1)}="{relative(src)}"' if src else match.group(0)

    def name(match):
        src, path = target(match.group(1))
        return f"[{match.group(0)}]({relative(src)})" if src else match.group(0)

    markdown = COMMENT.sub(r'```\1 title="Not run by a test: \2"\n', markdown)
    out, fenced = [], False
    for line in markdown.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            line = NO_TEST.sub(r'```sh title="Not run by a test: \1"', line)
        if not fenced:
            line = IMAGE.sub(image, LINK.sub(link, line)) if line.lstrip().startswith(("<source", "<img")) else LINK.sub(link, line)
            if "](" not in line:
                line = PATH.sub(name, line)
        out.append(line)
    return "\n".join(out)
