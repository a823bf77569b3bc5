import pg from "pg";

/** A statement that is prepared under its name. Its values are sent as they are. */
export type NamedStatement = { name: string; text: string; values: (string | Buffer)[] };

export type Answer = { command: string; rows: unknown[]; rowCount: number | null };

/** What the driver has and its types do not show. */
type Wire = {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  query(text: string): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { portal: string; statement: string; values: readonly (string | Buffer)[] }): void;
  describe(message: { type: "P"; name: string }): void;
  execute(message: { portal: string }): void;
  sync(): void;
};
type Send = (connection: Wire) => void;

/** What the driver reports when a query has no answer in time. */
export const UNANSWERED_MESSAGE = "Query read timeout";

/** Runs `opening`, such as `begin`, and a statement in one round trip. If `opening` fails, the server skips the statement. */
export async function runAfter(
  client: pg.ClientBase,
  opening: string,
  statement: NamedStatement,
): Promise<unknown[]> {
  const [answer] = await sendAll(client, [statement], (connection) => open(connection, opening, statement));
  return answer?.rows ?? [];
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
  const answers = await sendAll(client, [statement, { name: "", text: closing }], (connection) => {
    parseOnce(connection, statement);
    execute(connection, statement);
    connection.query(closing);
  });
  return answers.at(-1);
}

export type WholeTransaction = {
  opening: string;
  first: NamedStatement;
  second: NamedStatement | undefined;
  closing: string;
};

/**
 * Both in one: a whole transaction in one round trip, in messages of their own. `onWritten` is called when the statements have been
 * answered and `closing` may be under way, with the rows of the first one and how many the second one changed.
 */
export async function runWhole(
  client: pg.ClientBase,
  { opening, first, second, closing }: WholeTransaction,
  onWritten: (rows: unknown[], changed: number) => void,
): Promise<Answer | undefined> {
  const messages = [first, ...(second ? [second] : []), { name: "", text: closing }];
  const send: Send = (connection) => {
    open(connection, opening, first);
    if (second) {
      parseOnce(connection, second);
      execute(connection, second);
    }
    connection.query(closing);
  };
  const answers = await sendAll(client, messages, send, (known) => {
    if (known.length === messages.length - 1)
      onWritten(known[0]?.rows ?? [], second ? (known[1]?.rowCount ?? 0) : 0);
  });
  return answers.at(-1);
}

/** What the driver has to know of a message. */
type Message = Pick<NamedStatement, "name" | "text">;

/**
 * Sends several messages at once, and waits for the answers to all of them, whatever fails. The driver asks its first query what to
 * send; the others wait for answers to what is on the way already. Returns the answer to the last statement of each message.
 */
function sendAll(
  client: pg.ClientBase,
  messages: readonly Message[],
  send: Send,
  onAnswer: (known: readonly (Answer | undefined)[]) => void = () => {},
): Promise<(Answer | undefined)[]> {
  return new Promise((resolve, reject) => {
    const known: (Answer | undefined)[] = [];
    let failure: unknown;
    const fail = (error: unknown): void => {
      failure ??= error;
    };
    const awaitNext = (at: number): void => {
      const message = messages[at];
      if (message === undefined) {
        if (failure === undefined) resolve(known);
        else reject(failure);
        return;
      }
      submit(client, message, at === 0 ? send : () => {}, (error, answers) => {
        // Whoever waits for what does not come must not wait as long for the next. The connection is of no more use.
        if (error?.message === UNANSWERED_MESSAGE) return reject(error);
        if (error) fail(error);
        else {
          known.push([answers].flat().at(-1));
          try {
            if (failure === undefined) onAnswer(known);
          } catch (thrown) {
            fail(thrown);
          }
        }
        awaitNext(at + 1);
      });
    };
    awaitNext(0);
  });
}

/** Collects the answers to all statements until the server is ready again. */
function submit(
  client: pg.ClientBase,
  { name, text }: Message,
  send: Send,
  callback: (error: Error | null, answers: Answer | Answer[]) => void,
): void {
  const query = new pg.Query(text);
  Object.assign(query, { name, queryMode: "extended", prepare: send, callback });
  client.query(query);
}

function open(connection: Wire, opening: string, statement: NamedStatement): void {
  // The named statement is parsed first: the driver takes the first answer to a parse for its own.
  parseOnce(connection, statement);
  connection.parse({ name: "", text: opening });
  connection.bind({ portal: "", statement: "", values: [] });
  connection.execute({ portal: "" });
  execute(connection, statement);
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
