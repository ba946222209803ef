"""The texts of these tests are in the modules of their readers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
