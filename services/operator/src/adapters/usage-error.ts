/** The command cannot be run as it was given; nothing was asked of the gateway. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** `problems`: everything that is wrong, one line each. `advice`: what to read; absent: the help of the command. */
  constructor(
    readonly problems: readonly string[],
    readonly advice?: string,
  ) {
    super(problems.join('\n'));
  }
}
