/**
 * The newest minor of each major version that is known at the release of this code. PostgreSQL releases minors every three
 * months, and sooner for a grave fault; look again before a release. The numbers are those of the distributions' security
 * packages on that day: Debian 12 (15), Debian 13 (17), Debian unstable (18) and Ubuntu 24.04 (16).
 */
const KNOWN_ON = "2026-11-19";
const NEWEST_MINORS: Readonly<Record<number, number>> = { 15: 20, 16: 15, 17: 12, 18: 6 };

/** What an operator does about a server that lacks fixes, or undefined. `number` is `server_version_num`, such as 170012. */
export function findOutdated(number: number): string | undefined {
  const [major, minor] = [Math.floor(number / 10_000), number % 10_000];
  const newest = NEWEST_MINORS[major];
  if (newest === undefined || minor >= newest) return undefined;
  return (
    `PostgreSQL ${major}.${minor} lacks the fixes of ${major}.${newest}, the newest on ${KNOWN_ON}: update the server, whose data ` +
    "stays as it is; the embedded server is a trial server, so replace it with your own in DATABASE_URL"
  );
}
