"""The modules of the drawn simulations stand beside their tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
