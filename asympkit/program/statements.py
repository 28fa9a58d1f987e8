"""The program: the ordered statements that every back end executes or prints.

Expressions inside statements hold only symbols, numbers, elementary functions, and sums over a grid inside the
integrand of another sum; averages have become sums over grids, named expressions scalars or loop locals.
"""

from dataclasses import dataclass, field

from sympy import Dummy, Expr, Symbol, Tuple
from sympy.core.symbol import Str

from ..nodes import free_of
from ..runtime.newton import NO_STEP, RESTING


class InnerSum(Expr):
    """Weighted sum of an integrand over the nodes of a grid, by its name and variables, at one node of another grid."""

    is_commutative = True

    def __new__(cls, integrand, grid, bound):
        return Expr.__new__(cls, integrand, grid if isinstance(grid, Str) else Str(grid), Tuple(*bound))

    @property
    def integrand(self):
        return self.args[0]

    @property
    def grid(self):
        return self.args[1].name

    @property
    def bound(self):
        return tuple(self.args[2])

    @property
    def free_symbols(self):
        return self.integrand.free_symbols - set(self.bound)

    def _eval_is_extended_real(self):
        return True

    _eval_is_real = _eval_is_extended_real

    def _eval_is_positive(self):
        return True if self.integrand.is_positive else None

    def _eval_is_nonnegative(self):
        return True if self.integrand.is_nonnegative else None

    def _sympystr(self, printer):
        return f"E_{', '.join(b.name for b in self.bound)}[{printer._print(self.integrand)}]"


def split_locals(rows):
    """Return locals of a pass in three parts: what inner sums may hold, the inner sums, and what may hold these."""
    before, inner, after, late = [], [], [], set()
    for symbol, expr in rows:
        if isinstance(expr, InnerSum):
            inner.append((symbol, expr))
        elif expr.free_symbols & late:
            after.append((symbol, expr))
        else:
            before.append((symbol, expr))
            continue
        late.add(symbol)
    return before, inner, after


#: relative rounding of a back end's numbers, and the error by rounding above which nothing has converged
#: (dummies with fixed indices, below those that sympy counts from: a user's symbols may have these names)
ROUNDING = Dummy("ROUNDING", dummy_index=900_001, positive=True)
LARGEST_ERROR = Dummy("LARGEST_ERROR", dummy_index=900_002, positive=True)


@dataclass(frozen=True)
class Scalar:
    """``symbol = expr``; ``note`` is the equation it comes from, for readers."""

    symbol: object
    expr: object
    note: str = ""

    @property
    def outputs(self):
        return (self.symbol,)

    @property
    def expressions(self):
        return (self.expr,)

    @property
    def inputs(self):
        return free_of(self.expr)

    reads = inputs


@dataclass(frozen=True)
class Sums:
    """Weighted sums over one grid in a single pass.

    ``locals`` are (symbol, expr) evaluated at each node before the integrands; ``sums`` are
    (symbol, integrand, note).  ``origins`` tells of locals what they are the means of, where that is known:
    ``{symbol: Provenance}``; it serves proofs only.
    """

    grid: object
    locals: tuple
    sums: tuple
    origins: dict = field(default_factory=dict, compare=False, repr=False)

    @property
    def outputs(self):
        return tuple(s for s, _, _ in self.sums)

    @property
    def expressions(self):
        """Return the expressions of locals and integrands."""
        return (*(e for _, e in self.locals), *(e for _, e, _ in self.sums))

    @property
    def inputs(self):
        """Return the symbols that these hold."""
        return set().union(*map(free_of, self.expressions))

    reads = inputs


@dataclass(frozen=True)
class Provenance:
    """A derivative of a mean that stands in closed form.

    ``source`` is what it is the mean of, ``orders`` the variables by which it is differentiated, ``factor`` what
    multiplies it, and ``values`` the symbols of the pass that stand in the place of variables.
    """

    source: object
    orders: tuple
    factor: object
    values: dict


@dataclass(frozen=True)
class Newton:
    """Solve for the iteration variables by Newton's method around a body of statements."""

    torn: tuple                 # the iteration variables
    body: tuple                 # of Scalar or Sums
    #: for each variable the symbol, set by the body, of its map value (True) or residual (False)
    targets: tuple
    #: rows of derivatives of the targets by the variables; None where identically zero
    jacobian: tuple
    #: set to 0 where Newton's method arrived, else to the size of its last step: part of the residual
    step_residual: object
    #: set to the matrix of the last step, of the residuals by the logarithms of positive variables and by the others:
    #: what follows reads it in the place of one at the solution
    slopes: tuple
    intervals: tuple            # for each variable the open interval (low, high) that no iterate leaves, or None
    #: for each target the symbol of the size of its terms before cancellation, at the solution; None for a map of terms
    #: of one sign
    sizes: tuple
    #: for each target the c with which a residual is c*(u - f), where it may be read as log(u/f) too, or None
    factors: tuple = ()
    #: whether there is another way where the usual one fails: alternative forms, or, for maps, damped steps alone
    has_fallback: bool = False
    has_units: bool = False     # whether unknowns are of order 1, so that steps below a rounding of that are rounding
    links: object = None        # SparseBlock of a long block: the same step without the chain rule, for compiled loops

    @property
    def wanted(self):
        """Return the symbols that a step needs from the body."""
        rates = {e for row in self.jacobian for e in row if e is not None} if self.jacobian else self.links.symbols
        return rates | {t for t, _ in self.targets}

    @property
    def reads(self):
        """Return the symbols that the body may read, in loops or arrays."""
        return set().union(self.links.symbols if self.links else (), *(s.reads for s in self.body))

    @property
    def positive(self):
        """Tell for each iteration variable whether it is solved in its logarithm."""
        return tuple(bool(u.is_positive) for u in self.torn)

    @property
    def all_maps(self):
        """Return whether every target is a map, so that plain iteration is possible."""
        return all(is_map for _, is_map in self.targets)

    @property
    def may_stand(self):
        """Return whether rounding may keep steps from becoming small against what they are measured by."""
        return not all(self.positive) or any(self.intervals)

    @property
    def holds_sums_inside(self):
        """Return whether sums over grids stand inside others: where they cancel, only rounding errors remain."""
        return any(e.has(InnerSum) for s in select_statements(Sums, self.body) for _, e in s.locals)

    @property
    def no_step(self):
        """Size of steps of which two are enough, relative to 1 + abs(unknown); 0 if there is none."""
        return RESTING if self.has_units else NO_STEP if self.holds_sums_inside else 0.0

    @property
    def outputs(self):
        return (*self.torn, self.step_residual, *(e for row in self.slopes for e in row if e is not None))


@dataclass(frozen=True)
class Linear:
    """Solve ``matrix @ unknowns = rhs``; a row that vanishes exactly leaves its unknown at 0.

    ``sizes`` are the magnitudes of the right-hand side without cancellation, ``assigned`` the unknowns
    that follow by linearity: (symbol, magnitude where those are 0, derivatives), ``matrix_sizes`` the magnitudes of the
    matrix, if entries of it cancel.  They serve diagnosis only.  ``links`` are the same equations with those of the
    assigned unknowns, where there are many.
    """

    torn: tuple
    matrix: tuple
    rhs: tuple
    residual: object
    sizes: tuple = ()
    assigned: tuple = ()
    matrix_sizes: tuple = ()
    links: object = None

    @property
    def outputs(self):
        found = self.torn if self.matrix else [u for u in self.links.unknowns if u is not None]
        return (*found, self.residual)

    @property
    def inputs(self):
        if not self.matrix:
            return self.links.symbols
        return {e for row in self.matrix for e in row if e is not None} | set(self.rhs)

    @property
    def reads(self):
        """Return the symbols of all fields, those that serve diagnosis alone included."""
        rows = (*self.matrix, *self.matrix_sizes, self.rhs, self.sizes, *((zero, *ds) for _, zero, ds in self.assigned))
        return {e for row in rows for e in row if isinstance(e, Symbol)} | (self.links.symbols if self.links else set())


@dataclass(frozen=True)
class SparseBlock:
    """A square matrix with few entries, those of iteration variables and of assigned unknowns."""

    #: symbols, in an order in which the entries lie near the diagonal; row i is the equation of unknown i.  None where
    #: nobody asks for it
    unknowns: tuple
    entries: dict               # symbols or numbers by (row, column)
    rhs: tuple = ()             # None where it is 0; of Newton's method it is the residual
    #: magnitudes of the entries before cancellation, where they are to be asked how far the matrix is from singular
    sizes: dict | None = None
    rounding: float = 1.0       # relative rounding of the entries in units of that of numbers
    step: tuple = ()            # iteration variables where the matrix is that of their last step, without entries

    @property
    def symbols(self):
        """Symbols that a solution needs."""
        parts = (*self.entries.values(), *(self.sizes or {}).values(), *(b for b in self.rhs if b is not None))
        return set().union(*(e.free_symbols for e in parts))


@dataclass(frozen=True)
class NullSpace:
    """A linear unknown that is free where its ``row`` vanishes: there are many solutions unless ``others`` vanish too.

    ``others`` are derivatives of other unknowns, or of their equations, by this one.
    """

    unknown: object
    row: tuple
    others: tuple


@dataclass(frozen=True)
class Means:
    """Inner Gaussian means of functions of one activation, at every node of a grid.

    ``items`` are (symbol, functional): the functional is an expression in the bound symbol `z`, the
    activation value `value`, and columns known before.
    """

    label: str
    offset: object        # a(kappa) and b of the argument a + b z
    slope: object
    z: object
    value: object
    items: tuple
    order: int = 0        # of the derivative of the activation

    @property
    def outputs(self):
        return tuple(s for s, _ in self.items)

    def activation(self, functions):
        """Return the activation meant, out of ``{label: activation}``."""
        f = functions[self.label]
        for _ in range(self.order):
            f = f.derivative
        return f

    @property
    def source(self):
        """Return the label of the activation and the order of the derivative."""
        return self.label, self.order

    @property
    def is_value(self):
        """Return whether this is the activation at the node itself: a mean without spread."""
        return self.slope == 0 and [form for _, form in self.items] == [self.value]


@dataclass(frozen=True)
class ScalarMap:
    """Numbers computed from parameters and Gaussian means of activations."""

    arguments: tuple            # of Symbol
    preparation: tuple          # of Means or Scalar
    outputs: tuple              # of (str, Expr)

    @property
    def activations(self):
        """Labels of the unspecified functions."""
        return tuple(dict.fromkeys(p.label for p in self.preparation if isinstance(p, Means)))


@dataclass
class Grid:
    """Nodes and weights of a measure, and the columns that hold no unknown."""

    name: str                   # a label that no other grid has
    bound: tuple                # its integration variables, as base columns
    given: bool                 # True for arrays supplied by the caller (eigenvalues), False for a Gaussian rule
    #: of Means or Scalar: how the base columns are made from the nodes and the table parameters
    preparation: list = field(default_factory=list)
    columns: dict = field(default_factory=dict)     # {expression: symbol} that loops read, in the order of the table
    #: points, as exact numbers, where an integrand has a kink whatever the other symbols are; of a product, for each
    #: variable that has some
    kinks: dict = field(default_factory=dict)
    #: tabulated functions that are affine in the integration variable: integrands turn where one of them passes 0,
    #: within what changes it by 1
    lines: dict = field(default_factory=dict)
    directions: list = field(default_factory=list)  # means of which only the direction counts
    arrays: tuple = ()          # the caller's names of arrays that are given, one for each variable
    is_inner: bool = False      # whether its sums stand inside those of other grids, at every node of these
    is_shifted: bool = False    # whether the mass of integrands may lie far out along the first variable
    is_angle: bool = False      # whether the nodes are equidistant angles
    law: object = None          # of a program for proofs, the law that the grid stands for: it has no nodes

    @property
    def is_product(self):
        """Return whether the nodes are those of a product of rules, one a variable: inner means are values there."""
        return not self.given and (
            self.is_inner or self.is_shifted or self.is_angle or self.law is not None or len(self.bound) > 1)


@dataclass(frozen=True)
class Program:
    """A system lowered to statements."""

    parameters: tuple           # all numbers of the theory, in the user's order
    table_parameters: tuple     # those the tables depend on
    unknowns: tuple
    observables: dict           # symbols by name
    residual: object
    errors: dict                # {explicit unknown or observable that loses digits: symbol, in roundings of numbers}
    grids: tuple
    statements: tuple
    blocks: tuple = ()          # those that became the Newton solves, in the same order
    null_spaces: tuple = ()
    #: for outputs whose digits are no part of the residual: a symbol, positive where they are lost
    losses: dict = field(default_factory=dict)
    #: for linear blocks with links, symbols by the residual of their solution: 0 where the matrix is not singular
    implied: dict = field(default_factory=dict)
    checks: tuple = ()          # the parts of the residual, which is the largest of them, at a root
    limited: object = None      # symbol: 1 where rounding leaves a quantity fewer digits than sweeps promise, else 0
    #: positive where sums inside sums may switch within less than the step of any rule, so that their nodes are placed
    #: at every node of the outer one (:mod:`asympkit.runtime.rules`)
    steep: object = None

    @property
    def outputs(self):
        """The symbols a solution consists of."""
        return (*self.unknowns, *self.observables.values(), self.residual)

    @property
    def returned(self):
        """The symbols that solvers in double precision need."""
        return (*self.outputs, *([] if self.limited is None else [self.limited]))

    def iterations(self, names):
        """Write the source of the number of iterations that a solution reports: half an iteration more where it is
        limited."""
        return f"iterations + 0.5*{names[self.limited]}" if self.limited is not None else "iterations"

    @property
    def arrays(self):
        """Names of the arrays that the caller gives, each once."""
        return tuple(dict.fromkeys(a for g in self.grids for a in g.arrays))

    @property
    def newtons(self):
        return tuple(s for s in self.statements if isinstance(s, Newton))

    @property
    def linears(self):
        return tuple(s for s in self.statements if isinstance(s, Linear))

    @property
    def activations(self):
        """Labels of the unspecified functions, in the order of use."""
        labels = [p.label for g in self.grids for p in g.preparation if isinstance(p, Means)]
        return tuple(dict.fromkeys(labels))


def select_statements(kind, statements):
    """Return the statements of a kind, those inside the bodies of Newton solves included."""
    for s in statements:
        if isinstance(s, kind):
            yield s
        elif isinstance(s, Newton):
            yield from select_statements(kind, s.body)
