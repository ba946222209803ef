"""Machines and runs that can be worked out by hand are a module beside these tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
