/** Where workspaces come from: a configured repository, or a Coder template. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly template_id: string;
  readonly template_name: string;
  readonly backend: string;
  /** What else it is found by. */
  readonly aliases?: readonly string[];
}

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly project_id: string;
  readonly default: boolean;
}
