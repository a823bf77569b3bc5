/** Who may open a page or send a form: `public` without a session, `all` with any, else the roles. */
type Row = { roles: "public" | "all" | readonly string[] };

/** A page of docs/ that says what each role can open on a face, made from its authorization matrix. */
export const faceMatrixPage = (
  { title, test, roles }: { title: string; test: string; roles: readonly string[] },
  matrix: Readonly<Record<string, Row>>,
): string => `# ${title}

Written by \`${test}\`.
It tries every page and form with every role, without a session, with a session that has ended, and with a session of the
other face. It fails for a page that is not in this table, or that answers otherwise.

Without a session a page leads to the sign-in, and a form is refused with 401. A role that is not allowed gets 403. A form from another
site, or without the token of its session, gets 403.

| page or form | ${roles.join(" | ")} |
|---|${roles.map(() => ":-:").join("|")}|
${Object.entries(matrix)
  .map(([key, row]) => `| \`${key}\` | ${cells(row, roles)} |`)
  .join("\n")}
`;

const cells = ({ roles: allowed }: Row, roles: readonly string[]): string =>
  allowed === "public"
    ? roles.map(() => "anyone").join(" | ")
    : roles.map((role) => (allowed === "all" || allowed.includes(role) ? "yes" : "–")).join(" | ");
