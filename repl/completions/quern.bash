# quern.bash - completion of quern's options, formats, events and files for bash.

# The names of query files that begin with a word.  `compgen -W` would run what a name says:
# it expands its words.
_quern_queries() {
	local name
	quern --no-init -c .queries 2>/dev/null </dev/null |
		sed -n 's/^\([^ ]\{1,\}\)  .*/\1/p' |
		while IFS= read -r name; do
			[[ $name == "$1"* ]] && printf '%s\n' "$name"
		done
}

_quern() {
	local word=$2 before=$3
	local options='--command --file --keep-going --format --event --unit --budget --raw --wide --color --quiet
		--merge --index --rebuild --no-index-write --no-wait --trust --verify --bench-parse --jobs --mem --safe
		--source-root --with-source --with-asm --rename --accept
		--limit --set --guide --mcp --no-demangle --no-init --help --version -c -f -q -h -V'
	local record='-o --lines --cache --threads --stacks --size --dry-run'
	local formats='table tree csv tsv json ndjson md github junit svg flame html folded speedscope dot
		callgrind pprof'

	[[ ${COMP_WORDS[1]-} == record ]] && options+=" $record"
	COMPREPLY=()
	case $before in
	-f | --file)
		mapfile -t COMPREPLY < <(compgen -f -- "$word"; _quern_queries "$word")
		;;
	--format) mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$word") ;;
	--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word") ;;
	-c | --command | --set | --unit | --budget | --event | --jobs | --mem | --rename) ;;
	--accept)
		mapfile -t COMPREPLY < <(compgen -W 'cut odd totals edges index itself runs formula inlined parts paired unsure gone empty' -- "$word")
		;;
	--limit)
		compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W 'rows= seconds= memory= text= nesting=' -- "$word")
		;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -X '*.quern' -- "${word#*=}")
			[[ $before == quern && -n $word && record == "$word"* ]] && COMPREPLY+=(record)
		fi
		;;
	esac
}

complete -o filenames -F _quern quern
