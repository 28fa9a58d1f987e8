"""Products with tables whose entries differ from point to point."""

import numpy as np

from asympkit.runtime.tables import stack_rows
from asympkit.solve.tables import PointTable, select_points


def test_products_are_those_of_each_point():
    rng = np.random.default_rng(0)
    rows, points, nodes = 3, 4, 5
    table = rng.standard_normal((rows, points, nodes)).view(PointTable)
    weights, numbers = rng.random(nodes), rng.standard_normal((points, rows))
    at_nodes = numbers @ table[[0, 1, 2]]
    sums = table * weights @ at_nodes.T
    for k in range(points):
        own = np.asarray(table)[:, k]
        np.testing.assert_allclose(np.asarray(at_nodes)[k], numbers[k] @ own)
        np.testing.assert_allclose(sums[:, k], own * weights @ (numbers[k] @ own))
        np.testing.assert_allclose((at_nodes @ (table[1] * weights))[k], (numbers[k] @ own) @ (own[1] * weights))
        np.testing.assert_allclose((table[1] @ weights)[k], own[1] @ weights)


def test_points_can_be_selected_and_rows_stacked():
    table = np.arange(24.0).reshape(2, 3, 4).view(PointTable)
    shared = np.ones((2, 4))
    some, same = select_points([table, shared], [2, 0, 0])
    assert some[1, :, 0].tolist() == [20.0, 12.0, 12.0]
    assert same is shared
    stacked = stack_rows(table[0], np.ones(4))
    assert isinstance(stacked, PointTable)
    assert stacked.shape == (2, 3, 4)
