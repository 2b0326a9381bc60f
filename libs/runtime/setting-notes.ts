/** What whoever sets a variable has to know of it. docs/settings.md is made of these. */
export interface SettingNote {
  /** What a number counts: `ms`, `claims`, `connections of a process`. */
  readonly unit?: string;
  /** Shown in place of a default that each process computes for itself. */
  readonly default?: string;
  /** What it is for, and of a figure: why this one. */
  readonly why: string;
  /** What goes wrong when it is smaller. Of a figure these two are required. */
  readonly smaller?: string;
  /** What goes wrong when it is larger. */
  readonly larger?: string;
}

/** The notes on the variables of a service, by their names. */
export type SettingNotes = Readonly<Record<string, SettingNote>>;
