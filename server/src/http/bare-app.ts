import Fastify, { type FastifyInstance } from "fastify";

/** A minimal app for the operator's own routes, without the API's request handling. */
export function bareApp(addRoutes: (app: FastifyInstance) => void): FastifyInstance {
  const app = Fastify({
    logger: false,
    forceCloseConnections: true,
    clientErrorHandler: (_error, socket) => socket.end(UNREADABLE),
  });
  app.addHook("onRequest", (_request, reply, done) => {
    reply.header(...NO_SNIFF);
    done();
  });
  addRoutes(app);
  return app;
}

/** Sent with every response: browsers must trust the content type and never treat data as a page or a script. */
export const NO_SNIFF = ["x-content-type-options", "nosniff"] as const;

const UNREADABLE = `HTTP/1.1 400 Bad Request\r\n${NO_SNIFF.join(": ")}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
