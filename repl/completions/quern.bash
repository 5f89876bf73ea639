# quern.bash - completion of quern's options, formats, events and files for bash.

_quern() {
	local word=$2 before=$3
	local options='--command --file --keep-going --format --event --budget --raw --wide --color --quiet
		--all-parts --merge --watch --index --rebuild --no-index-write --no-wait --trust --verify --bench-parse --jobs --mem --safe
		--source-root --with-source --with-asm --strip-prefix --map-object --rename --pair --least-paired
		--limit --set --guide --mcp --no-demangle --no-init --help --version -c -f -q -h -V'
	local formats='table tree csv tsv json ndjson md github junit svg icicle html folded speedscope dot
		callgrind pprof'

	COMPREPLY=()
	case $before in
	-f | --file)
		mapfile -t COMPREPLY < <(compgen -f -- "$word"
			compgen -W "$(quern --no-init -c .queries 2>/dev/null | sed -n 's/^\([^ ]\{1,\}\)  .*/\1/p')" -- "$word")
		;;
	--format) mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$word") ;;
	--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word") ;;
	-c | --command | --set | --budget | --event | --jobs | --mem | --strip-prefix | --map-object | --rename | --least-paired) ;;
	--pair) mapfile -t COMPREPLY < <(compgen -W 'rules exact' -- "$word") ;;
	--limit)
		compopt -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -W 'rows= seconds= memory= text= nesting=' -- "$word")
		;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		else
			mapfile -t COMPREPLY < <(compgen -f -X '*.quern' -- "${word#*=}")
		fi
		;;
	esac
}

complete -o filenames -F _quern quern
