import type { Db } from "../../src/db/database.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import type { FuzzReport } from "./fuzz-run.ts";
import type { FuzzServer } from "./fuzz-server.ts";
import type { FuzzWorld } from "./fuzz-world.ts";

/** Requests of the API, and pages and forms of the dashboard and the console. */
export type Surface = "api" | "web";

export type FuzzSession = {
  db: Db;
  connectionString: string;
  seed: number;
  runs: readonly { surface: Surface; requests: number }[];
  /** Sends only this request of the API. */
  only?: number | undefined;
  stop?: AbortSignal | undefined;
  onProgress?: (report: FuzzReport, requests: number, residentMb: number) => void;
};

/** What a run on one surface has. */
export type SurfaceRun = Omit<FuzzSession, "runs" | "onProgress"> & {
  document: OpenApiDocument;
  world: FuzzWorld;
  server: FuzzServer;
  requests: number;
  /** An earlier surface has filled the database. */
  isFilled: boolean;
  onProgress?: (report: FuzzReport) => void;
};
