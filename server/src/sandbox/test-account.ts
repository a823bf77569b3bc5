/** What the sandbox says about an account, by the end of the first value that is not chosen from a list. */
export function testAccount(value: string): {
  result: "valid" | "invalid" | "unknown";
  displayName?: string;
} {
  if (value.endsWith(TEST_ACCOUNT_INVALID)) return { result: "invalid" };
  if (value.endsWith(TEST_ACCOUNT_UNKNOWN)) return { result: "unknown" };
  return { result: "valid", displayName: TEST_ACCOUNT_NAME };
}

/** Values with these endings pass most patterns, also of numbers. */
export const TEST_ACCOUNT_INVALID = "404";
export const TEST_ACCOUNT_UNKNOWN = "503";
export const TEST_ACCOUNT_NAME = "TEST Player";
