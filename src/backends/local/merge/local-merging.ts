import { FleetError } from '../../../domain/values/errors.ts';
import { forecastKey, type Forecast } from '../../../domain/merge/forecast.ts';
import { isOver, wasInterrupted, type Landing, type LandUndone } from '../../../domain/merge/landing.ts';
import { isSameLanding } from '../../../domain/merge/is-same-landing.ts';
import { identify, isLiveProcess } from '../../../platform/processes/process-identity.ts';
import { ForecastStore, type StoredForecast } from '../../../store/forecast-store.ts';
import { LandingStore, newLanding } from '../../../store/landing-store.ts';
import { MergeResults } from '../../../store/merge-results.ts';
import type { AgentRecord } from '../../backend.ts';
import type { ForecastRequest, LandRequest, Merging } from '../../merging.ts';
import { followLanding } from '../background/follow-landing.ts';
import { startDetached } from '../background/start-detached.ts';
import { waitInStore, type Waiting } from '../background/wait-in-store.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { countAgain } from '../background/count-again.ts';
import { branchGroups, type BranchGroup } from './branches.ts';
import { checkGit } from './check-git.ts';
import { findConflicts } from './find-conflicts.ts';
import { finishDeadLandings } from './finish-landings.ts';
import { landAll, type StateOf } from './land-all.ts';
import { mergeInOrder } from './merge-in-order.ts';
import type { ForecastJob } from './run-forecast-checks.ts';
import { undoLanding } from './undo-landing.ts';

export interface LocalMergingParts {
  readonly stateOf: StateOf;
  /** Undefined for a project without checks. */
  projectChecks(project: string): Promise<ForecastJob['checks'] | undefined>;
}

/** The key of a forecast that no request matches. */
const INTERRUPTED = '';

/** Landing, conflicts and forecasts of the projects on this machine. What runs checks does so in a process of its own, which
 *  goes on when its caller is gone. */
export class LocalMerging implements Merging {
  readonly #context: LocalContext;
  readonly #landings: LandingStore;
  readonly #results: MergeResults;
  readonly #forecasts: ForecastStore;
  readonly #parts: LocalMergingParts;

  constructor(context: LocalContext, parts: LocalMergingParts) {
    this.#context = context;
    this.#landings = new LandingStore(context.store);
    this.#results = new MergeResults(context.store);
    this.#forecasts = new ForecastStore(context.store);
    this.#parts = parts;
  }

  async land(requests: readonly LandRequest[], waiting: Waiting): Promise<readonly Landing[]> {
    const ids: string[] = [];
    const begun: LandRequest[] = [];
    for (const request of requests) {
      const known = this.#known(request);
      ids.push(known ?? request.land_id);
      if (known === undefined && (await this.#insert(request))) begun.push(request);
    }
    const own = begun.map(({ land_id }) => land_id);
    if (begun.every((request) => request.options.skip_checks || !this.#hasChecks(request.agent)))
      await landAll(this.#context, own, { ...waiting, stateOf: this.#parts.stateOf });
    else {
      const worker = startDetached(this.#context.home, ['land', ...own]);
      for (const id of own) this.#landings.handOver(id, identify(process.pid), worker);
    }
    return this.landed(ids, waiting);
  }

  async landed(ids: readonly string[], waiting: Waiting): Promise<readonly Landing[]> {
    const isDone = async (): Promise<boolean> => {
      await finishDeadLandings(this.#context.home, this.#landings);
      for (const id of ids) await followLanding(this.#context, id);
      return ids.every((id) => isOver(this.#found(id)));
    };
    await waitInStore(this.#context.store, waiting, {
      isDone,
      said: () => ids.map((id) => this.#found(id)).findLast(({ message }) => message !== '')?.message,
    });
    return ids.map((id) => this.#found(id));
  }

  landing(land_id: string): Landing | undefined {
    return this.#landings.find(land_id);
  }

  async undo(land_id: string, { signal }: Waiting): Promise<LandUndone> {
    const undone = await undoLanding(land_id, { home: this.#context.home, landings: this.#landings, signal });
    await countAgain(this.#context, this.landing(land_id)?.workspace_id);
    return undone;
  }

  async conflicts(agents: readonly AgentRecord[]) {
    await checkGit();
    const groups = await this.#groups(agents);
    const found = await Promise.all(
      groups.map(async ({ left_out, ...group }) => {
        try {
          return { conflicts: await findConflicts({ ...group, left_out }, this.#results), left_out };
        } catch (thrown) {
          // One repository that cannot be read hides nothing of the others.
          if (!(thrown instanceof FleetError)) throw thrown;
          return { conflicts: [], left_out: [...left_out, ...group.branches.map(({ name }) => name)] };
        }
      }),
    );
    return {
      conflicts: found.flatMap(({ conflicts }) => conflicts),
      left_out: found.flatMap(({ left_out }) => left_out),
    };
  }

  async forecast(request: ForecastRequest, waiting: Waiting): Promise<Forecast> {
    const { project, agents, skip_checks, left_out: unasked = [] } = request;
    await checkGit();
    const groups = await this.#groups(agents);
    const group = groups.toSorted((one, other) => other.branches.length - one.branches.length)[0];
    const others = groups.filter((each) => each !== group).flatMap(({ branches }) => branches);
    const checks = skip_checks ? undefined : await this.#parts.projectChecks(project);
    const key = forecastKey(group?.base.commit ?? null, group?.branches ?? [], checks?.all ?? []);
    if (this.#stored(project)?.key === key) return this.#awaited(project, key, waiting);
    const order = group === undefined || group.branches.length === 0 ? undefined : await mergeInOrder(group);
    const forecast: Forecast = {
      project,
      state: checks === undefined || checks.all.length === 0 ? 'done' : 'running',
      order: order?.order ?? [],
      merged: order?.merged ?? [],
      conflicts: order?.conflicts ?? [],
      checks: (checks?.all ?? []).map(({ name }) => ({ name, state: 'not_run', broken_by: null })),
      left_out: [
        ...groups.flatMap(({ left_out }) => left_out),
        ...(order?.nothing ?? []),
        ...others.map(({ name }) => name),
        ...unasked,
      ],
      as_of: new Date(this.#context.clock.now().at).toISOString(),
    };
    if (forecast.state === 'done' || group === undefined || order === undefined || checks === undefined) {
      const done = { ...forecast, state: 'done' as const };
      this.#forecasts.put(project, { key, forecast: done, process: null, job: null });
      return done;
    }
    const job: ForecastJob = {
      checks,
      commits: order.commits,
      ...(await this.#checkPlace(project, agents, group)),
    };
    const me = identify(process.pid) ?? null;
    this.#forecasts.put(project, { key, forecast, process: me, job });
    this.#forecasts.handOver(project, me, startDetached(this.#context.home, ['forecast', project]));
    return this.#awaited(project, key, waiting);
  }

  lastForecast(project: string): Forecast | undefined {
    return this.#stored(project)?.forecast;
  }

  /** A forecast whose process died is done without its checks, and the next request makes it again. */
  #stored(project: string): StoredForecast | undefined {
    const stored = this.#forecasts.get(project);
    if (stored?.forecast.state !== 'running' || isLiveProcess(stored.process)) return stored;
    const forecast: Forecast = { ...stored.forecast, state: 'done' };
    const ended = { key: INTERRUPTED, forecast, process: null, job: null };
    this.#forecasts.put(project, ended);
    return ended;
  }

  async #awaited(project: string, key: string, waiting: Waiting): Promise<Forecast> {
    const isDone = async (): Promise<boolean> => {
      const now = this.#stored(project);
      return now?.key !== key || now.forecast.state === 'done';
    };
    await waitInStore(this.#context.store, waiting, {
      isDone,
      said: () => 'running the checks on the merged tree',
    });
    const forecast = this.#stored(project)?.forecast;
    if (forecast === undefined) throw new FleetError('INTERNAL_ERROR', 'The forecast is gone.');
    return forecast;
  }

  async #checkPlace(project: string, agents: readonly AgentRecord[], group: BranchGroup) {
    const [first] = agents.filter(({ workspace_id }) =>
      group.branches.some((branch) => branch.workspace_id === workspace_id),
    );
    if (first === undefined)
      throw new FleetError('INTERNAL_ERROR', 'A forecast without agents has no checks.');
    const { plan, launch } = this.#origin(first);
    return { project, plan, clone: await clonePlanOf(plan, launch.name) };
  }

  async #groups(agents: readonly AgentRecord[]): Promise<readonly BranchGroup[]> {
    return branchGroups(
      this.#context.home,
      agents.flatMap((agent) => {
        const origin = this.#context.rows.origin(agent.workspace_id);
        // One that was deleted since it was listed is left out.
        return origin === undefined ? [] : [{ agent, origin }];
      }),
    );
  }

  /** The landing that a request is for, when there is one: the request is repeated, or the same is being done. */
  #known(request: LandRequest): string | undefined {
    const { land_id, agent } = request;
    const same = this.#landings.find(land_id);
    if (same !== undefined) return wasInterrupted(same) ? undefined : land_id;
    return this.#landings
      .of(agent.workspace_id, 'running')
      .find((landing) => isLiveProcess(landing.process) && isSameLanding(landing, request))?.land_id;
  }

  async #insert({ land_id, agent, options, by, follow_up }: LandRequest): Promise<boolean> {
    const { plan, launch } = this.#origin(agent);
    const { lender } = await clonePlanOf(plan, launch.name);
    return this.#landings.insert(
      newLanding({
        land_id,
        workspace_id: agent.workspace_id,
        agent_name: agent.name,
        project: agent.project,
        options,
        by,
        follow_up,
        created_at: new Date(this.#context.clock.now().at).toISOString(),
        lender,
        process: identify(process.pid) ?? null,
      }),
    );
  }

  #hasChecks(agent: AgentRecord): boolean {
    return (this.#origin(agent).launch.checks?.all ?? []).length > 0;
  }

  #found(land_id: string): Landing {
    const landing = this.#landings.find(land_id);
    if (landing === undefined) throw new FleetError('NOT_FOUND', `There is no landing "${land_id}".`);
    return landing;
  }

  #origin(agent: AgentRecord): Origin {
    const origin = this.#context.rows.origin(agent.workspace_id);
    if (origin === undefined)
      throw new FleetError('NOT_FOUND', `The agent "${agent.name}" no longer exists.`, {
        field: 'agent_name',
      });
    return origin;
  }
}
