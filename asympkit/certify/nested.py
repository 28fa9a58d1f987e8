"""Averages inside functions of averages, taken out for their proofs."""

from ..errors import NotAvailableError
from ..gauss.measure import Gaussian
from ..nodes import Average
from ..program.inner_sum import InnerSum

__all__ = ["split_means"]


def split_means(expr):
    """Replace the averages over normals in an integrand by symbols, ``{symbol: (integrand, variables)}``.

    Raises
    ------
    NotAvailableError
        For averages inside these, and over other laws.
    """
    from sympy import Dummy

    inside = sorted(expr.atoms(InnerSum, Average), key=str)
    for node in inside:
        if node.integrand.has(InnerSum, Average):
            raise NotAvailableError(f"certify: {str(node)[:80]} is inside an average and holds another one; averages "
                                    "are enclosed two levels deep: close one (.doit()), or write averages that "
                                    "enter linearly as one over several variables")
        if isinstance(node, Average) and not isinstance(node.measure, Gaussian):
            raise NotAvailableError(f"certify: {str(node)[:80]} is inside an average and is one over another law than "
                                    "the normal, which is not enclosed there; close it (.doit())")
    marks = {node: Dummy(f"mean{k}", real=True) for k, node in enumerate(inside)}
    found = {m: (node.integrand, tuple(node.bound if isinstance(node, InnerSum) else node.bound_symbols))
             for node, m in marks.items()}
    return expr.xreplace(marks), found
