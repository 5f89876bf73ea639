#!/usr/bin/env python3
"""reading.t - the fault matrix, as far as a commit goes: inputs, boundaries, users."""
import reading
from crash import commit

commit(reading.rows)
