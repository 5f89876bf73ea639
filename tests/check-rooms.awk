# check-rooms.awk - includes that point from a room to one above it.
#
# Input: the rooms, top to bottom, as "FOLDER: ROOM ROOM ...", the upper folder first; then lines of
# grep over the sources, "FILE:#include "HEADER"".  A file of FOLDER itself is in its room ".".
function rank_of(path,   part, n, room) {
	n = split(path, part, "/")
	room = n > 2 ? part[2] : "."
	return part[1] "/" room in rank ? rank[part[1] "/" room] : 0
}
/^[a-z]+: / {
	folder = substr($1, 1, length($1) - 1)
	for (i = 2; i <= NF; i++)
		rank[folder "/" $i] = ++rooms
	next
}
{
	split($0, part, ":")
	split($0, quoted, "\"")
	from = rank_of(part[1])
	to = rank_of(quoted[2])
	if (!from || !to)
		print part[1] ": " (from ? quoted[2] : part[1]) " is in no room"
	else if (to < from)
		print part[1] " includes " quoted[2] ", which is above it"
}
