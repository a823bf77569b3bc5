/**
 * Milliseconds on a clock that all processes of this machine share, and that no one can set: the operating system counts them
 * from its start.
 */
export const machineTimeMs = (): number => Number(process.hrtime.bigint()) / 1e6;
