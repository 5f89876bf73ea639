#!/usr/bin/env python3
"""following.t - the fault matrix, as far as a commit goes: --watch."""
import following
from crash import commit

commit(following.rows)
