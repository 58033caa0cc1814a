"""The options of a training, and the recipe that they ask for."""

import argparse
from dataclasses import replace
from typing import Any

from edge_lpdpl.errors import TrainingError
from edge_lpdpl.model.settings import EDGE, PROFILES
from train_host.commands.spans import whole_number

LARGEST_SEED = 2**32 - 1
"""The largest seed that scikit-learn accepts."""


def plain_options() -> argparse.ArgumentParser:
    """The options of a training of LpDPL alone."""
    plain = argparse.ArgumentParser(add_help=False)
    plain.add_argument("--profile", choices=tuple(PROFILES), default=EDGE.name)
    plain.add_argument("--atoms", type=whole_number(1), help="columns of each synthesis dictionary")
    plain.add_argument("--dimensions", type=whole_number(2), help="dimensions of the subspace (profile edge)")
    plain.add_argument(
        "--centre",
        choices=("centroid", "box"),
        help="what is put into the middle of the square: the ink's centroid or that of its box; pixels use the box",
    )
    text = "a setting as lpdpl-train tune finds it, such as lambda1=1e-5; repeatable"
    plain.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help=text)
    plain.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0)
    plain.add_argument("--jobs", type=_jobs, default=-1, help="processes; -1 is one per core")
    return plain


def recipe_options() -> argparse.ArgumentParser:
    """The options of all other trainings."""
    recipe = argparse.ArgumentParser(add_help=False, parents=[plain_options()])
    less = recipe.add_mutually_exclusive_group()
    less.add_argument("--plain", action="store_true", help="LpDPL alone, without the discriminative refinement")
    text = "refine only the dictionaries: the subspace stays that of the largest variance"
    less.add_argument("--fixed-subspace", action="store_true", help=text)
    copies = recipe.add_mutually_exclusive_group()
    copies.add_argument("--no-copies", action="store_true", help="train without augmented copies of the pictures")
    text = "six affine copies of each picture, with larger distortions, instead of two"
    copies.add_argument("--wide-copies", action="store_true", help=text)
    recipe.add_argument("--bent-copies", action="store_true", help="bend the strokes of the affine copies, too")
    recipe.add_argument(
        "--drawn",
        type=whole_number(0, 1000),
        metavar="WRITERS",
        help="also train on numerals by this many synthetic writers",
    )
    recipe.add_argument(
        "--lines",
        type=whole_number(0, 100_000),
        metavar="NUMBERS",
        help="also train on what is cut out of this many drawn numbers, for a model that reads numbers",
    )
    return recipe


def _jobs(text: str) -> int:
    if text == "-1":
        return -1
    try:
        return whole_number(1)(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or -1 for one per core") from None


def recipe_of(options: argparse.Namespace) -> Any:
    """The recipe that the options ask for.

    Raises:
        TrainingError: they contradict each other, or a setting is wrong.
    """
    from train_host.recipe import BEND, RECIPES, WIDE, parse_settings, with_settings

    recipe = replace(RECIPES[options.profile], features=getattr(options, "features", "hog"))
    own = {name: getattr(options, name) for name in ("atoms", "dimensions") if getattr(options, name)}
    settings = parse_settings(options.settings) | own
    if "dimensions" in settings:
        recipe.check_dimensions(settings["dimensions"])
    recipe = with_settings(recipe, settings)
    changes: dict[str, Any] = {name: getattr(options, name) for name in ("drawn", "lines") if getattr(options, name)}
    if options.plain:
        changes["refinement"] = None
    if options.fixed_subspace and recipe.refinement is not None:
        changes["refinement"] = replace(recipe.refinement, subspace_rate=0.0)
    if options.no_copies:
        changes["jitter"] = changes["camera"] = None
    if options.wide_copies:
        changes["jitter"] = WIDE
    if options.bent_copies:
        affine = changes.get("jitter", recipe.jitter)
        if affine is None:
            raise TrainingError("--bent-copies: this training makes no copies to bend; leave it out, or --no-copies")
        changes["jitter"] = replace(affine, bend=BEND)
    if options.centre:
        profile = recipe.profile
        centred = profile.preprocessing._replace(by_moments=options.centre == "centroid")
        changes["profile"] = profile._replace(preprocessing=centred)
    return replace(recipe, seed=options.seed, **changes)
