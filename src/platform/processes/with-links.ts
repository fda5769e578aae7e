/** A file that a program finds at a place of its own: a link to another one, or a line of text. What is there already
 *  stays. */
export type Link = { readonly at: string } & ({ readonly to: string } | { readonly line: string });

/** As the program itself, with its powers: the places are in directories that it can write to, and may lead anywhere. */
const MAKE_LINKS = `
while [ "$1" != -- ]; do
  [ -e "$2" ] || {
    mkdir -p "\${2%/*}"
    case $1 in
      link) ln -s "$3" "$2" ;;
      line) printf '%s\\n' "$3" > "$2" ;;
    esac
  } 2> /dev/null
  shift 3
done
shift
exec "$@"
`;

/** The command line that makes the links, and is replaced by the program. */
export function withLinks(
  name: string,
  links: readonly Link[],
  command: readonly string[],
): readonly string[] {
  if (links.length === 0) return command;
  const words = links.flatMap((link) =>
    'to' in link ? ['link', link.at, link.to] : ['line', link.at, link.line],
  );
  return ['/bin/sh', '-c', MAKE_LINKS, name, ...words, '--', ...command];
}
