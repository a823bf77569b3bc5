/** The short name that the operating system or PostgreSQL gives to an error, such as ENOENT or 28P01. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** What an error says, for a line that has its own beginning. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
