# Wraps a changelog in Debian's format at 80 columns. An item begins with two blanks and a star, and
# continues after four blanks.
function flush_item(  at) {
  while (length(item) > 80) {
    for (at = 81; at > 5 && substr(item, at, 1) != " "; --at);
    if (at == 5) break # one long word, which stays as it is
    print substr(item, 1, at - 1)
    item = "    " substr(item, at + 1)
  }
  if (begun) print item
}
/^    / { item = item " " substr($0, 5); next }
{ flush_item(); item = $0; begun = 1 }
END { flush_item() }
