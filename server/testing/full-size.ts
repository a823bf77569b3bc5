/** The commands that run tests at full size: crashes, random input, volume. */
export type FullSizeCommand = "chaos" | "fuzz" | "soak";

/**
 * How much of a repetitive test is run: a share of it in `npm test`, and all of it in the named command, which finds
 * the test by this call.
 */
export const sizeFor = <Size>(
  _command: FullSizeCommand,
  { share, full }: { share: Size; full: Size },
): Size => (process.env[TEST_SIZE] === FULL ? full : share);

export const TEST_SIZE = "SCRIP_TEST_SIZE";
export const FULL = "full";
