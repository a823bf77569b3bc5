import Fastify, { type FastifyInstance } from "fastify";

/** An app for a few routes of the operator's own, without what the API's requests meet. */
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

/** On every answer: a browser believes its content type, and never takes data for a page or a script. */
export const NO_SNIFF = ["x-content-type-options", "nosniff"] as const;

const UNREADABLE = `HTTP/1.1 400 Bad Request\r\n${NO_SNIFF.join(": ")}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
