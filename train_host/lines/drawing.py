"""A drawing of what each least confidence accepts: right numbers against wrong ones."""

from collections.abc import Mapping, Sequence

from train_host.lines.score import Outcome, Share, share_at
from train_host.report.canvas import as_png, new_figure


def draw_shares(outcomes: Sequence[Outcome], settings: Mapping[int, Share]) -> bytes:
    """PNG bytes: the share of the pictures that is accepted with the right number against that with a wrong one.

    Args:
        outcomes: of the pictures.
        settings: for each strictness, what it accepts.
    """
    figure, axes = new_figure(width=6.0, height=4.0)
    curve = [share_at(outcomes, confidence) for confidence in sorted({one.confidence for one in outcomes})]
    axes.step([100 * one.wrong for one in curve], [100 * one.accepted for one in curve], "-", color="#1d3557")
    for point, label in labels_of_points(settings).items():
        axes.plot(*point, "o", color="#c1121f")
        axes.annotate(label, point, (4, -10), textcoords="offset points")
    axes.set_xlabel("accepted with a wrong number, % of the pictures")
    axes.set_ylabel("accepted with the right number, %")
    axes.set_title(f"{len(outcomes)} pictures; points: wrong_per_thousand", loc="left")
    return as_png(figure)


def labels_of_points(settings: Mapping[int, Share]) -> dict[tuple[float, float], str]:
    """The strictnesses at each point, in per cent of the pictures: labels of equal points would cover each other."""
    found = dict[tuple[float, float], list[str]]()
    for strictness, share in settings.items():
        found.setdefault((100 * share.wrong, 100 * share.accepted), []).append(str(strictness))
    return {point: ", ".join(names) for point, names in found.items()}
