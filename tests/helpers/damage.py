"""Damage to files, as disks and users do it."""

import numpy as np

KINDS = ("flip a bit", "change a byte", "cut", "swap two blocks", "zero a block", "repeat a block", "append",
         "drop a byte")


def damaged(data, kind, rng):
    """The bytes of a file after one accident."""
    data = bytearray(data)
    at = int(rng.integers(len(data)))
    block = int(rng.choice([8, 64, 512, 4096]))
    if kind == "flip a bit":
        data[at] ^= 1 << int(rng.integers(8))
    elif kind == "change a byte":
        data[at] = int(rng.integers(256))
    elif kind == "cut":
        del data[at:]
    elif kind == "drop a byte":
        del data[at]
    elif kind == "append":
        data += rng.bytes(block)
    elif kind == "zero a block":
        begin = at - at % block
        data[begin:begin + block] = bytes(len(data[begin:begin + block]))
    else:
        blocks = max(1, len(data) // block)
        one, two = (block * int(k) for k in rng.integers(blocks, size=2))
        first, second = bytes(data[one:one + block]), bytes(data[two:two + block])
        size = min(len(first), len(second))
        data[one:one + size] = second[:size]
        if kind == "swap two blocks":
            data[two:two + size] = first[:size]
    return bytes(data)


def same_bits(one, other):
    """Whether two arrays hold the same numbers, bit by bit."""
    one, other = np.asarray(one, float), np.asarray(other, float)
    return one.shape == other.shape and one.tobytes() == other.tobytes()
