/** Settings of gateways in tests that are not about limits: nobody is ever turned away or sent to a line. */
export const unlimited = {
  RATE_PER_SECOND: '1000000',
  RATE_BURST: '1000000',
  USER_RATE_PER_SECOND: '1000000',
  USER_RATE_BURST: '1000000',
  CALLER_RATE_PER_SECOND: '1000000',
  CALLER_RATE_BURST: '1000000',
} as const;
