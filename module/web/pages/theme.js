// theme.js - chooses the colours before the page is drawn: `?theme=` of the address, else the
// page's own default (data-default of <html>), else what the viewer's system asks for. A classic
// script, so that it runs before the first paint.
"use strict";
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search).get("theme") || root.dataset.default;
  const light = matchMedia("(prefers-color-scheme: light)");
  const choose = () => {
    const known = ["dark", "light", "clear"].includes(asked);
    root.dataset.theme = known ? asked : root.dataset.default || (light.matches ? "light" : "dark");
  };
  choose();
  light.addEventListener("change", choose);
})();
