"""Draw results: matplotlib is an optional dependency, loaded on first use.

Functions take what they draw by its name in the result, and axes or None; they return axes, or an array of them.
Nothing of the layers above is imported: results pass themselves.
"""
