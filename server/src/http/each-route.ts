import type { FastifyInstance, onRequestHookHandler, onResponseHookHandler, RouteOptions } from "fastify";

type Hooks = {
  onRequest: onRequestHookHandler;
  onResponse: onResponseHookHandler;
};

/**
 * Gives each route that is registered later a hook made for it, so that what the route declares is read once and not
 * with every request. `make` returns undefined for a route that needs none.
 */
export function hookEachRoute<Name extends keyof Hooks>(
  app: FastifyInstance,
  name: Name,
  make: (route: RouteOptions) => Hooks[Name] | undefined,
): void {
  const made = new WeakSet<object>();
  app.addHook("onRoute", (route) => {
    const present = [route[name] ?? []].flat() as Hooks[Name][];
    // The HEAD route that comes with a GET has taken its hooks over already.
    if (present.some((hook) => made.has(hook))) return;
    const hook = make(route);
    if (!hook) return;
    made.add(hook);
    Object.assign(route, { [name]: [...present, hook] });
  });
}
