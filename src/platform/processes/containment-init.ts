/** File systems that cannot be written to, and those of the kernel outside /proc and /sys. */
const NOT_REMOUNTED = 'devpts|devtmpfs|mqueue|autofs|squashfs|iso9660|nsfs';

/** The namespace's init: makes the cell, then runs the program. It ends with the program, and the kernel ends the rest
 *  with it. Without it the program would be init itself, which ignores signals that it has no handler for.
 *
 *  Its own programs are found by the first word: the PATH of an agent may lead to what an agent has written. The world
 *  is a second tree of the same file systems, made read-only and then changed, while all that it is made from stays at
 *  its own path; at the end the first tree is put away. Until then no directory that is shown brings the second tree
 *  along. A mount point that this user cannot reach, or that lies below another one, is not remounted: no path leads to
 *  it. Below /proc and /sys only control groups are remounted: the rest belongs to root, for whom both are frozen.
 *
 *  Only a remount keeps the flags of the machine's file systems that a plain user cannot clear.
 *
 *  Processes are what a start costs. Mounts that cannot be there already share one, by a table (mount --all skips a line
 *  whose source is mounted at its target). */
export const CONTAINMENT_INIT = `
set -e
own=$PATH
PATH=$1
shift
fail() {
  echo "fleet: the sandbox was not made: $1" >&2
  exit 1
}
# Goes to a directory of the second tree, so that it can be mounted on as ".". A link that an agent has put on the way
# must not lead the mount elsewhere.
onto() {
  cd -P "$root$1"
  [ "$PWD" = "$root$1" ] || fail "$1 is not where it was"
}
# The same for a file, after it was mounted on.
is_at() { [ ! -L "$root$2" ] && [ "$1" -ef "$root$2" ] || fail "$2 is not where it was"; }
# Writes a line for each mount of the second tree that is still to be made read-only. Paths stay escaped, as the kernel
# writes them and tables have them.
writable() {
  while read -r _ _ _ _ point options rest; do
    path=$point
    case $path in *\\\\*) path=$(printf %b. "$path"); path=\${path%.} ;; esac
    rest=\${rest#*- }
    type=\${rest%% *}
    case $path in
      "$root"/dev | "$root"/dev/* | "$root"/run | "$root"/run/*) continue ;;
      "$root"/proc | "$root"/proc/* | "$root"/sys | "$root"/sys/*) [ $type = cgroup2 ] || continue ;;
      "$root") seen=$point ;;
      "$root"/*) ;;
      *) continue ;;
    esac
    case $type in ${NOT_REMOUNTED}) continue ;; esac
    case ,$options, in *,ro,*) continue ;; esac
    [ -e "$path" ] || continue
    flags=remount,bind,ro
    for flag in nosuid nodev noexec noatime nodiratime relatime; do
      case ,$options, in *,$flag,*) flags=$flags,$flag ;; esac
    done
    printf '%s\\n' "none $point none $flags"
  done < /proc/self/mountinfo
}
while [ "$1" != -- ]; do
  case $1 in
    limit) echo 0 > "$2"; shift 2 ;;
    no-groups) echo 0 > /proc/sys/user/max_cgroup_namespaces; shift ;;
    world)
      cd -P "$3"
      scratch=$PWD
      cd -P "$2"
      root=$PWD
      seen=
      mount --rbind --make-unbindable / "$root"
      mount -t tmpfs -o size=1m,nr_inodes=4k,mode=755 fleet "$scratch"
      writable > "$scratch/table"
      [ "$seen" ] || fail "$root is not mounted"
      mount --all --fstab "$scratch/table" 2> /dev/null || :
      writable > "$scratch/table"
      while read -r _ point _ flags; do
        path=$(printf %b. "$point")
        path=\${path%.}
        problem=$(mount -o "$flags" "$path" 2>&1) || if mountpoint -q "$path"; then fail "$problem"; fi
      done < "$scratch/table"
      shift 3 ;;
    directories)
      count=$2
      words=
      while [ "$count" -gt 0 ]; do
        words="$words \\"\\$scratch/\\\${$((count + 2))}\\""
        count=$((count - 1))
      done
      eval "mkdir -p $words"
      shift $(($2 + 2)) ;;
    file) : > "$scratch/$2"; shift 2 ;;
    made) mount -o bind,ro "$scratch/hidden" "$scratch/hidden"; shift ;;
    replace) onto "$3"; mount -c --bind "$2" .; shift 3 ;;
    hide) onto "$3"; mount -c --bind "$scratch/hidden/$2" .; shift 3 ;;
    hide-file) mount --bind /dev/null "$root$2"; is_at /dev/null "$2"; shift 2 ;;
    show) onto "$3"; mount -c --rbind "$2" .; shift 3 ;;
    show-file) mount --bind "$2" "$root$3"; is_at "$2" "$3"; shift 3 ;;
    read) onto "$3"; mount -c --bind "$2" .; mount -o remount,bind,ro "$root$3"; shift 3 ;;
    read-file)
      mount -o bind,ro "$2" "$root$3" 2> /dev/null || mount -o remount,bind,ro "$root$3"
      is_at "$2" "$3"
      shift 3 ;;
    pin) onto "$2"; mount -c --bind . .; shift 2 ;;
    devices)
      cd "$scratch/dev"
      for name in null zero full random urandom tty; do
        : > $name
        echo "/dev/$name $name none bind"
      done > ../table
      echo 'fleet pts devpts newinstance,ptmxmode=0666,mode=0620' >> ../table
      echo 'fleet shm tmpfs mode=1777' >> ../table
      mount --all --fstab ../table
      ln -s pts/ptmx /proc/self/fd .
      ln -s /proc/self/fd/0 stdin
      ln -s /proc/self/fd/1 stdout
      ln -s /proc/self/fd/2 stderr
      mount -o rbind,ro . "$root/dev"
      shift ;;
    freeze)
      for path in $2; do printf '%s\\n' "$path $seen$path none bind,ro"; done > "$scratch/table"
      mount --all --fstab "$scratch/table"
      # Inside another container a line may be skipped.
      for path in $2; do [ ! -w "$root$path" ] || mount -o bind,ro "$path" "$root$path"; done
      shift 2 ;;
    enter)
      cd "$root"
      mount --make-private .
      pivot_root . .
      umount -l .
      shift ;;
  esac
done
cd "$2"
shift 2
PATH=$own
"$@"
exit $?
`;
