/** The commands that run tests at full size: crashes, random input, volume. */
export type FullSizeCommand = "chaos" | "fuzz" | "soak";

/**
 * How much of a repetitive test is run: a share of it in `npm test`, more of it in `npm test -- --wide`, which is what CI runs,
 * and all of it in the named command, which finds the test by this call.
 */
export const sizeFor = <Size>(
  _command: FullSizeCommand,
  { share, wide = share, full }: { share: Size; wide?: Size; full: Size },
): Size => {
  const size = process.env[TEST_SIZE];
  if (size === FULL) return full;
  return size === WIDE ? wide : share;
};

/** Whether this is what CI runs, or more. */
export const isWide = (): boolean => [WIDE, FULL].includes(process.env[TEST_SIZE] ?? "");

export const TEST_SIZE = "SCRIP_TEST_SIZE";
export const FULL = "full";
export const WIDE = "wide";
