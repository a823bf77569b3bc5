/** The commands that run tests at their full size: what crashes, what is random input, what is plain volume. */
export type FullSizeCommand = "chaos" | "fuzz" | "soak";

/**
 * How much of a test that only gains by repetition is run: a share of it in `npm test`, and all of it in the command that is
 * named here, which finds the test by this call.
 */
export const sizeFor = <Size>(
  _command: FullSizeCommand,
  { share, full }: { share: Size; full: Size },
): Size => (process.env[TEST_SIZE] === FULL ? full : share);

export const TEST_SIZE = "SCRIP_TEST_SIZE";
export const FULL = "full";
