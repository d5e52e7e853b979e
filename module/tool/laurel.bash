# Completions of laurel(1) for bash.

_laurel() {
  local words='boards info top rank around player stats check export import backup'
  words+=' ban unban forget set remove void reset rules watch version'
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local word=${COMP_WORDS[1]} place=0 i names
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
    return
  fi
  case $before in
    -o | --output) mapfile -t COMPREPLY < <(compgen -W 'table json jsonl csv md' -- "$current"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'jsonl csv' -- "$current"); return ;;
    -n | --from | --season | --email | --map) return ;;
    --order) mapfile -t COMPREPLY < <(compgen -W 'desc asc' -- "$current"); return ;;
    --token-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  if [[ $current == -* ]]; then
    local options='--help'
    case $word in
      boards | stats | check | rules | version) options+=' -o --output --json' ;;
      info | rank) options+=' -o --output --json --season' ;;
      top) options+=' -o --output --json --season -n --from' ;;
      around) options+=' -o --output --json --season -n' ;;
      player) options+=' -o --output --json --email' ;;
      export) options+=' --board --format' ;;
      import) options+=' --board --map --order' ;;
      watch) options+=' --json -n --token-file' ;;
      ban | unban) options+=' --board' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    return
  fi
  # Which argument of the word this is: options and their values do not count.
  for ((i = 2; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -o | --output | -n | --from | --season | --email | --board | --format | --map | --order | --token-file) ((i++)) ;;
      -*) ;;
      *) ((++place)) ;;
    esac
  done
  case $word:$before:$place in
    export:--board:* | import:--board:* | ban:--board:* | unban:--board:*) place=1 word=info ;;
  esac
  case $word:$place in
    rules:*) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    version:* | watch:*) ;;
    *:0) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    info:1 | top:1 | rank:1 | around:1 | set:1 | remove:1 | void:1 | reset:1)
      # Names with a quote or a space are left out.
      names=$(laurel boards "${COMP_WORDS[2]}" -o csv 2>/dev/null | sed -n '2,$s/,.*//p' | grep -v '[" ]')
      mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current") ;;
    export:1 | import:1) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    backup:1) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
}
complete -F _laurel laurel
