import pino, { type DestinationStream, type Logger } from "pino";

export type Log = Logger;

/**
 * Logs one JSON object per line, each with the members of `base`. Only the error fields listed here are written, because a driver's `detail` can
 * quote values.
 */
export function createLog(
  level: string,
  destination: DestinationStream,
  base: Readonly<Record<string, string>> | null = null,
): Log {
  return pino(
    {
      level,
      base,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  );
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = "code" in error ? error.code : undefined;
  const constraint = "constraint" in error ? error.constraint : undefined;
  return {
    name,
    message,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(constraint === undefined ? {} : { constraint }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
