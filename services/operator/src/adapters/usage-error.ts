/** The command cannot be run as it was given; nothing was asked of the gateway. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** Everything that is wrong, one line each. */
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}
