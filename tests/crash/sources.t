#!/usr/bin/env python3
"""sources.t - the fault matrix, as far as a commit goes: sets, packed files, pipes."""
import sources
from crash import commit

commit(sources.rows)
