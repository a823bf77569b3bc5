import { join } from "node:path";
import type { Access } from "./access.ts";
import type { Binaries } from "./find-binaries.ts";
import type { Accounts } from "./server-account.ts";

/** Everything needed to start, join and stop one embedded database. */
export type Cluster = {
  layout: Layout;
  binaries: Binaries;
  accounts: Accounts;
  access: Access;
  settings: Readonly<Record<string, string>>;
  log: (message: string) => void;
};

/** The paths of one embedded database. */
export type Layout = DatabaseLayout & { root: string; log: string };

/** The parts that are created together and appear together, by a rename. */
export type DatabaseLayout = {
  database: string;
  /** PostgreSQL's own data directory. */
  data: string;
  access: string;
};

export function layoutOf(root: string): Layout {
  return { ...databaseLayoutOf(join(root, "db")), root, log: join(root, "postgres.log") };
}

export function databaseLayoutOf(database: string): DatabaseLayout {
  return { database, data: join(database, "data"), access: join(database, "access.json") };
}
