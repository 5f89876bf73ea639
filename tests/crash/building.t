#!/usr/bin/env python3
"""building.t - the fault matrix, as far as a commit goes: making and publishing an index."""
import building
from crash import commit

commit(building.rows)
