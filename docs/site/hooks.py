"""README.md is the site's first page; links that leave docs/ go to the repository; blocks that no test runs say so."""

import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)")
NO_TEST = re.compile(r'^```sh no-test: ([^"]+)$')
PATH = re.compile(r"`(docs/[\w./-]+\.md)`(?:#[\w-]+)?")


def _readme(config):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    if text.startswith("---\n"):  # the card of a Space
        text = text.split("\n---\n", 1)[1]
    return text


def on_files(files, config):
    files.append(File.generated(config, "index.md", content=_readme(config)))
    return files


def on_page_markdown(markdown, page, config, files):
    here = pathlib.PurePosixPath(page.file.src_uri).parent
    base = pathlib.PurePosixPath("" if page.file.src_uri == "index.md" else "docs") / ("" if page.file.src_uri == "index.md" else here)

    def target(path):
        """Where a path of the repository is on the site, or None."""
        parts = []
        for part in pathlib.PurePosixPath(path).parts:
            if part == ".." and parts:
                parts.pop()
            elif part != ".":
                parts.append(part)
        path = "/".join(parts)
        if path == "README.md":
            return "index.md", path
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
        return f"]({config.repo_url}/blob/main/{path}{anchor})"

    def name(match):
        src, path = target(match.group(1))
        return f"[{match.group(0)}]({relative(src)})" if src else match.group(0)

    out, fenced = [], False
    for line in markdown.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            line = NO_TEST.sub(r'```sh title="Not run by a test: \1"', line)
        if not fenced:
            line = LINK.sub(link, line)
            if "](" not in line:
                line = PATH.sub(name, line)
        out.append(line)
    return "\n".join(out)
