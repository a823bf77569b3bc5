// Loaded before Node's test runner, which follows each asynchronous operation with a hook: it tells to which test an error that
// nobody caught belongs, and to which file a test that is defined belongs. A promise takes twenty times as much CPU with it.
import hooks, { type AsyncHook } from "node:async_hooks";

const { createHook } = hooks;
const created: AsyncHook[] = [];
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  created.push(hook);
  return hook;
};

/** Once all tests are defined. An error that nobody caught fails the file then, and names no test. */
export function stopFollowing(): void {
  for (const hook of created) hook.disable();
  hooks.createHook = createHook;
}
