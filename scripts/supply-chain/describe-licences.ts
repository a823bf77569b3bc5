import type { LockedPackage } from "./list-packages.ts";

/** Licences that ask for nothing but a notice. */
const PERMISSIVE = [
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "Unlicense",
  "Zlib",
  "CC0-1.0",
];
/** Tools that are run and never passed on may have these too. */
const FOR_TOOLS = ["MPL-2.0"];

/** Whether the licence, or one that it offers, is allowed. `A AND B` needs both. */
export function isAllowed({ licence, isForDevelopment }: LockedPackage): boolean {
  const allowed = isForDevelopment ? [...PERMISSIVE, ...FOR_TOOLS] : PERMISSIVE;
  const bare = licence.replace(/^\((.*)\)$/, "$1");
  return bare
    .split(" OR ")
    .some((offered) => offered.split(" AND ").every((one) => allowed.includes(one.trim())));
}

/** docs/licences.md. */
export function describeLicences(packages: readonly LockedPackage[]): string {
  const shipped = packages.filter(({ isForDevelopment }) => !isForDevelopment);
  const tools = packages.filter(({ isForDevelopment }) => isForDevelopment);
  const counts = [...Map.groupBy(tools, ({ licence }) => licence)].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    "# Licences",
    "",
    "The packages of other authors, from `package-lock.json`. `WRITE_DOCS=1 npm test -- scripts/supply-chain` writes this page, and",
    "`npm test` fails while it differs or when a licence is not on the list of allowed ones in",
    "`scripts/supply-chain/describe-licences.ts`.",
    "",
    "## In what is served",
    "",
    `${shipped.length} packages. Some are for one platform only.`,
    "",
    "| package | version | licence |",
    "|---|---|---|",
    ...shipped.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`),
    "",
    "## For development only",
    "",
    `${tools.length} packages, which are not in the image and not in the SDK.`,
    "",
    "| licence | packages |",
    "|---|--:|",
    ...counts.map(([licence, those]) => `| ${licence} | ${those.length} |`),
    "",
  ].join("\n");
}
