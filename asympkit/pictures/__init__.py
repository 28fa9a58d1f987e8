"""Pictures of results: matplotlib is an extra, and is loaded when something is drawn.

A function here takes what it draws as it is named in the result, and axes or None; it returns axes: one, or an array
of them where there are several.  No room above is imported: results hand in themselves.
"""
