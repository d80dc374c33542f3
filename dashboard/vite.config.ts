import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { type Route, routes } from "../contract/src/routes.ts";

/** `npm run dev`: what is not the dashboard's own is the server's, with the names that the browser used. */
const server = `http://127.0.0.1:${process.env["PORT"] ?? 8000}`;

/** A browser asks by method and path. What is said of each route, and all schemas, are the server's: no page waits for them. */
const withoutSchemas: Plugin = {
  name: "without-schemas",
  apply: "build",
  load(id) {
    if (!id.endsWith("/contract/src/routes.ts")) return null;
    const bare = Object.entries<Route>(routes).map(([name, { method, path, also = {} }]) => {
      const statuses = Object.keys(also).map((status) => [status, {}]);
      return [name, { method, path, also: Object.fromEntries(statuses) }];
    });
    return `export const routes = ${JSON.stringify(Object.fromEntries(bare))};\nexport const routeIds = Object.keys(routes);`;
  },
  generateBundle(_, files) {
    for (const [name, file] of Object.entries(files)) {
      if (file.type === "chunk" && file.moduleIds.some((id) => id.includes("/node_modules/typebox/")))
        this.error(`${name} has schemas in it: a page takes plain values from contract/src/values.ts.`);
    }
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), withoutSchemas],
  build: {
    // light-dark() and native dialogs are used as they are: older browsers lack other things the pages need as well.
    target: ["chrome123", "firefox121", "safari17.5"],
    // Inlined assets would be data: addresses, which the content security policy of the server refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What a browser has of the libraries stays good when only our own code has changed.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "libraries", test: /node_modules\/(react-dom|@base-ui)\// }],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/w/", "/healthz", "/readyz"].map((path) => [path, { target: server }])),
  },
});
