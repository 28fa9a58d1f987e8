"""Spikes as a change of finite rank: Woodbury's formula and its limit."""

from sympy import Matrix, Rational, Subs, Symbol, diag, eye, symbols

from ..checks import exact

#: lam n in the small instance
LEVEL = Rational(5)


def _instance():
    """Integers: features F (3 x 2), columns U and readout powers V of two spikes, labels y."""
    F = Matrix([[1, 2], [-1, 1], [3, 0]])
    U, V, y = Matrix([[2, 1], [1, -1], [0, 3]]), Matrix([[1, 2], [1, -1]]), Matrix([1, -2, 4])
    R = (F * F.T + LEVEL * eye(3)).inv()
    return F, U, V, y, R


def finite_rank(doc):
    """Add the steps from ridge regression to b^T G^(-1) b."""
    _objective(doc)
    _woodbury(doc)


def _objective(doc):
    F, _, _, y, R = _instance()
    b = F.T * R * y
    cost = ((y - F * b).T * (y - F * b))[0] + LEVEL * (b.T * b)[0]
    doc.step("Ridge regression: the least value of (1/n)|y - F b|^2 + lam |b|^2 is lam y^T R y, penalty included.",
             exact(cost, LEVEL * (y.T * R * y)[0], "cancel"),
             shown=r"\min_b \tfrac1n |y - F b|^2 + \lambda |b|^2 = \lambda\, y^\top R y")
    move = Matrix(symbols("b1 b2"))
    moved = ((y - F * move).T * (y - F * move))[0] + LEVEL * (move.T * move)[0]
    doc.step("The readout is F^T R y: there the gradient vanishes.",
             exact(sum(moved.diff(x) * q for x, q in zip(move, (1, 3))).subs(dict(zip(move, b))), 0, "cancel"),
             shown=r"\hat a = F^\top R y")


def _woodbury(doc):
    F, U, V, y, R = _instance()
    theta = diag(2, 3)
    P = F * V * theta
    spiked = F + U * theta * V.T
    core = Matrix([[theta * V.T * V * theta, eye(2)], [eye(2), Matrix.zeros(2)]])
    sides = Matrix.hstack(U, P)
    doc.step("Spikes F + U Theta V^T change F F^T by finite rank, with P = F V Theta (a quadratic form of both sides).",
             exact((y.T * spiked * spiked.T * y)[0], (y.T * (F * F.T + sides * core * sides.T) * y)[0], "expand"),
             shown=r"F_\ell F_\ell^\top = F F^\top + [U, P] \begin{pmatrix} \Theta V^\top V \Theta & I \\ I & 0 "
                   r"\end{pmatrix} [U, P]^\top")
    middle = V.T * (F.T * F + LEVEL * eye(2)).inv() * V
    core_shown = r"P^\top R P - \Theta V^\top V \Theta = -K"
    other = -(theta * V.T * V * theta) + P.T * R * P
    doc.step("In Woodbury's formula the rows enter through K = Theta A Theta, A = lam n V^T (F^T F + lam n I)^(-1) V: "
             "the first entry of P^T R P - Theta V^T V Theta is that of -K, ...",
             exact(other[0, 0], -LEVEL * (theta * middle * theta)[0, 0], "cancel"), shown=core_shown)
    doc.step("... and the second.", exact(other[0, 1], -LEVEL * (theta * middle * theta)[0, 1], "cancel"),
             shown=core_shown)
    inner = Matrix([[U.T * R * U, eye(2) + U.T * R * P], [eye(2) + P.T * R * U, other]])
    both = sides.T * R * y
    full = (y.T * (spiked * spiked.T + LEVEL * eye(3)).inv() * y)[0]
    doc.step("The formula: y^T R_l y in terms of U^T R U, U^T R P and K.",
             exact(full, (y.T * R * y)[0] - (both.T * inner.LUsolve(both))[0], "cancel"),
             shown=r"y^\top R_\ell y = y^\top R y - [b, p]^\top \begin{pmatrix} G & I + C \\ I + C^\top & -K "
                   r"\end{pmatrix}^{-1} [b, p]")
    G = Matrix(2, 2, symbols("G11 G12 G12 G22"))
    K = Matrix(2, 2, symbols("K11 K12 K12 K22"))
    b = Matrix(symbols("b1 b2"))
    doc.step("The readout a is independent of everything when the initial output is removed: C = U^T R P and p = P^T R "
             "y vanish. Then y^T R y loses b^T (G + K^(-1))^(-1) b, with G = U^T R U and b = U^T R y.",
             exact((b.T * (G + K.inv()).inv() * b)[0],
                   (Matrix([*b, 0, 0]).T * Matrix([[G, eye(2)], [eye(2), -K]]).LUsolve(Matrix([*b, 0, 0])))[0],
                   "cancel"), shown=r"Q = b^\top (G + K^{-1})^{-1} b")
    weak = Symbol("w", positive=True)
    strength = diag(weak, weak**2)
    doc.step("Spikes that diverge, K^(-1) = Theta^(-1) A^(-1) Theta^(-1) with Theta^(-1) = diag(w, w^2) and w to 0, "
             "leave b^T G^(-1) b, whatever A is.",
             exact(Subs((b.T * (G + strength * K.inv() * strength).LUsolve(b))[0], weak, 0),
                   (b.T * G.LUsolve(b))[0], ("close", "cancel")), shown=r"Q = b^\top G^{-1} b")
    best = (U.T * R * U).LUsolve(U.T * R * y)
    free = ((y - U * best).T * R * (y - U * best))[0]
    doc.step("That is the value with the columns U as regressors without penalty: the minimum over h of (y - U h)^T R "
             "(y - U h).",
             exact(free, (y.T * R * y)[0] - (y.T * R * U * best)[0], "cancel"),
             shown=r"\min_h (y - U h)^\top R (y - U h) = y^\top R y - b^\top G^{-1} b")
