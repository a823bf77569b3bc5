import pg from "pg";

/** A statement that is prepared under its name. Its values are sent as they are. */
export type NamedStatement = { name: string; text: string; values: string[] };

export type Answer = { command: string; rows: unknown[] };

/** What the driver has and its types do not show. */
type Wire = {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  query(text: string): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { portal: string; statement: string; values: readonly string[] }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
};
type Send = (connection: Wire) => void;

/** Runs `opening`, such as `begin`, and a statement in one round trip. If `opening` fails, the server skips the statement. */
export async function runAfter(
  client: pg.ClientBase,
  opening: string,
  statement: NamedStatement,
): Promise<unknown[]> {
  const answers = await submit(client, statement, (connection) => {
    // The named statement is parsed first: the driver takes the first answer to a parse for its own.
    parseOnce(connection, statement);
    connection.parse({ name: "", text: opening });
    connection.bind({ portal: "", statement: "", values: [] });
    connection.execute({ portal: "" });
    execute(connection, statement);
  });
  return answers.at(-1)?.rows ?? [];
}

/**
 * Runs a statement and `closing`, such as `commit`, in one round trip. They are two messages of their own: between them the server
 * counts the transaction as idle, so that it ends one whose second message never arrives. A `commit` after a statement that
 * failed rolls back.
 */
export async function runBefore(
  client: pg.ClientBase,
  statement: NamedStatement,
  closing: string,
): Promise<Answer | undefined> {
  const first = submit(client, statement, (connection) => {
    parseOnce(connection, statement);
    execute(connection, statement);
    connection.query(closing);
  });
  // Its message is on the way already. This query only waits for the answer.
  const second = submit(client, { name: "", text: closing }, () => {});
  const [one, other] = await Promise.allSettled([first, second]);
  if (one.status === "rejected") throw one.reason;
  if (other.status === "rejected") throw other.reason;
  return other.value.at(-1);
}

/** The driver asks the query itself what to send, and collects the answers to all statements until the server is ready again. */
function submit(
  client: pg.ClientBase,
  { name, text }: Pick<NamedStatement, "name" | "text">,
  send: Send,
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text);
    Object.assign(query, {
      name,
      queryMode: "extended",
      prepare: send,
      callback: (error: Error | null, answers: Answer | Answer[]) =>
        error ? reject(error) : resolve([answers].flat()),
    });
    client.query(query);
  });
}

function parseOnce(connection: Wire, { name, text }: NamedStatement): void {
  const { parsedStatements, submittedNamedStatements } = connection;
  if (parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined) return;
  connection.parse({ name, text });
  submittedNamedStatements[name] = text;
}

function execute(connection: Wire, { name, values }: NamedStatement): void {
  connection.bind({ portal: "", statement: name, values });
  connection.describe({ type: "P", name: "" });
  connection.execute({ portal: "" });
  connection.sync();
}
