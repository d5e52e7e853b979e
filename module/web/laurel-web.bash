# Completions of laurel-web(1) for bash.

_laurel_web() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local options='--connect --token-file --listen --boards --rate --viewers --viewers-per-address
    --metrics --origin --behind-proxy --help --version'
  COMPREPLY=()
  case $before in
    --token-file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --connect | --listen | --boards | --rate | --viewers | --viewers-per-address | --metrics | --origin) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
  esac
}
complete -F _laurel_web laurel-web
