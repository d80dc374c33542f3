# names UID PLACE: the workspace's user and group, before those of the machine. PLACE is a folder of root's in memory.
# They come first because they are what uid and name are looked up by, whoever else has them here.
names() {
  for list in passwd group; do
    entry="coder:x:$1:"
    [ $list = group ] || entry="coder:x:$1:$1:CodeHub:/home/coder:/bin/bash"
    [ "$(head -n 1 /etc/$list)" != "$entry" ] || continue
    { echo "$entry"; grep -v '^coder:' /etc/$list || :; } > "$2/.$list"
    mount -n --bind "$2/.$list" /etc/$list
    rm "$2/.$list"
  done
}
