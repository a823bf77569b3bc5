import type { Area } from "../mutant.ts";

const AT = "server/src/http/direct";
const TESTS: readonly [string, ...string[]] = [
  `${AT}/read-head.test.ts`,
  `${AT}/serve-directly.test.ts`,
  `${AT}/hostile-connections.test.ts`,
];
const CONNECTIONS: readonly [string, ...string[]] = [`${AT}/hostile-connections.test.ts`];

/** Requests that are answered without Fastify. */
export const DIRECT: Area = {
  title: "requests answered directly",
  mutants: [
    {
      name: "direct-header-twice",
      file: `${AT}/read-head.ts`,
      find: "Object.hasOwn(headers, name) || ",
      replace: "",
      tests: TESTS,
      why: "The last of two headers would count here, and both behind a proxy that reads them otherwise.",
    },
    {
      name: "direct-unusual-headers",
      file: `${AT}/read-head.ts`,
      find: "UNUSUAL.has(name) || ",
      replace: "",
      tests: TESTS,
      why: "A chunked body would be read as the next request.",
    },
    {
      name: "direct-get-with-a-body",
      file: `${AT}/read-head.ts`,
      find: 'headers["content-length"] === undefined ? 0 : undefined',
      replace: "headers === undefined ? undefined : 0",
      tests: TESTS,
      why: "The body of a GET would be read as the next request.",
    },
    {
      name: "direct-body-without-limit",
      file: `${AT}/read-head.ts`,
      find: "bytes > 0 && bytes <= BODY_MAX_BYTES",
      replace: "bytes > 0",
      tests: TESTS,
      why: "A body above the limit would be kept in memory.",
    },
    {
      name: "direct-body-unchecked",
      file: `${AT}/answer-directly.ts`,
      find: "if (checked !== true) throw invalidFields(checked.error);",
      replace: "",
      tests: TESTS,
      why: "A body that its schema refuses would reach the verb.",
    },
    {
      name: "direct-parameters-unchecked",
      file: `${AT}/answer-directly.ts`,
      find: "if (parameters !== true) throw parameters.error;",
      replace: "",
      tests: TESTS,
      why: "A misspelled filter would return everything.",
    },
    {
      name: "direct-pipeline-out-of-order",
      file: `${AT}/serve-directly.ts`,
      find: 'if (connection.state !== "busy") takeNext',
      replace: "if (connection.rest !== undefined) takeNext",
      tests: TESTS,
      why: "A reply could overtake an earlier one and be taken for it.",
    },
    {
      name: "direct-lost-bytes",
      file: `${AT}/keep-connections.ts`,
      find: "if (rest !== undefined) socket.unshift(rest);",
      replace: "",
      tests: TESTS,
      why: "The request with which a connection is handed over would never be answered.",
    },
    {
      name: "direct-gone-and-handed-over",
      file: `${AT}/serve-directly.ts`,
      find: "  if (!socket.writable) return;\n",
      replace: "",
      tests: CONNECTIONS,
      why: "What a caller sent before it left would go on, on a connection that has ended.",
    },
    {
      name: "direct-read-without-limit",
      file: `${AT}/serve-directly.ts`,
      find: "if (socket.isPaused() && isReadFrom(connection)) socket.resume();",
      replace: "if (socket.isPaused()) socket.resume();",
      tests: CONNECTIONS,
      why: "A caller that never waits for a reply would fill the memory.",
    },
    {
      name: "direct-error-unheard",
      file: `${AT}/keep-connections.ts`,
      find: 'else if (connection.state !== "busy") socket.end();',
      replace:
        'else if (connection.state !== "busy") {\n          release(connection);\n          socket.end();\n        }',
      tests: CONNECTIONS,
      why: "A reset behind the end of a connection would end the process.",
    },
    {
      name: "connect-without-listener",
      file: "server/src/http/unroutable.ts",
      find: '    socket.on("error", () => socket.destroy());\n',
      replace: "",
      tests: ["server/src/http/unroutable.test.ts"],
      why: "A caller that resets its connection behind a CONNECT would end the process.",
    },
    {
      name: "direct-silence-never-ends",
      file: `${AT}/keep-connections.ts`,
      find: "waitedMs >= patienceMs()",
      replace: "waitedMs < 0",
      tests: CONNECTIONS,
      why: "Connections that send nothing would stay, and a server that closes would wait for them.",
      hangs: true,
    },
    {
      name: "direct-new-counts-as-idle",
      file: `${AT}/keep-connections.ts`,
      find: 'if (state === "idle") socket.destroy();',
      replace: 'if (state === "new" || state === "idle") socket.destroy();',
      tests: CONNECTIONS,
      why: "A request that arrives while the server closes would be reset.",
    },
  ],
};
