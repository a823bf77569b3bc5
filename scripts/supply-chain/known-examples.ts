/** Folders of certificates that tests use on this machine, and that no one else trusts. */
export const TEST_CERTIFICATES = ["server/testing/receivers/fixtures/"];

/** Texts that look like secrets and are none. Each is here with its reason; anything else fails the test. */
export const KNOWN_EXAMPLES: ReadonlySet<string> = new Set([
  // The secret in the documentation of webhooks.
  "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH3Hv5iTk9h2A=",
  // The public key in the documentation of sealed codes.
  "OUjP4K0d22ldeA5ZB3GV2mxWUGsCcyl5SrAryoCBXE0",
  // A key with a valid checksum that the gallery of the web kit shows. No server knows it.
  "sc_test_e8ELRIvpK0cOYnprbHzLZnzjXtIaLmuo4VumOk",
  // A key without a valid checksum, and a sealed code with its encapsulated key, for tests of the SDK.
  "sc_live_0123456789abcdefghijklmnopqrstuvABCDEF",
  "QQ0egepBkgcj7f0_aJuaNw8aWCoMKQPGeoZkTf91fEA",
  "h0uj8D92xnYEHaZ-ALYEPW_0BrHv7JGsOJGRSXLMDIRXv_ARAteePzO-jzOdprr-7A",
  // "this is the secret of these tests", in base64.
  "whsec_dGhpcyBpcyB0aGUgc2VjcmV0IG9mIHRoZXNlIHRlc3Rz",
  // Passwords that tests look for in logs and messages.
  "postgres://scrip:very-secret@",
  "https://u:hunter2@",
  // Alphabets.
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
]);
