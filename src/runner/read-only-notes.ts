import { dirname } from 'node:path';
import type { Launch } from '../domain/launch.ts';
import { quote } from '../domain/values/errors.ts';
import { refusedPath } from '../domain/values/refused-path.ts';
import type { Cell } from '../platform/processes/cell.ts';
import { endsWhole } from '../platform/processes/containment.ts';
import { isWithin } from '../platform/processes/world.ts';
import { mayPass } from './journal/append-with-retry.ts';
import type { Journal } from './journal/journal.ts';
import type { ProjectRepository, Workspace } from './workspace.ts';

const LIMIT = 20;
/** What no role can open. */
const NEVER = ['/proc', '/sys', '/dev', '/run'];

/** Says, once for each directory, which line of the role would let an agent write where it was refused, or that none does.
 *  The journal has what was said since the runner was started. */
export class ReadOnlyNotes {
  readonly #notes = new Map<string, string>();
  readonly #journal: Journal;
  readonly #role: string;
  readonly #userHome: string;
  readonly #project: ProjectRepository | undefined;
  readonly #sandboxed: boolean;

  constructor({
    journal,
    launch,
    workspace,
    cell,
  }: {
    readonly journal: Journal;
    readonly launch: Launch;
    readonly workspace: Pick<Workspace, 'project'>;
    readonly cell: Cell | null;
  }) {
    this.#journal = journal;
    this.#role = launch.role;
    this.#project = workspace.project;
    this.#userHome = launch.env['HOME'] ?? '/';
    this.#sandboxed = endsWhole(cell) && cell?.world !== null;
    // The role may allow now what it did not when the runner before was refused.
    if (journal.refusedWrites().length > 0) this.#keep();
  }

  /** A sentence about what a program printed; undefined when there is nothing to say. */
  of(text: string): string | undefined {
    const path = this.#sandboxed ? refusedPath(text) : undefined;
    if (path === undefined || NEVER.some((each) => isWithin(each, path))) return undefined;
    const { about, advice } = this.#advice(path);
    if (this.#notes.has(about) || this.#notes.size >= LIMIT) return undefined;
    const note = `${quote(path)} is read-only for this agent. ${advice}`;
    this.#notes.set(about, note);
    this.#keep();
    return note;
  }

  /** What to do, and the path that it is about. */
  #advice(path: string): { readonly about: string; readonly advice: string } {
    const { git_directories = [], branch } = this.#project ?? {};
    const about = git_directories.find((directory) => isWithin(directory, path));
    if (about !== undefined) {
      const advice =
        "Agents never write to the project's repository: commit in the workspace, and the work arrives there as " +
        `the branch ${quote(branch ?? '')} after each task.`;
      return { about, advice };
    }
    const parent = dirname(path);
    const wanted = isWithin(parent, this.#userHome) ? path : parent;
    const line = `write: [${JSON.stringify(wanted)}]`;
    return {
      about: wanted,
      advice: `To allow it, add to the role ${quote(this.#role)} in fleet.yaml: ${line}, then restart the agent.`,
    };
  }

  /** The log has it too: a full disk is not a reason to end a task. */
  #keep(): void {
    try {
      this.#journal.setRefusedWrites([...this.#notes.values()]);
    } catch (thrown) {
      if (!mayPass(thrown)) throw thrown;
    }
  }
}
