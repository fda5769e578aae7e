/** What developers do with a tool, as a line for the shell. */
export interface Build {
  readonly what: string;
  /** Programs that must run, and how that is seen. */
  readonly needs: readonly { readonly program: string; readonly args: readonly string[] }[];
  readonly script: string;
  /** The same in another workspace, without the network. */
  readonly offline?: string;
  /** How a line ends that both print. */
  readonly prints: string;
  /** The directory of the caches that holds what was fetched; undefined where that is up to the registry. */
  readonly cache?: string;
}

const version = (program: string) => ({ program, args: ['--version'] });

const PACKAGE = `echo '{"name": "made", "version": "1.0.0"}' > package.json`;
// Its install script runs a program of its own.
const NPM = 'esbuild@0.25.12';
const BUILT = `echo 'console.log("built by " + "esbuild")' > in.js && npx --no esbuild in.js --outfile=out.js --log-level=error && node out.js`;

const CRATE = `cargo init --quiet --name made --vcs none .
echo 'fn main() { println!("{}", itoa::Buffer::new().format(128u64)); }' > src/main.rs`;

const MODULE = `cat > made_test.go <<'END'
package made

import (
	"testing"

	"github.com/google/uuid"
)

func TestMade(t *testing.T) {
	t.Log("made", len(uuid.NewString()))
}
END
go mod init example.com/made 2> /dev/null`;
const TESTED = `go test -count=1 -vet=off -v ./... | sed -n 's/.*\\(made 36\\)$/\\1/p'`;

const POM = `mkdir -p src/main/java && echo 'public class Made { public static void main(String[] a) { System.out.println("made by maven"); } }' > src/main/java/Made.java
cat > pom.xml <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>made</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
</project>
END`;

export const BUILDS: readonly Build[] = [
  {
    what: 'npm ci',
    needs: [version('npm')],
    script: `${PACKAGE}
npm install --package-lock-only --no-audit --no-fund ${NPM}
npm ci --no-audit --no-fund
${BUILT}`,
    offline: `${PACKAGE}
npm install --offline --no-audit --no-fund ${NPM}
${BUILT}`,
    prints: 'built by esbuild',
    cache: 'npm',
  },
  {
    what: 'pip install in a virtual environment',
    needs: [{ program: 'python3', args: ['-c', 'import ensurepip, venv'] }],
    script: `python3 -m venv own
case $(own/bin/pip cache dir) in "$PIP_CACHE_DIR") ;; *) exit 1 ;; esac
own/bin/pip install --quiet pyfiglet==1.0.2
own/bin/python -c 'import pyfiglet; print("pyfiglet", pyfiglet.__version__)'`,
    prints: 'pyfiglet 1.0.2',
  },
  {
    what: 'pip install --user',
    needs: [{ program: 'python3', args: ['-m', 'pip', '--version'] }],
    script: `python3 -m pip install --quiet --user --break-system-packages pyfiglet==1.0.2
pyfiglet --version > /dev/null
python3 -c 'import pyfiglet; print("pyfiglet", pyfiglet.__version__)'`,
    offline: `python3 -c 'import pyfiglet; print("pyfiglet", pyfiglet.__version__)'`,
    prints: 'pyfiglet 1.0.2',
    cache: 'python',
  },
  {
    what: 'cargo build',
    needs: [version('cargo')],
    script: `${CRATE}
cargo add --quiet itoa@1
cargo build --quiet
./target/debug/made`,
    offline: `${CRATE}
cargo add --quiet --offline itoa@1
cargo build --quiet --offline
./target/debug/made`,
    prints: '128',
    cache: 'cargo',
  },
  {
    what: 'go test',
    needs: [{ program: 'go', args: ['version'] }],
    script: `${MODULE}
go get github.com/google/uuid@v1.6.0
${TESTED}`,
    offline: `${MODULE}
export GOPROXY=off GOSUMDB=off
go get github.com/google/uuid@v1.6.0
${TESTED}`,
    prints: 'made 36',
    cache: 'go',
  },
  {
    what: 'a Maven build',
    needs: [version('mvn'), version('javac')],
    script: `${POM}
mvn --quiet --batch-mode package
java -cp target/made-1.jar Made`,
    offline: `${POM}
mvn --offline --quiet --batch-mode package
java -cp target/made-1.jar Made`,
    prints: 'made by maven',
    cache: 'maven',
  },
];
