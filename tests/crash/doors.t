#!/usr/bin/env python3
"""doors.t - the fault matrix, as far as a commit goes: other programs that ask quern."""
import doors
from crash import commit

commit(doors.rows)
