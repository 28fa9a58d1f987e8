"""Parity that a syntax tree shows at sight."""

from ..numbers.functions import entry_of_text
from ..parsing.grammar import whole
from ..parsing.tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where, children
from .tree_forms import inline, varies

__all__ = ["tree_parity"]

def tree_parity(tree):
    """1 for a function that is certainly even, -1 for odd, 0 where this does not show."""
    return _parity(inline(tree))


def _of_list(name, args):
    """Parity of a function of the list in its last argument, for one real argument."""
    known = entry_of_text(name)
    is_one = known is not None and known.arity == known.orders + 1
    return known.parity_at(*map(whole, args[:known.orders])) if is_one else 0


def _parity(node):
    match node:
        case Num() | Const():
            return 1
        case Name():
            return -1
        case Neg(arg):
            return _parity(arg)
        case Chain(first, rest):
            parts = [_parity(first), *(_parity(arg) for _, arg in rest)]
            if rest[0][0] in "+-":
                return parts[0] if len(set(parts)) == 1 else 0
            total = 1
            for p in parts:
                total *= p
            return total
        case Pow(base, Num(power)) if power.denominator == 1:
            return _parity(base) if power % 2 else abs(_parity(base))
        case Call(name, args) if (own := _of_list(name, args)) and not any(map(varies, args[:-1])):
            return _parity(args[-1]) if own < 0 else abs(_parity(args[-1]))
        case Where(Compare(_, left, right), yes, no):
            parts = {_parity(yes), _parity(no)}
            return parts.pop() if len(parts) == 1 and _parity(left) == _parity(right) == 1 else 0
        case Pow() | Call():
            return 1 if all(_parity(u) == 1 for u in children(node)) else 0
    return 0
