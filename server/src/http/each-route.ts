import type { FastifyInstance, onRequestHookHandler, onResponseHookHandler, RouteOptions } from "fastify";

type Hooks = {
  onRequest: onRequestHookHandler;
  onResponse: onResponseHookHandler;
};

/**
 * Adds a hook to each route registered later. `make` reads the route's declaration once instead of with every
 * request, and returns undefined for a route that needs no hook.
 */
export function hookEachRoute<Name extends keyof Hooks>(
  app: FastifyInstance,
  name: Name,
  make: (route: RouteOptions) => Hooks[Name] | undefined,
): void {
  const made = new WeakSet<object>();
  app.addHook("onRoute", (route) => {
    const present = [route[name] ?? []].flat() as Hooks[Name][];
    // The HEAD route that Fastify adds to a GET already has the hooks of the GET.
    if (present.some((hook) => made.has(hook))) return;
    const hook = make(route);
    if (!hook) return;
    made.add(hook);
    Object.assign(route, { [name]: [...present, hook] });
  });
}
