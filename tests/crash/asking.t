#!/usr/bin/env python3
"""asking.t - the fault matrix, as far as a commit goes: asking and answering."""
import asking
from crash import commit

commit(asking.rows)
