"""How libraries look: each has a colour and a mark of its own, the same in every figure; its variants
share them and have other lines and fillings. The colours are Okabe and Ito's, which colour-blind readers
can tell apart; the marks say the same without any colour.
"""
COLOURS = {"Heddle": ("#d55e00", "o"), "MPICH": ("#0072b2", "s"), "Open MPI": ("#e69f00", "^"),
           "Intel MPI": ("#009e73", "D")}
OTHERS = (("#cc79a7", "v"), ("#56b4e9", "P"), ("#000000", "X"), ("#777777", "*"), ("#8c564b", "<"))
LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)))
FILLS = ("full", "none", "left", "right", "top", "bottom")


class Looks:
    def __init__(self, results):
        others, kinds, variants = iter(OTHERS * 9), {}, {}
        self.of = {}  # label -> what matplotlib wants for its line
        for label in results.labels:
            name = results.names[label]
            if name not in kinds:
                kinds[name] = COLOURS.get(name) or next(others)
            number = variants[name] = variants.get(name, -1) + 1
            colour, mark = kinds[name]
            self.of[label] = {"color": colour, "marker": mark, "markersize": 5.5, "linewidth": 1.3,
                              "linestyle": LINES[number % len(LINES)],
                              "fillstyle": FILLS[number % len(FILLS)], "markeredgewidth": 1,
                              "markerfacecoloralt": "white"}

    def line(self, label):
        return self.of[label]

    def mark(self, label):
        return {**self.of[label], "linestyle": ""}

    def colour(self, label):
        return self.of[label]["color"]
