/** The error code of the operating system or PostgreSQL, such as ENOENT or 28P01. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** An error's message, to append to another one. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
