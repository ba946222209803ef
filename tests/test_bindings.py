"""The roots of errors are the same classes on both sides of the bindings."""

from __future__ import annotations

import pytest

from odonata import _core
from odonata.errors import UserError


def test_a_user_error_of_the_engine_is_ours():
    with pytest.raises(UserError, match="no-such") as caught:
        _core.select_algorithm(_core.Selection(), "no-such", 4, 1024)
    assert (caught.value.what, caught.value.value) == ("operation: unknown", "no-such")
    assert "allgather" in caught.value.allowed
