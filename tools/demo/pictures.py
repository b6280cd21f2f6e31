"""Draws what the demo found."""
import statistics

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy  # noqa: E402


def read_pgm(path):
    """A 16-bit picture of examples/grid; its comment has the lowest and the highest value."""
    with open(path, "rb") as file:
        assert file.readline() == b"P5\n"
        low, high = (float(x) for x in file.readline()[1:].split())
        width, height = (int(x) for x in file.readline().split())
        assert file.readline() == b"65535\n"
        grey = numpy.frombuffer(file.read(), dtype=">u2").reshape(height, width)
    return low + (high - low) * grey / 65535


def field(path, what, colours, target):
    values = read_pgm(path)
    figure, axes = plt.subplots(figsize=(6, 5))
    image = axes.imshow(values, cmap=colours, extent=(0, 1, 1, 0))
    axes.set_title(f"{what}, {values.shape[1]} x {values.shape[0]} points, 16 ranks")
    figure.colorbar(image, ax=axes)
    figure.savefig(target, dpi=110, bbox_inches="tight")
    plt.close(figure)
    return target


def times(results, target):
    """Seconds over ranks; the dotted line is 1.15 times the first."""
    figure, axes = plt.subplots(figsize=(6, 4))
    for name in sorted({name for name, _ in results}):
        ranks = sorted(r for n, r in results if n == name)
        seconds = [statistics.median(x.seconds for x in results[name, r]) for r in ranks]
        line = axes.plot(ranks, seconds, "o-", label=name)[0]
        axes.axhline(1.15 * seconds[0], linestyle=":", color=line.get_color())
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({r for _, r in results}))
    axes.get_xaxis().set_major_formatter(matplotlib.ticker.ScalarFormatter())
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ranks")
    axes.set_ylabel("seconds")
    axes.set_title("the same problem with more ranks than cores (dotted: 1.15 times)")
    axes.legend()
    figure.savefig(target, dpi=110, bbox_inches="tight")
    plt.close(figure)
    return target
