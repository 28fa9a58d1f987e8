"""The pass that adds to a program what rounding leaves of its solution.

A draft that was lowered from equations solves them and has values (:mod:`~asympkit.program.build`).  Its segments gain
residuals of the equations, relative to their terms, and errors of what Newton's method solves for; how near the
matrix of a linear block is to a singular one, and errors of its unknowns; errors of explicit unknowns and observables,
and where all their digits are lost; and whether a quantity has fewer digits than sweeps promise.  Errors of expressions
(:mod:`~asympkit.program.rounding`) are taken of what was lowered: there averages have integrands.

Linear equations by :math:`|A^{-1}|\\,B`, B the magnitudes of the entries without their cancellation: elimination leaves
a residual of one rounding whatever the matrix is, also where rounding of its entries determines the solution.  The
diagonal of that product does not depend on the units of unknowns and equations.
"""

from dataclasses import dataclass, replace

from sympy import Abs, Add, And, Eq, Float, Gt, Integer, Le, Max, Min, Ne, Or, Piecewise, log

from ..nodes import Average, holds
from ..tolerances import AMPLIFIED, DEPENDENT, LEAST_SIZE, MEASURED
from .links import LinkWriter, NewtonSolve, is_long_newton
from .lowering import differentiate_assignments, largest, total_derivative
from .rounding import Errors
from .rounding import size as absolute
from .statements import LARGEST_ERROR, ROUNDING, Linear, Newton, Scalar

#: relative error up to which a quantity of a sweep has converged
PROMISED = Float(1e-10)
#: what is left of an equation whose terms all vanish, in floats: no root where its derivatives vanish too, but at 0
_VANISHED = Float(1e-305)
#: size of an unknown that is a root at 0, approached step by step
_ZERO = Float(1e-150)
#: residual of an equation that holds to a few roundings of its terms
_HOLDS = Float(1e-15)
#: what underflows is not exactly 0
_LEAST = Float(1e-100)
#: error from which on a solution of the equations is no root, and errors within which an unknown is 0
_NOISE, _SOME = Float(0.1), 10
#: added to divisors that may vanish
_TINY = Float(1e-300)
#: residual of an exactly singular matrix: a number over 1e-300; and of a column of the inverse that does not exist
_SINGULAR, _NONE = 1e100, 1e-3


@dataclass(frozen=True)
class ErrorOptions:
    """Hold what error analysis knows of a theory beside its equations.

    Attributes
    ----------
    derivatives : collection of str
        Unknowns and observables that are derivatives: where one of them loses its digits, the others are no less a
        solution.  Derivatives are judged by what they are taken of.
    sizes : collection of str
        Observables that are sums of absolute values: they lose no digits.
    has_units : bool
        Whether unknowns are of order 1, or vanish (:class:`~asympkit.equations.System`).
    is_measured : bool
        Whether there are averages over normals, which are refined until nothing changes: that shows what rounding does.
    has_activations : bool
        Whether there are averages of unspecified functions, those of which are too expensive for every point.
    is_deep : bool
        Whether errors of denominators and of arguments of functions count in linear equations and in maps too.
    """

    derivatives: frozenset = frozenset()
    sizes: frozenset = frozenset()
    has_units: bool = False
    is_measured: bool = False
    has_activations: bool = False
    is_deep: bool = False

    @property
    def is_judged(self):
        """Return whether points are called limited where a quantity has fewer digits than sweeps promise."""
        return not (self.derivatives or self.has_units)

    @property
    def follows_averages(self):
        """Return whether they are judged by the rounding of integrands; else averages count as one number each."""
        return self.is_judged and self.is_measured and not self.has_activations


def with_errors(draft, options):
    """Return a draft whose residual and errors say what rounding leaves of its solution; its segments are added to."""
    return _Analysis(draft, options)()


class _Analysis:
    def __init__(self, draft, options):
        self.draft, self.options, self.last = draft, options, draft.program.statements[-1]
        #: parts of the residual, and those of outputs that have too few digits
        self.checks, self.inaccurate = [], []
        #: relative errors of what Newton's method solves for; errors of what is assigned along it, and of linear blocks
        self.relative, self.assigned, self.linear = [], {}, {}
        #: sizes of the equations of Newton's method; residuals that are 0 where a matrix is not singular; inverses
        self.sizes, self.implied, self.inverses = {}, {}, {}

    def __call__(self):
        for solve in self.draft.solves:
            self._newton(solve) if isinstance(solve, NewtonSolve) else self._linear(solve)
        errors, losses, limited = self._outputs()
        checks = tuple(self.checks)
        program, residual = self.draft.program, largest(checks)
        if self.inaccurate:                     # of what is no root nothing else is asked
            residual = self.last.add_new("equations_residual", residual)
            digits = self.last.add_new("inaccurate", Max(*self.inaccurate, evaluate=False))
            digits = self.last.add_new("few_digits", Piecewise((digits, residual <= LARGEST_ERROR), (0, True)))
            residual = Max(residual, digits, evaluate=False)
        self.last.put(Scalar(program.residual, residual))
        return replace(self.draft, program=replace(
            program, errors=errors, losses={s: e for s, e in losses.items() if e not in self.inaccurate},
            implied=self.implied, checks=(*checks, *self.inaccurate), limited=limited,
            statements=tuple(replace(s, sizes=self.sizes[s.torn]) if isinstance(s, Newton) else s
                             for s in program.statements)))

    # -- Newton's method ----------------------------------------------------------------------------

    def _newton(self, solve):
        """Ask how well iterated equations hold, and what rounding leaves of their unknowns.

        A residual is relative to the terms of its equation, whatever they are made of: a sum that is small because
        every term is small is no solution.
        """
        block, newton, segment, has_units = solve.block, solve.newton, solve.segment, self.options.has_units
        errors = Errors(segment, deep=self.options.is_deep or not newton.all_maps, least=_LEAST)
        for u, f in block.assignments:
            errors.add(u, f, f"size_{u}")
        self.assigned |= {u: e for u, e in errors.known.items() if u.name not in self.options.derivatives}
        sizes, residuals = zip(*(self._residual(segment, errors, *row) for row in block.equations))
        self.sizes[newton.torn] = sizes
        moved = newton.step_residual
        if not (has_units or all(newton.positive)):
            # steps of unknowns that are 0 to their rounding need not become small where all equations hold
            held = Max(*residuals, evaluate=False) > _HOLDS
            moved = segment.add_new("moved", Piecewise((moved, held), (0, True)))
        rhs = [ROUNDING * (1 if size is None else size) + (0 if is_map else _VANISHED * Min(1, Abs(u))) +
               self._rounded_slope(solve, newton.slopes[k][k], *row)
               for k, (size, row) in enumerate(zip(sizes, block.equations)) for u, _, is_map in [row]]
        errors, solved = self._newton_errors(solve, rhs)
        errors = [e if t.is_positive else segment.add_new(f"{t}_error", e) for t, e in zip(block.torn, errors)]
        self.checks += [moved, *solved]
        (self._beside_units if has_units else self._roots)(solve, residuals, sizes, errors)

    def _residual(self, segment, errors, u, f, is_map):
        """Return the size of the terms of an equation at the solution, and its residual."""
        if is_map and u.is_positive:
            value, size = segment.add_new(f"{u}_check", f), errors.find(f)
            size = None if size is None else segment.add_new(f"size_{u}", 1 + size / Abs(value))
            residual = Abs(log(value / u))
        else:
            value, size = segment.lower(u - f if is_map else f), errors.magnitude(f)
            size = segment.add_new(f"size_{u}", size + Abs(u) if is_map else size)
            residual = absolute(value) / (size + (Float(LEAST_SIZE) if self.options.has_units else _TINY))
        return size, segment.add_new(f"{u}_residual", residual)

    def _rounded_slope(self, solve, own, u, f, is_map):
        """Return the rounding of an equation at a root at 0, where it has none if it is odd: that of its slope.

        Relative to the slope, so that a root is not called 0 where rounding decides whether there are others near it.
        """
        if u.is_positive or self.options.has_units or own is None:
            return Integer(0)
        chain = differentiate_assignments(solve.block, solve.segment, (u,))[u]
        terms = Add(*(Abs(a) for a in Add.make_args(total_derivative(u - f if is_map else f, u, chain))))
        is_zero = And(Le(Abs(u), _ZERO), Ne(own, 0))
        return solve.segment.add_new(f"slope_{u}_rounding", Piecewise((ROUNDING * terms, is_zero), (0, True)))

    def _newton_errors(self, solve, rhs):
        """Return sizes of the errors of unknowns, from those of their equations, and residuals of these errors."""
        block, slopes, segment = solve.block, solve.newton.slopes, solve.segment
        if len(block.torn) <= 2:
            inverse, divisor, _ = self._inverse(segment, block.torn, slopes)
            if len(block.torn) == 2 and not self.options.has_units:         # a matrix that vanishes bounds nothing
                inverse = [[e + _TINY for e in row] for row in inverse]
            return _times(inverse, divisor, rhs), []
        names = segment.context.names
        errors = tuple(names.fresh(f"{t}_rounding") for t in block.torn)
        residual = names.fresh(f"{'_'.join(map(str, block.torn))}_rounding_residual")
        rhs = tuple(segment.add_new("rounding", e) for e in rhs)
        links = LinkWriter(block, segment).rounding(errors, rhs) if is_long_newton(block) else None
        segment.put(Linear(errors, slopes, rhs, residual, links=links))
        return [Abs(e) for e in errors], [residual]

    def _roots(self, solve, residuals, sizes, errors):
        """Add the relative error of unknowns to the residual where it is above :data:`LARGEST_ERROR`.

        An equation can hold to the last bit where it determines nothing: 1 - tanh(20) is 0.  An unknown that is a root
        to too few digits is inaccurate; one of which rounding leaves none, and which may be 0, is no root.
        """
        torn, segment = solve.block.torn, solve.segment
        # an unknown that is 0 to its error has no digits of its own
        units = [1 if t.is_positive else
                 segment.add_new(f"unit_{t}", Piecewise((1, Abs(t) <= _SOME * e), (Abs(t), True)))
                 for t, e in zip(torn, errors)]
        # what is 0 to an error that is not small may be another root: 0 itself is tried
        loose = [And(Abs(t) <= _SOME * e, e > LARGEST_ERROR) for t, e in zip(torn, errors) if not t.is_positive]
        error = segment.add_new(f"{'_'.join(map(str, torn))}_error",
                                Max(*(e / unit for e, unit in zip(errors, units)), evaluate=False))
        self.relative.append(error)
        self.checks += [*residuals,
                        segment.add_new("uncertain", Piecewise((error, Or(error > _NOISE, *loose)), (0, True)))]
        self.inaccurate.append(segment.add_new("inaccurate", Piecewise((Float(AMPLIFIED), error > LARGEST_ERROR),
                                                                       (0, True))))

    def _beside_units(self, solve, residuals, sizes, errors):
        """Do as :meth:`_roots` for unknowns of order 1, or 0: errors are relative to 1 where these vanish.

        Beside its terms, an equation of one that may vanish has the size of its change by 1.
        """
        segment = solve.segment
        for k, (u, _, is_map) in enumerate(solve.block.equations):
            size, unit = sizes[k], 1 if is_map else Abs(solve.newton.slopes[k][k])
            self.checks.append(residuals[k] if u.is_positive else segment.add_new(
                f"{u}_unmet", residuals[k] * size / (size + unit + _TINY)))
            error = errors[k] if u.is_positive else errors[k] / Max(1, Abs(u), evaluate=False)
            self.checks.append(segment.add_new(f"{u}_uncertain", Max(0, error - LARGEST_ERROR, evaluate=False)))

    # -- linear blocks ------------------------------------------------------------------------------

    def _linear(self, solve):
        """Ask how near a matrix is to a singular one, and what rounding leaves of the unknowns."""
        statement, segment, torn = solve.statement, solve.segment, solve.block.torn
        sizes, _, matrix, cancels = parts = self._linear_sizes(solve)
        matrix = tuple(tuple(None if size.is_zero else segment.add_new(f"size_{u}_{t}", size)
                             for t, size in zip(torn, row)) for u, row in zip(torn, matrix)) if cancels else ()
        assigned = tuple((u, sizes[u], tuple(solve.chains[t].get(u) for t in torn)) for u, _ in solve.block.assignments)
        links = statement.links and LinkWriter(solve.block, segment).sized(statement.links, self.options.is_measured)
        segment.put(replace(statement, sizes=tuple(sizes[u] for u in torn), assigned=assigned, matrix_sizes=matrix,
                            links=links))
        # sizes of averages are averages themselves: too expensive for every point
        singular, is_none, inverse = self._singular(solve, () if self.options.is_measured else matrix)
        dependent = self._dependent(solve, singular, is_none)
        self.checks += [statement.residual, *singular, *dependent]
        if links:
            self.implied[statement.residual] = (*singular, *dependent)
        if self.options.is_judged:
            self._linear_errors(solve, links, inverse, parts)

    def _singular(self, solve, weights):
        """Return residuals that are positive where a matrix is singular to rounding, one for each unknown at most,
        those of the columns of its inverse, and the inverse; ``weights`` are sizes of the entries, if these cancel."""
        torn, matrix = solve.block.torn, solve.statement.matrix
        if len(torn) == 1 and not weights:
            return [], [], None
        weights = weights or [[None if e is None else Abs(e) for e in row] for row in matrix]
        *inverse, is_none = self._inverse(solve.segment, torn, matrix)
        shares = [Add(*(a * b for a, b in zip(row, column) if b is not None))
                  for row, column in zip(inverse[0], zip(*weights))]
        if len(torn) == 2 and shares[0].expand() == shares[1].expand():
            shares.pop()
        rounding = ROUNDING * (Float(MEASURED) if self.options.is_measured else 1)
        return [solve.segment.add_new(f"{u}_singular", Max(0, rounding * (share / inverse[1]) - LARGEST_ERROR,
                                                           evaluate=False))
                for u, share in zip(torn, shares) if share != 0], is_none, inverse

    def _linear_sizes(self, solve, as_numbers=False):
        """Return sizes of the parts of linear equations: by unknown those of the right-hand side, or of assigned ones
        where the iteration variables are 0; of derivatives along the assignments that cancel, by their symbols; of the
        matrix; and whether it or these cancel."""
        segment, at_zero = solve.segment, solve.at_zero
        errors, sizes, slopes = Errors(segment, deep=self.options.is_deep, as_numbers=as_numbers), {}, {}
        for u, start in solve.starts.items():
            sizes[u] = errors.magnitude(start)
            if u in at_zero or not as_numbers:
                sizes[u] = segment.add_new(f"size_{u}_0", sizes[u])
            if at_zero.get(u, 0) != 0:
                errors.known[at_zero[u]] = sizes[u]
        for t, chain in solve.chains.items():
            for u, f in solve.block.assignments:
                if u in chain and errors.add(chain[u], total_derivative(f, t, chain), f"size_{chain[u]}"):
                    slopes[chain[u]] = errors.known[chain[u]]
        cancels = bool(slopes) or any(errors.find(d) is not None for row in solve.entries for d in row)
        return sizes, slopes, [[errors.magnitude(d) for d in row] for row in solve.entries], cancels

    def _linear_errors(self, solve, links, inverse, parts):
        """Add errors of the unknowns of linear equations, in units of the rounding of numbers."""
        block, segment, names = solve.block, solve.segment, solve.segment.context.names
        sizes, slopes, matrix, _ = parts if self.options.follows_averages else self._linear_sizes(solve, True)
        rhs = [segment.add_new(f"rounding_{u}", sizes[u] + Add(*(e * Abs(t) for e, t in zip(row, block.torn))))
               for u, row in zip(block.torn, matrix)]
        errors = {u: names.fresh(f"error_{u}") for u in solve.starts}
        if links:
            segment.put(Linear(tuple(errors[t] for t in block.torn), solve.statement.matrix, tuple(rhs),
                               names.fresh("errors_residual"), links=LinkWriter(block, segment).errors(links, errors)))
        else:
            inverse = inverse or self._inverse(segment, block.torn, solve.statement.matrix)[:2]
            for t, e in zip(block.torn, _times(*inverse, rhs)):
                segment.add(errors[t], e)
        for u, _ in block.assignments:
            segment.add(errors[u], sizes[u] + Add(*(slopes.get(d, Abs(d)) * Abs(t) + Abs(d) * Abs(errors[t])
                                                    for t, chain in solve.chains.items() if (d := chain.get(u)))))
        self.linear |= errors

    def _dependent(self, solve, singular, is_none):
        """Return :data:`DEPENDENT` where unknowns are left free or the matrix is exactly singular, else 0; nothing if
        neither can be."""
        cases = [And(*(Eq(e, 0) for e in f.row), Or(*(Ne(e, 0) for e in f.others)))
                 for f in self.draft.program.null_spaces if f.unknown in solve.block.torn]
        cases += [Gt(s, _SINGULAR) for s in singular]
        # a column of the inverse whose row vanishes is none
        cases += [And(Gt(s, _NONE), Or(*(Ne(e, 0) for e in row if e is not None)))
                  for s, row in zip(is_none, solve.statement.matrix)]
        label = f"{'_'.join(map(str, solve.block.torn))}_dependent"
        case = Piecewise((Float(DEPENDENT), Or(*cases)), (Integer(0), True))
        return [self.last.add_new(label, case)] if cases else []

    def _inverse(self, segment, torn, matrix):
        """Return sizes of the entries of an inverse as numerators, by row, and one denominator, and for more than two
        unknowns the residuals of its columns: that of a column which does not exist is not small."""
        a = [[Integer(0) if e is None else e for e in row] for row in matrix]
        if len(torn) == 1:
            return [[Integer(1)]], Abs(a[0][0]) + _TINY, []
        if len(torn) == 2:
            return [[Abs(a[1][1]), Abs(a[0][1])], [Abs(a[1][0]), Abs(a[0][0])]], \
                Abs(a[0][0] * a[1][1] - a[0][1] * a[1][0]) + _TINY, []
        if (segment, matrix) not in self.inverses:          # a tangent has the matrix of what it is the tangent of
            names, columns = segment.context.names, []
            zero, one = segment.add_new("zero", Integer(0)), segment.add_new("one", Integer(1))
            for t in torn:
                columns.append(Linear(tuple(names.fresh(f"inverse_{u}_{t}") for u in torn), matrix, tuple(
                    one if u == t else zero for u in torn), names.fresh(f"inverse_{t}_residual")))
                segment.put(columns[-1])
            self.inverses[segment, matrix] = [[Abs(e) for e in row] for row in zip(*(s.torn for s in columns))], \
                Integer(1), [s.residual for s in columns]
        return self.inverses[segment, matrix]

    # -- outputs ------------------------------------------------------------------------------------

    def _outputs(self):
        """Return errors and losses of explicit unknowns and observables, by output, and the symbol of what is limited.

        An output is lost where its formula subtracts nearly equal numbers: its error is relative to it, or absolute
        where an output of terms of size 1 cancels, and the residual :data:`AMPLIFIED`.
        """
        program, options = self.draft.program, self.options
        names = {s: name for name, s in program.observables.items()}
        formulas = {s: f for s, f in self.draft.formulas.items() if names.get(s) not in options.sizes}
        rough, losses = self._errors(formulas, as_numbers=True), {}
        for s, error in rough.items():
            is_lost = Gt(ROUNDING * error, LARGEST_ERROR * Max(1, Abs(s), evaluate=False))
            losses[s] = self.last.add_new("lost", Piecewise((Float(AMPLIFIED), is_lost), (Integer(0), True)))
        shown = {s: f for s, f in formulas.items() if names.get(s, s.name) not in options.derivatives}
        self.inaccurate += [lost for s, lost in losses.items() if s in shown]
        errors = {s: e for s, e in rough.items() if s in shown}
        if any(holds(f, (Average,)) for f in shown.values()):
            errors = self._errors(shown)
        errors = self.assigned | errors
        if not options.is_judged:
            return errors, losses, None
        # tables of activations hold zeros by symmetry, to their rounding
        at_zero = dict.fromkeys([*self.linear, *(rough if options.has_activations else ())], _SOME)
        judged = (errors, {}) if options.follows_averages else (rough, at_zero)
        return errors, losses, self._limited(self.linear | judged[0], judged[1])

    def _errors(self, formulas, as_numbers=False):
        """Return the errors of formulas, in the order in which they are made of one another, by output."""
        errors = Errors(self.last, exact={*self.draft.program.parameters}, as_numbers=as_numbers)
        return {s: e for s, f in formulas.items() if (e := errors.add_output(s, f)) is not None}

    def _limited(self, errors, at_zero):
        """Return the symbol that is 1 where rounding leaves an output fewer relative digits than sweeps promise.

        ``errors`` are those that the formulas of outputs add to the errors of what they are made of; ``at_zero`` tells
        of how many an output is that is 0 by symmetry, and has no digits to lose.
        """
        upstream, add = self.relative, self.last.add_new
        relative = add("upstream", Max(ROUNDING, *upstream, evaluate=False)) if upstream else ROUNDING
        cases = [Gt(relative, PROMISED)] * bool(upstream)
        cases += [And(Gt(relative * error, PROMISED * Abs(output)),
                      *([Gt(Abs(output), at_zero[output] * ROUNDING * error)] if output in at_zero else ()))
                  for output, error in errors.items()]
        return add("limited", Piecewise((Integer(1), Or(*cases)), (Integer(0), True))) if cases else None


def _times(numerators, denominator, vector):
    """Return sizes of the solution of linear equations with a right-hand side."""
    return [Add(*(a * b for a, b in zip(row, vector))) / denominator for row in numerators]
