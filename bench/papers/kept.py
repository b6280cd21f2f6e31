"""The newest good result of each experiment, in results/papers: NAME.md, NAME.png and NAME.json.

A worse one does not take a better one's place: not one of a loaded machine that of a quiet one, and not a quick look that of a whole
measurement. It stays in the folder of its run.
"""
import json
import shutil


def noted(series, quick):
    """What is known of a result, as it is kept."""
    return {"figure": series.figure.name, "failed": series.failed, "noisy": series.noisy, "quick": quick, "values": {
        line: {str(place): [*values.values()] for place, values in row.items()} for line, row in series.values.items()}}


def refusal(old, new):
    """Why the new result does not take the old one's place; None: it does."""
    if not new["values"]:
        return "it has no values"
    if not old or not old.get("values"):
        return None
    if new["noisy"] and not old.get("noisy"):
        return "the machine was loaded, and the kept one is of a quiet machine"
    if new["quick"] and not old.get("quick"):
        return "it is a quick look, and the kept one is a whole measurement"
    return None


def read(path):
    """A result that was kept, or None."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def keep(new, text, picture, folder, overwrite):
    """Keeps a result, or returns a sentence of why not."""
    folder.mkdir(parents=True, exist_ok=True)
    name = new["figure"].replace("/", "-")
    place = folder / f"{name}.json"
    why = refusal(read(place), new)
    if why and not (overwrite and new["values"]):
        return f"{new['figure']}: not kept in {folder}: {why}" + (" (--overwrite keeps it)" if new["values"] else "")
    if picture.exists():
        shutil.copyfile(picture, folder / f"{name}.png")
        text += f"\n![{new['figure']}]({name}.png)\n"
    (folder / f"{name}.md").write_text(text)
    place.write_text(json.dumps(new) + "\n")
    return None
