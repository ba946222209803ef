"""Tables of views, for comparison with counts by hand."""


def counts(views):
    return {name: (call.count, call.bytes) for name, call in views.calls.items()}


def pairs(views):
    matrix = views.matrix
    columns = (matrix.source, matrix.target, matrix.messages, matrix.bytes)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {(source, target): (messages, size) for source, target, messages, size in rows}
