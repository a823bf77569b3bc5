import type { FastifyBaseLogger } from "fastify";

type Bindings = Record<string, unknown>;
type ChildOptions = Parameters<FastifyBaseLogger["child"]>[1];

type Lazy = {
  parent: FastifyBaseLogger;
  bindings: Bindings;
  options: ChildOptions;
  made: FastifyBaseLogger | undefined;
};

/**
 * The server's logger, whose children are created on first use. Most requests never log: their one line is written by the
 * server's logger, and creating a child for each cost more than that line. Fastify checks each logger of a factory of our own,
 * so this is the logger's `child` instead.
 */
export const withLazyChildren = <Parent extends FastifyBaseLogger>(parent: Parent): Parent =>
  Object.create(parent, {
    child: { value: (bindings: Bindings, options: ChildOptions) => lazyChild(parent, bindings, options) },
  });

function lazyChild(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions): FastifyBaseLogger {
  const lazy: Lazy = Object.create(methods);
  lazy.parent = parent;
  lazy.bindings = bindings;
  lazy.options = options;
  lazy.made = undefined;
  return lazy as unknown as FastifyBaseLogger;
}

function real(lazy: Lazy): FastifyBaseLogger {
  lazy.made ??= lazy.parent.child(lazy.bindings, lazy.options);
  return lazy.made;
}

type LogMethod = (...args: unknown[]) => void;

const forward = (level: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent") =>
  function log(this: Lazy, ...args: unknown[]): void {
    const logger = real(this);
    (logger[level] as LogMethod).apply(logger, args);
  };

/** Shared by all lazy loggers, so creating one costs a single object. */
const methods = {
  get level(): string {
    return real(this as unknown as Lazy).level;
  },
  set level(level: string) {
    real(this as unknown as Lazy).level = level;
  },
  fatal: forward("fatal"),
  error: forward("error"),
  warn: forward("warn"),
  info: forward("info"),
  debug: forward("debug"),
  trace: forward("trace"),
  silent: forward("silent"),
  child(this: Lazy, bindings: Bindings, options: ChildOptions): FastifyBaseLogger {
    return real(this).child(bindings, options);
  },
};
