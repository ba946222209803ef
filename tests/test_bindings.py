"""The two roots of errors are the same classes on both sides of the bindings."""

from __future__ import annotations

from odonata import _core


def test_the_extension_module_is_ours():
    assert _core.__name__ == "odonata._core"
