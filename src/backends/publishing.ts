import type { AgentRecord } from './backend.ts';

/** The remote of a project's repository that branches are pushed to. */
export interface ProjectRemote {
  readonly name: string;
  /** Without user and password; undefined for one that is on no other host. */
  readonly address: string | undefined;
}

/** What git presents to a host that asks who it is. */
export interface PushLogin {
  /** Scheme, host and port: it is for no other. */
  readonly origin: string;
  readonly username: string;
  readonly password: string;
}

export interface PushRequest {
  readonly remote: ProjectRemote;
  /** Undefined: what the user's own git has for the remote. */
  readonly login: PushLogin | undefined;
  /** True: changed workflows of continuous integration are pushed too. */
  readonly allow_workflows: boolean;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

/** Work of an agent that can be pushed. Nothing was changed at the remote yet. */
export interface ReadyPush {
  readonly branch: string;
  /** The branch of the remote that the work is for. */
  readonly base: string;
  /** The first line of the newest commit's message. */
  readonly subject: string;
  /** Sentences about what is not pushed. */
  readonly notes: readonly string[];
  /** False when the remote has the newest commit already. */
  push(): Promise<boolean>;
}

/** The way from an agent's branch to the remote of its project, where the project's repository is on this machine. */
export interface Publishing {
  remote(agent: AgentRecord): Promise<ProjectRemote>;
  /** Takes over the newest commits and checks them. */
  prepare(agent: AgentRecord, request: PushRequest): Promise<ReadyPush>;
}
