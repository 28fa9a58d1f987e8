"""Placed nodes: means of error functions of any width, in arrays and in loops."""

import numpy as np
import pytest
from scipy.special import erfc
from sympy import Max, Symbol
from sympy import erfc as erfc_of

from asympkit.codegen.expressions import Switches
from asympkit.runtime import rules as panels

z, place, width = Symbol("z", real=True), Symbol("place", real=True), Symbol("width", positive=True)
NAMES = {s: s.name for s in (z, place, width)}
PLACES = np.array([-2.0, 0.3, 0.5, 5.0])
TABLE = np.vstack([np.zeros(64), panels.panel_rows(3, 64, ())])


def switches():
    return Switches("z", (z,), [erfc_of((z - place) / width)], {place})


def exact(places, width):
    """Of ``erfc((z - place)/width)``."""
    return erfc(-places / np.sqrt(2 + width**2))


def in_arrays(found, width):
    texts = found.functions_of_arrays(NAMES)
    arguments, kinks = (eval(text, {"np": np}) for text in texts)
    at = {"place": PLACES, "width": np.array([width])}
    return panels.Placed(TABLE, [at[s.name] for s in found.at_nodes], [at[s.name] for s in found.at_points], arguments,
                         kinks, np.full(PLACES.size, 0.25))


@pytest.mark.parametrize("width", [1.0, 0.1, 1e-3, 1e-6, 1e-9])
def test_steps_of_any_width(width):
    made = in_arrays(switches(), width)
    at = dict(zip(("place", "width"), made.values))
    found = made.total(erfc((made.nodes - at["place"]) / at["width"]))
    assert found.shape == (1, 4)
    np.testing.assert_allclose(found[0], exact(PLACES, width), rtol=1e-12)
    np.testing.assert_allclose(made.total(made.nodes**2)[0], 1.0, rtol=1e-12)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-9])
def test_loops_place_what_arrays_do(width):
    found = switches()
    space = {"np": np, "LOOKS": panels.LOOKS, "first_ends": panels.first_ends, "is_halved": panels.is_halved,
             "add_panel": panels.add_panel}
    exec(found.source(NAMES, "place_nodes"), space)
    nodes, weights = np.empty(panels.MOST), np.empty(panels.MOST)
    for p in PLACES:
        count = space["place_nodes"]((p, width), 0.25, TABLE, nodes, weights)
        total = weights[:count] @ erfc((nodes[:count] - p) / width)
        assert total == pytest.approx(exact(p, width), rel=1e-12)
    assert count < 2000


def test_kinks_are_ends_of_panels():
    found = Switches("z", (z,), [erfc_of(z / width) * Max(z - place, 0)], {place})
    made = in_arrays(found, 0.5)
    at = dict(zip(("place", "width"), made.values))
    density = np.exp(-(PLACES**2) / 2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(made.total(np.maximum(made.nodes - at["place"], 0.0))[0],
                               density - PLACES * erfc(PLACES / np.sqrt(2)) / 2, rtol=1e-11, atol=1e-17)


@pytest.mark.parametrize(("steep", "is_placed"), [(0.001, True), (0.0, False), (-0.1, False),
                                                  (np.array([-0.1, 0.001]), True), (np.array([-0.1, -0.2]), False)])
def test_nodes_are_placed_where_a_point_is_steep(steep, is_placed):
    texts = switches().functions_of_arrays(NAMES)
    arguments, kinks = (eval(text, {"np": np}) for text in texts)
    weights = np.zeros(64)
    made = panels.nodes_inside(TABLE, weights, [PLACES], [np.array([0.1])], arguments, kinks, np.full(4, 0.25), steep)
    assert isinstance(made, panels.Placed) is is_placed
