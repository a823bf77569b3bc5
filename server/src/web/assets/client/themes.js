/** The theme changes at once; the form tells the server, so that the next page comes in it. */
export function startThemes() {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const theme = event.submitter?.value;
      if (!form.matches("[data-themes]") || !theme) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      showTheme(theme);
      const body = new URLSearchParams({ theme, back: form.elements.back.value });
      // A switch that is not kept is no reason to bother anyone.
      fetch(form.action, {
        method: "POST",
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(10_000),
      }).catch(() => {});
    },
    true,
  );
}

function showTheme(theme) {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  document.querySelector('meta[name="color-scheme"]').content = theme === "system" ? "light dark" : theme;
  for (const button of document.querySelectorAll("[data-themes] button"))
    button.setAttribute("aria-pressed", String(button.value === theme));
}
